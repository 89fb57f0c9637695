"""A session and its folder in, the words of its events out, read again from the files."""

import json
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from mergebar.errors import ExitCode, StopError
from mergebar.model.sessions import Session
from mergebar.model.text import Json, JsonObject
from mergebar.reading.limits import MAX_BYTES
from mergebar.traces import records, tolerant, yaml_messages
from mergebar.traces.parsers import PARSERS

_MOST_OPEN = 16


class FileContents:
    """Reads each record when it is asked for, and keeps the last one. Close it, or use `with`.

    `path` is the trace's own; the files of its sub-agents are found from there.
    """

    def __init__(self, session: Session, path: Path) -> None:
        self._session = session
        self._parser = PARSERS[session.format]
        self._root = path
        self._open: dict[int, BinaryIO] = {}
        self._last: tuple[tuple[int, int, int], JsonObject] | None = None
        self._messages: list[Json] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every file."""
        for file in self._open.values():
            file.close()
        self._open.clear()

    def text(self, event: int, /) -> str:
        """What an event says; arguments of a call and a structured output as compact JSON."""
        value = self._words(event)
        if isinstance(value, str):
            return value
        return "" if value is None else _compact(value)

    def arguments(self, call: int, /) -> Json:
        """What a tool was called with: an object, or the text that should have been one."""
        return self._words(self._session.calls[call].event)

    def _words(self, index: int) -> Json:
        event = self._session.events[index]
        source = self._session.branches[event.branch].source
        record = self._record((source, event.offset, event.length))
        return self._parser.words(record, event.part, event.kind)

    def _record(self, place: tuple[int, int, int]) -> JsonObject:
        if self._last is None or self._last[0] != place:
            self._last = (place, self._read(*place))
        return self._last[1]

    def _read(self, source: int, offset: int, length: int) -> JsonObject:
        try:
            file = self._file(source)
            value = records.at(file, offset, length) if length else self._message(file, offset)
        except (OSError, tolerant.NotJsonError):
            value = None
        if isinstance(value, dict):
            return value
        name = self._session.sources[source]
        message = f"`{name}` changed while it was being graded: run again when it stands still"
        raise StopError(message, code=ExitCode.COULD_NOT_EVALUATE)

    def _message(self, file: BinaryIO, number: int) -> Json:
        """A message of a YAML file, which has a number in place of an offset."""
        if self._messages is None:
            file.seek(0)
            read = yaml_messages.read(file.read(MAX_BYTES))
            self._messages = read[1] if read else []
        return self._messages[number] if number < len(self._messages) else None

    def _file(self, source: int) -> BinaryIO:
        file = self._open.get(source)
        if file is None:
            if len(self._open) >= _MOST_OPEN:
                self.close()
            file = self._open[source] = self._path(source).open("rb")
        return file

    def _path(self, source: int) -> Path:
        """Where a source is: names differ from the trace's own in what follows its folder."""
        if not source:
            return self._root
        own = self._session.sources[0].rpartition("/")[0]
        name = self._session.sources[source]
        return self._root.parent / (name.removeprefix(f"{own}/") if own else name)


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
