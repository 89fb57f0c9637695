"""What went wrong while a trace was read in, what of the session may be missing for it out."""

from collections.abc import Iterator, Mapping

from mergebar.model.gaps import Gap, Missing
from mergebar.model.sessions import MAIN
from mergebar.model.text import Json
from mergebar.traces.building import (
    ASSISTANT,
    META,
    REASONING,
    SYSTEM,
    TOOL_CALL,
    TOOL_RESULT,
    USER,
    Building,
)
from mergebar.traces.faults import Faults
from mergebar.traces.parsing import TraceFile

_WAITING = ("tool_use", "pause_turn")
_ENDING = "StructuredOutput"
"""The tool that a run with a schema ends with."""

_QUIET = (META, SYSTEM)
_OPEN = "in the middle of a turn: its last reply waits for a tool"


def of_file(
    trace: TraceFile, faults: Faults, building: Building, *, last: int | None
) -> tuple[Gap, ...]:
    """The gaps of a session's own file; what can't be read behind its last message is an end."""
    cut = [Gap(missing=Missing.END, what="the trace ends in the middle of a value")] * trace.cut
    return (*cut, *of_records(faults, last=-1 if last is None else building.offsets[last]))


def of_records(
    faults: Faults, *, last: int = -1, branch: int = MAIN, file: str = "the trace"
) -> Iterator[Gap]:
    """The gaps on one chain; `last` is where the record of its last message begins."""
    where = Missing.END if faults.lost_at > last else Missing.MIDDLE
    if faults.cut_line:
        what = f"{file} ends in the middle of line {faults.cut_line}"
        yield Gap(missing=Missing.END, what=what, branch=branch)
    if faults.malformed:
        what = _lines(faults.malformed, faults.first_malformed, file, "no JSON object")
        yield Gap(missing=where, what=what, branch=branch, sure=faults.remains)
    if faults.long:
        what = _lines(faults.long, faults.first_long, file, "too long to be read")
        yield Gap(missing=where, what=what, branch=branch)
    if faults.foreign:
        what = _lines(faults.foreign, faults.first_foreign, file, "of another session")
        yield Gap(missing=Missing.END, what=what, branch=branch)
    if faults.odd:
        what = _lines(faults.odd, faults.first_odd, file, "of no known shape")
        yield Gap(missing=Missing.MIDDLE, what=what, branch=branch, sure=False)


def of_calls(building: Building, *, fragment: bool = False) -> Iterator[Gap]:
    """Calls that were made and aren't here: those without a name, and those of which only the
    result is. In a fragment the first results may belong to what came before it.
    """
    for branch, number in building.nameless.items():
        many = "a tool call has" if number == 1 else f"{number:,} tool calls have"
        yield Gap(missing=Missing.MIDDLE, what=f"{many} no name", branch=branch)
    known = frozenset(building.call_keys) if building.strays else frozenset[int]()
    first = min(building.call_events, default=len(building.kinds)) if fragment else -1
    lost: dict[int, int] = {}
    for key, event in building.strays.items():
        if key not in known and event > first:
            branch = building.event_branches[event]
            lost[branch] = lost.get(branch, 0) + 1
    for branch, number in lost.items():
        many = "a tool's result belongs" if number == 1 else f"{number:,} tools' results belong"
        yield Gap(missing=Missing.MIDDLE, what=f"{many} to no call in the trace", branch=branch)


def unfinished(
    building: Building, stopped: Mapping[int, Json], files: Mapping[int, str]
) -> Iterator[Gap]:
    """The chains that end where somebody was to go on: the agent, a tool, whoever was asked.

    `stopped` says by branch why the last reply ended, `files` how a branch's own file is called.
    """
    last = _last_spoken(building)
    for branch in range(len(building.branches)):
        event = last.get(branch)
        file = files.get(branch, "the trace")
        if branch != MAIN and (event is None or building.kinds[event] == USER):
            what = f"what a sub-agent did isn't in {file}"
            yield Gap(missing=Missing.END, what=what, branch=branch)
        elif event is not None and event > building.host_spoke:
            how = _waits(building, event, branch, stopped.get(branch))
            if how is not None:
                yield Gap(missing=Missing.END, what=f"{file} ends {how}", branch=branch)


def _waits(building: Building, event: int, branch: int, stopped: Json) -> str | None:
    """How a chain with this last event ends in the middle of something; `None` if it doesn't."""
    kind = building.kinds[event]
    if kind == USER:
        return "before the agent answered the last prompt"
    if stopped in _WAITING:
        calls = reversed(range(len(building.call_names)))
        own = (call for call in calls if building.call_branches[call] == branch)
        call = next(own, None)
        if call is None or building.names.texts[building.call_names[call]] != _ENDING:
            return _OPEN
    return None


def waits_for_tool(gap: Gap) -> bool:
    """Whether a chain ends in the middle of the agent's own turn."""
    return gap.what.endswith(_OPEN)


def _last_spoken(building: Building) -> dict[int, int]:
    """The last event of each branch on which somebody speaks."""
    found: dict[int, int] = {}
    for event in reversed(range(len(building.kinds))):
        branch = building.event_branches[event]
        if branch not in found and building.kinds[event] not in _QUIET:
            found[branch] = event
            if len(found) == len(building.branches):
                break
    return found


def agent_acted(building: Building) -> bool:
    """Whether the agent said or did anything, on whichever chain."""
    return any(kind in building.kinds for kind in (ASSISTANT, REASONING, TOOL_CALL, TOOL_RESULT))


def _lines(number: int, first: int, file: str, what: str) -> str:
    if number == 1:
        return f"line {first} of {file} is {what}"
    return f"{number:,} lines of {file} are {what}, the first is line {first}"
