"""`tool-order`: whether some call of one tool came before some call of another."""

from collections.abc import Sequence

from mergebar.graders import grades, options, views
from mergebar.graders.tool_usage import includes_nested
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Capability, ToolCall


def create() -> Grader:
    """The grader."""
    return ToolOrder()


class ToolOrder:
    """Compares the first call of `before` with the last one of `after`, by their places."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """Tool calls."""
        del declared
        return Demands(capabilities=frozenset({Capability.TOOL_CALLS}))

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Find both; without any of either there is nothing out of order."""
        nested = includes_nested(declared, seen)
        all_calls = tuple(views.calls(seen, nested=nested))
        before = await _matching("before", declared, seen, all_calls, means)
        if isinstance(before, Failure):
            return before
        after = await _matching("after", declared, seen, all_calls, means)
        if isinstance(after, Failure):
            return after
        first, last = _name(declared, "before"), _name(declared, "after")
        return grades.grade(
            _wrong(first, last, before, after),
            fine=_fine(first, last, before),
            notices=[views.unseen(seen) if not (before and after) else None],
        )


async def _matching(
    side: str, declared: DeclaredEval, seen: Seen, calls: Sequence[ToolCall], means: Means
) -> list[ToolCall] | Failure:
    name = options.text(declared.options, side)
    if name is None:
        return grades.misdeclared(f"`tool-order` needs the option `{side}`: add it")
    named = [call for call in calls if call.name == name]
    pattern = options.text(declared.options, f"{side}InputMatch")
    if pattern is None or not named:
        return named
    texts = [seen.contents.text(call.event) for call in named]
    found = await means.matcher.search(pattern, "", texts)
    if isinstance(found, Failure):
        return Failure(error_class=found.error_class, message=f"`{side}InputMatch` {found.message}")
    return [call for call, matches in zip(named, found, strict=True) if matches]


def _name(declared: DeclaredEval, side: str) -> str:
    name = f"`{options.text(declared.options, side)}`"
    pattern = options.text(declared.options, f"{side}InputMatch")
    return name if pattern is None else f"{name} with an input that matches `{pattern}`"


def _wrong(
    first: str, last: str, before: Sequence[ToolCall], after: Sequence[ToolCall]
) -> Sequence[str]:
    if before and not after:
        return (f"{first} was called, and {last} never was",)
    if after and not before:
        return (f"{last} was called, and {first} never was",)
    if before and after and before[0].event > after[-1].event:
        return (f"every call of {last} came before the first one of {first}",)
    return ()


def _fine(first: str, last: str, before: Sequence[ToolCall]) -> str:
    if not before:
        return f"neither {first} nor {last} was called"
    return f"{first} was called before {last}"
