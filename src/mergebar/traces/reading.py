"""A path in, the session that its file records out; or why it holds none."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from mergebar.model.problems import Level, Problem
from mergebar.model.sessions import Session
from mergebar.model.text import Json
from mergebar.reading.limits import MAX_BYTES
from mergebar.traces import layouts, records, tolerant, whole, yaml_messages
from mergebar.traces.faults import Faults
from mergebar.traces.files import open_trace, refusal
from mergebar.traces.layouts import Form, Recognised
from mergebar.traces.parsers import PARSERS
from mergebar.traces.parsing import TraceFile
from mergebar.traces.records import Record

_BOM = b"\xef\xbb\xbf"


def read(path: Path, *, name: str | None = None) -> Session | Problem:
    """Read a trace. `name` is how messages and reports call it; what its name ends in is ignored.

    A file that is broken in places still gives a session, with notes, and not `complete`.
    """
    shown = path.as_posix() if name is None else name
    opened = open_trace(path, shown)
    if isinstance(opened, Problem):
        return opened
    with opened.file:
        found = layouts.recognise(opened, shown)
        if isinstance(found, Problem):
            return found
        trace = TraceFile(
            path=path,
            name=shown,
            records=_records(opened.file, found),
            beside=found.beside,
            cut=found.cut,
            notes=tuple(_notes(found, shown)),
        )
        session = PARSERS[found.layout.format].parse(trace)
    if not len(session.events) and session.usage is None:
        message = f"this is {session.title} in which nobody says or does anything"
        return refusal("nothing-usable", message, shown)
    return session


def _records(file: BinaryIO, found: Recognised) -> Callable[[Faults], Iterable[Record]]:
    if found.form is Form.LINES:
        return lambda faults: _lines(file, faults)
    file.seek(0)
    data = file.read(MAX_BYTES)
    if found.form is Form.YAML:
        read_again = yaml_messages.read(data)
        messages = read_again[1] if read_again else []
        return lambda faults: _counted(messages, faults)
    places = list(_places(data, found))
    return lambda faults: records.spans(data, places, faults)


def _lines(file: BinaryIO, faults: Faults) -> Iterator[Record]:
    file.seek(0)
    return records.lines(file, faults)


def _places(data: bytes, found: Recognised) -> Iterator[tuple[int, int, int]]:
    """Where the records are in a file that isn't one per line: (offset, length, line) in bytes."""
    text = tolerant.decode(data)
    base = len(_BOM) if data.startswith(_BOM) else 0
    measure = whole.Bytes(text)
    for start, end in _chars(text, found):
        offset, line = measure.at(start)
        yield base + offset, measure.at(end)[0] - offset, line


def _chars(text: str, found: Recognised) -> Iterator[tuple[int, int]]:
    if found.form is Form.JOINED:
        yield from ((start, end) for start, end, _ in tolerant.consecutive(text)[0])
        return
    layout = found.layout
    at = whole.locate(text, layout.pointer)
    if at is None:
        return
    if layout.single or text[at : at + 1] == "{":
        yield at, tolerant.DECODER.raw_decode(text, at)[1]
        return
    for start, end, _ in whole.items(text, at):
        if layout.inner is None:
            yield start, end
        else:
            inside = (each for each in whole.members(text, start) if each[0] == layout.inner)
            yield from ((first, last) for _, first, last, _ in inside)


def _counted(messages: list[Json], faults: Faults) -> Iterator[Record]:
    for number, message in enumerate(messages):
        if isinstance(message, dict):
            faults.readable += 1
            yield number, 0, 1, message
        else:
            faults.note_malformed(1, at=number, remains=False)


def _notes(found: Recognised, name: str) -> Iterator[Problem]:
    if found.cut:
        message = "the file ends in the middle of a value: what came after it is missing"
        yield Problem(level=Level.WARNING, rule="trace/truncated", message=message, path=name)
    if found.layout.skipped:
        message = (
            f"the file holds {found.layout.skipped + 1} conversations: the last one was read, as "
            "each begins anew with what was said before"
        )
        yield Problem(level=Level.WARNING, rule="trace/several", message=message, path=name)
