"""`human`: a person has to look, and says so in `mergebar.reviews.yml`."""

from mergebar.graders import evidence
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.model.results import Outcome


def create() -> Grader:
    """The grader."""
    return Human()


class Human:
    """Never says pass or fail by itself."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """Nothing of the trace: a person reads what there is."""
        del declared
        return Demands()

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Ask for a review."""
        return Grade(
            outcome=Outcome.NEEDS_REVIEW,
            reason="waits for a person's review",
            review=evidence.digest(declared, seen, means),
            look=look(declared, seen),
        )


def look(declared: DeclaredEval, seen: Seen) -> str:
    """What to look at, in a sentence for the queue."""
    hint = f"; {declared.evidence}" if declared.evidence else ""
    return f"{seen.excerpt.label} in `{seen.session.path}`: {declared.assertion or ''}{hint}"
