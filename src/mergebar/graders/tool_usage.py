"""`tool-usage`: how often a tool was called, by the host's own name for it."""

from collections import Counter
from collections.abc import Iterator

from mergebar.graders import grades, near_names, options, views
from mergebar.model.artifacts import ArtifactType, DeclaredEval
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Basis, Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Capability


def create() -> Grader:
    """The grader."""
    return ToolUsage()


class ToolUsage:
    """Counts attempts: a call that was denied or failed counts too."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """Tool calls."""
        del declared
        return Demands(capabilities=frozenset({Capability.TOOL_CALLS}))

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Count the calls of `tool`."""
        del means
        tool = options.text(declared.options, "tool")
        if tool is None:
            return grades.misdeclared("`tool-usage` needs the option `tool`: add it")
        nested = includes_nested(declared, seen)
        counts = Counter(call.name for call in views.calls(seen, nested=nested))
        used = counts[tool]
        return grades.grade(
            _wrong(declared, tool, used),
            fine=f"`{tool}` {grades.happened('called', used)} in {seen.excerpt.label}",
            notices=_notices(tool, counts, seen),
            basis=_basis(declared, used, nested=nested),
        )


def includes_nested(declared: DeclaredEval, seen: Seen) -> bool:
    """Whether calls of sub-agents count: an agent answers for whom it starts."""
    is_agent = seen.artifact.identity.type is ArtifactType.AGENT
    return is_agent or options.flag(declared.options, "includeSidechains")


def _basis(declared: DeclaredEval, used: int, *, nested: bool) -> Basis:
    least = options.count(declared.options, "min")
    most = options.count(declared.options, "max")
    if options.text(declared.options, "expect") == "not-used":
        most = 0
    decided = grades.is_decided(used, least=least, most=most)
    return grades.basis(decided=decided, nested=nested)


def _wrong(declared: DeclaredEval, tool: str, used: int) -> Iterator[str]:
    least = options.count(declared.options, "min")
    most = options.count(declared.options, "max")
    if options.text(declared.options, "expect") == "not-used":
        if used:
            yield f"`{tool}` was called {grades.times(used)}, and must not be used"
    elif used == 0 and least is None:
        yield f"`{tool}` was never called"
        return
    calls = f"{'call' if used == 1 else 'calls'} of `{tool}`"
    yield from grades.bounds(used, least=least, most=most, what=calls)


def _notices(tool: str, counts: Counter[str], seen: Seen) -> Iterator[str | None]:
    if not counts[tool]:
        yield views.unseen(seen)
        yield from near_names.notices(tool, counts)
