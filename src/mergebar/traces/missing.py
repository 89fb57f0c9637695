"""What went wrong while a trace was read in, what of the session may be missing for it out."""

from collections.abc import Iterator

from mergebar.model.gaps import Gap, Missing
from mergebar.model.sessions import MAIN
from mergebar.model.text import Json
from mergebar.traces.building import ASSISTANT, REASONING, TOOL_CALL, TOOL_RESULT, Building
from mergebar.traces.faults import Faults
from mergebar.traces.parsing import TraceFile

_WAITING = ("tool_use", "pause_turn")
_ENDING = "StructuredOutput"
"""The tool that a run with a schema ends with."""

_AGENTS = (ASSISTANT, REASONING, TOOL_CALL, TOOL_RESULT)


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
    if faults.odd:
        what = _lines(faults.odd, faults.first_odd, file, "of no known shape")
        yield Gap(missing=Missing.MIDDLE, what=what, branch=branch, sure=False)


def rest_of_turn(building: Building, stopped: Json) -> Iterator[Gap]:
    """Whether the last reply says that it waits for a tool, and nobody spoke after it."""
    ended = building.call_names and building.names.texts[building.call_names[-1]] == _ENDING
    if stopped not in _WAITING or ended:
        return
    events = reversed(range(len(building.kinds)))
    last = next((event for event in events if building.event_branches[event] == MAIN), None)
    if last is not None and building.kinds[last] in _AGENTS:
        what = "the trace ends in the middle of a turn: its last reply waits for a tool"
        yield Gap(missing=Missing.END, what=what)


def _lines(number: int, first: int, file: str, what: str) -> str:
    if number == 1:
        return f"line {first} of {file} is {what}"
    return f"{number:,} lines of {file} are {what}, the first is line {first}"
