"""`turn-count`: in how many turns a person's prompts, or a sub-agent's briefs, were worked off."""

from mergebar.graders import grades, options, views
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Capability


def create() -> Grader:
    """The grader."""
    return TurnCount()


class TurnCount:
    """Round trips to the model aren't turns, nor are results, reminders and summaries."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """Turns."""
        del declared
        return Demands(capabilities=frozenset({Capability.TURNS}))

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Count them on the artifact's own chains."""
        del means
        least = options.count(declared.options, "min")
        most = options.count(declared.options, "max")
        if least is None and most is None:
            return grades.misdeclared("`turn-count` needs `min` or `max`: add one")
        turns = views.turns(seen)
        what = f"{'turn' if turns == 1 else 'turns'} in {seen.excerpt.label}"
        decided = grades.is_decided(turns, least=least, most=most)
        return grades.grade(
            grades.bounds(turns, least=least, most=most, what=what),
            fine=f"{turns:,} {what}",
            basis=grades.basis(decided=decided, nested=False),
        )
