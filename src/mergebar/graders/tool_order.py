"""`tool-order`: whether some call of one tool came before some call of another."""

from collections import Counter
from collections.abc import Iterator, Sequence

from mergebar.graders import grades, near_names, options, searching, views
from mergebar.graders.searching import Hit, Sought
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
        before = await _found("before", declared, seen, means)
        if isinstance(before, Failure):
            return before
        after = await _found("after", declared, seen, means)
        if isinstance(after, Failure):
            return after
        first, last = _name(declared, "before"), _name(declared, "after")
        wrong = _wrong(first, last, before.item, after.item)
        return grades.grade(
            wrong,
            fine=_fine(first, last, before.item),
            notices=_notices(declared, seen, before.item, after.item),
            basis=grades.basis(
                decided=before.item is not None and not wrong,
                nested=includes_nested(declared, seen),
            ),
        )


def _notices(
    declared: DeclaredEval, seen: Seen, before: ToolCall | None, after: ToolCall | None
) -> Iterator[str | None]:
    if before is not None and after is not None:
        return
    yield views.unseen(seen)
    calls = views.calls(seen, nested=includes_nested(declared, seen))
    counts = Counter(call.name for call in calls)
    for side, found in (("before", before), ("after", after)):
        name = options.text(declared.options, side)
        if found is None and name is not None:
            yield from near_names.notices(name, counts)


async def _found(
    side: str, declared: DeclaredEval, seen: Seen, means: Means
) -> Hit[ToolCall] | Failure:
    """The first call of `before`, the last one of `after`."""
    name = options.text(declared.options, side)
    if name is None:
        return grades.misdeclared(f"`tool-order` needs the option `{side}`: add it")
    calls = views.calls(seen, nested=includes_nested(declared, seen))
    named = (call for call in calls if call.name == name)
    pattern = options.text(declared.options, f"{side}InputMatch")
    if pattern is None:
        return Hit(item=next(named, None) if side == "before" else _last(named))
    look = searching.first if side == "before" else searching.last
    sought = Sought(pattern=pattern)
    found = await look(means.matcher, sought, named, lambda call: seen.contents.text(call.event))
    if isinstance(found, Failure):
        message = f"`{side}InputMatch` {found.message}"
        return Failure(error_class=found.error_class, message=message)
    return found


def _last(calls: Iterator[ToolCall]) -> ToolCall | None:
    last = None
    for call in calls:
        last = call
    return last


def _name(declared: DeclaredEval, side: str) -> str:
    name = f"`{options.text(declared.options, side)}`"
    pattern = options.text(declared.options, f"{side}InputMatch")
    return name if pattern is None else f"{name} with an input that matches `{pattern}`"


def _wrong(first: str, last: str, before: ToolCall | None, after: ToolCall | None) -> Sequence[str]:
    if before and not after:
        return (f"{first} was called, and {last} never was",)
    if after and not before:
        return (f"{last} was called, and {first} never was",)
    if before and after and before.event > after.event:
        return (f"every call of {last} came before the first one of {first}",)
    return ()


def _fine(first: str, last: str, before: ToolCall | None) -> str:
    if before is None:
        return f"neither {first} nor {last} was called"
    return f"{first} was called before {last}"
