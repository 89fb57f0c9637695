"""`skill-invoked`: whether a skill was called, or typed as a slash command."""

from collections.abc import Iterator

from mergebar.graders import grades, options, views
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Capability, Offered
from mergebar.reading.sentences import counted


def create() -> Grader:
    """The grader."""
    return SkillInvoked()


class SkillInvoked:
    """Compares names exactly, the plug-in's prefix included."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """Skills."""
        del declared
        return Demands(capabilities=frozenset({Capability.SKILLS}))

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Count its invocations."""
        del means
        skill = options.text(declared.options, "skill")
        if skill is None:
            return grades.misdeclared("`skill-invoked` needs the option `skill`: add it")
        wanted = options.text(declared.options, "expect") != "not-used"
        uses = list(views.skills(seen))
        names = [use.name for use in uses]
        # What a host refused brought no skill into the session, and was tried all the same.
        used = sum(
            1
            for use in uses
            if use.name == skill and not (wanted and views.came_to_nothing(seen, use.call))
        )
        wrong = []
        if wanted and not used:
            wrong.append(f"the skill `{skill}` was never invoked{_refused(skill, names)}")
        elif used and not wanted:
            wrong.append(f"the skill `{skill}` was invoked {grades.times(used)}, and must not be")
        return grades.grade(
            wrong,
            fine=f"the skill `{skill}` {grades.happened('invoked', used)} in {seen.excerpt.label}",
            notices=_notices(skill, names, seen),
            basis=grades.basis(decided=used > 0, nested=True),
        )


def _refused(skill: str, names: list[str]) -> str:
    calls = names.count(skill)
    return f": {counted(calls, 'call')} of it came to nothing" if calls else ""


def _notices(skill: str, names: list[str], seen: Seen) -> Iterator[str | None]:
    if skill in names:
        return
    yield views.unseen(seen)
    if seen.session.roster.offered(Offered.SKILL, [skill]) is False:
        yield f"the skill `{skill}` wasn't on offer in this session"
    short = skill.rpartition(":")[2]
    near = sorted({name for name in names if name.rpartition(":")[2] == short})
    if near:
        yield f"`{near[0]}` was invoked: is that the skill that is meant?"
