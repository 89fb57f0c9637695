"""What an artifact answers for in, the calls, files, skills, turns and messages within it out."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import merge

from mergebar.model.gradings import Excerpt, Seen
from mergebar.model.sessions import (
    MAIN,
    CallStatus,
    EventKind,
    FileOperation,
    SkillUse,
    ToolCall,
)
from mergebar.sessions.invocations import WITHOUT_EFFECT

_NO_AGENT = ("Agent type '", "InputValidationError")


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


def came_to_nothing(seen: Seen, call: int | None) -> str | None:
    """How a call ended without an effect; `None` where it had one, or may have had."""
    status = CallStatus.UNKNOWN if call is None else seen.session.calls[call].status
    if status not in WITHOUT_EFFECT:
        return None
    return "failed" if status is CallStatus.ERROR else f"was {status.value}"


def skills(seen: Seen) -> Iterator[SkillUse]:
    """The skills and slash commands in order, those of sub-agents too."""
    contains = _test(seen.excerpt, nested=True)
    return (use for use in seen.session.skills if contains(use.event, use.branch))


def turns(seen: Seen) -> int:
    """How many turns the artifact's own chains have; one that it was called in counts too."""
    branches = seen.session.events.column("branch")
    openings = {branch: array("Q") for branch in seen.excerpt.own}
    for event in seen.session.turns:
        if branches[event] in openings:
            openings[branches[event]].append(event)
    for branch in openings.keys() - {MAIN}:
        if not openings[branch] and branch in branches:  # a stream may lack a sub-agent's brief
            openings[branch].append(branches.index(branch))
    if MAIN in openings:
        openings[MAIN] = array("Q", merge(openings[MAIN], seen.session.implied))
    return sum(_touched(openings[branch], spans) for branch, spans in seen.excerpt.own.items())


def _touched(openings: Sequence[int], spans: Iterable[range]) -> int:
    """How many turns the ascending spans have a part in, by what opened them, each once.

    A turn that goes on where a span begins may have been opened before all that is known.
    """
    count, reached = 0, -1
    for span in spans:
        first, behind = bisect_left(openings, span.start), bisect_left(openings, span.stop)
        opens = first < len(openings) and openings[first] == span.start
        first = max(first - (span.start > 0 and not opens), reached)
        count += max(behind - first, 0)
        reached = max(reached, behind)
    return count


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
    lost = lost_agents(seen)
    if lost is not None:
        return lost
    if not seen.session.complete or seen.session.fragment:
        return "the trace isn't complete: something may have happened that isn't in it"
    return None


def lost_agents(seen: Seen) -> str | None:
    """That sub-agents were started of which nothing is in the trace; one that was denied wasn't."""
    contains = _test(seen.excerpt, nested=True)
    counted = seen.excerpt.nested | seen.excerpt.own.keys()
    events_ = {  # what one did that was woken up again may stand where it was first started
        spawn.event
        for spawn in seen.session.spawns
        if spawn.child not in counted and contains(spawn.event, spawn.branch)
    }
    if not events_:
        return None
    rows = seen.session.calls
    for place, event in enumerate(rows.column("event")):
        if event in events_ and _started_nothing(seen, rows[place]):
            events_.remove(event)
    if not events_:
        return None
    many = "a sub-agent" if len(events_) == 1 else f"{len(events_)} sub-agents"
    return f"what {many} did isn't in the trace"


def _started_nothing(seen: Seen, call: ToolCall) -> bool:
    """Whether a call was denied, or named an agent that the host doesn't know."""
    if call.status is CallStatus.ERROR and call.result is not None:
        return any(said in seen.contents.text(call.result) for said in _NO_AGENT)
    return call.status is CallStatus.DENIED


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
