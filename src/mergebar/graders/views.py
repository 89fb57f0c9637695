"""What an artifact answers for in, the calls, files, skills, turns and messages within it out."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from mergebar.model.gradings import Excerpt, Seen
from mergebar.model.sessions import (
    MAIN,
    EventKind,
    FileOperation,
    SkillUse,
    ToolCall,
)


def calls(seen: Seen, *, nested: bool = True) -> Iterator[ToolCall]:
    """The tool calls in order; `nested`: those of sub-agents too."""
    rows = seen.session.calls
    places = _places(rows.column("event"), rows.column("branch"), seen.excerpt, nested=nested)
    return map(rows.__getitem__, places)


def files(seen: Seen) -> Iterator[FileOperation]:
    """The file operations in order, those of sub-agents too."""
    rows = seen.session.files
    places = _places(rows.column("event"), rows.column("branch"), seen.excerpt, nested=True)
    return map(rows.__getitem__, places)


def skills(seen: Seen) -> Iterator[SkillUse]:
    """The skills and slash commands in order, those of sub-agents too."""
    contains = _test(seen.excerpt, nested=True)
    return (use for use in seen.session.skills if contains(use.event, use.branch))


def turns(seen: Seen) -> int:
    """How many prompts or briefs there were on the artifact's own chains."""
    session, contains = seen.session, _test(seen.excerpt, nested=False)
    branches = session.events.column("branch")
    opened = sum(1 for event in session.turns if contains(event, branches[event]))
    begins = any(0 in span for span in seen.excerpt.own.get(MAIN, ()))
    return opened + (session.implied_turns if begins else 0)


def messages(seen: Seen, kinds: Collection[EventKind]) -> Iterator[str]:
    """What was said on the artifact's own chains, in order."""
    session, contains = seen.session, _test(seen.excerpt, nested=False)
    for index, branch in enumerate(session.events.column("branch")):
        if contains(index, branch) and session.events[index].kind in kinds:
            yield seen.contents.text(index)


def events(seen: Seen, *, backwards: bool = False) -> Iterator[int]:
    """The indexes of all events, those of sub-agents too."""
    contains = _test(seen.excerpt, nested=True)
    branches = seen.session.events.column("branch")
    places = range(len(branches))
    return (
        index
        for index in (reversed(places) if backwards else places)
        if contains(index, branches[index])
    )


def unseen(seen: Seen) -> str | None:
    """What may have happened and isn't in the trace, as a sentence; `None` if nothing."""
    contains = _test(seen.excerpt, nested=True)
    lost = [
        spawn
        for spawn in seen.session.spawns
        if spawn.child is None and contains(spawn.event, spawn.branch)
    ]
    if lost:
        many = "a sub-agent" if len(lost) == 1 else f"{len(lost)} sub-agents"
        return f"what {many} did isn't in the trace"
    if not seen.session.complete or seen.session.fragment:
        return "the trace isn't complete: something may have happened that isn't in it"
    return None


def _places(
    events_: Sequence[int], branches: Sequence[int], excerpt: Excerpt, *, nested: bool
) -> Iterator[int]:
    contains = _test(excerpt, nested=nested)
    return (
        place
        for place, (event, branch) in enumerate(zip(events_, branches, strict=True))
        if contains(event, branch)
    )


def _test(excerpt: Excerpt, *, nested: bool) -> Callable[[int, int], bool]:
    own: Mapping[int, tuple[range, ...]] = excerpt.own
    besides = excerpt.nested if nested else frozenset[int]()

    def contains(event: int, branch: int) -> bool:
        if branch in besides:
            return True
        return any(event in span for span in own.get(branch, ()))

    return contains
