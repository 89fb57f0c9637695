"""A file in, its records one by one out: each a JSON object with its place.

Whatever can't be read is counted in `Faults` and left out. No more than one line is in memory.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import BinaryIO, TypeAlias, cast

import orjson

from mergebar.model.text import Json
from mergebar.traces import tolerant
from mergebar.traces.faults import LINE_LIMIT, Faults

Record: TypeAlias = tuple[int, int, int, dict[str, Json]]
"""Offset and length in bytes, line from 1, value."""

_CHUNK = 1024 * 1024


def lines(file: BinaryIO, faults: Faults) -> Iterator[Record]:
    """One record per line, from where the file stands at."""
    offset = 0
    loads = orjson.loads
    for number, raw in enumerate(iter(partial(file.readline, LINE_LIMIT + 1), b""), start=1):
        length = len(raw)
        if length > LINE_LIMIT:
            length += _skip_line(file, raw)
            faults.note_long(number, length, at=offset)
        else:
            try:
                value = loads(raw)
            except orjson.JSONDecodeError:
                yield from _mended(raw, offset, number, faults)
            else:
                if type(value) is dict:
                    faults.readable += 1
                    yield offset, length, number, value
                else:
                    remains = isinstance(value, list)
                    faults.note_malformed(number, at=offset, remains=remains)
        offset += length


def spans(data: bytes, places: Iterable[tuple[int, int, int]], faults: Faults) -> Iterator[Record]:
    """The records at (offset, length, line) of a file that is in memory."""
    for offset, length, line in places:
        try:
            value = tolerant.parse(data[offset : offset + length])
        except tolerant.NotJsonError:
            value = None
        if isinstance(value, dict):
            faults.readable += 1
            yield offset, length, line, value
        else:
            remains = tolerant.holds_remains(data[offset : offset + length])
            faults.note_malformed(line, at=offset, remains=remains)


def at(file: BinaryIO, offset: int, length: int) -> Json:
    """Read one record again. Raises NotJsonError where the file isn't what it was."""
    file.seek(offset)
    return tolerant.parse(file.read(length))


def _skip_line(file: BinaryIO, raw: bytes) -> int:
    """Move behind the end of a line of which the beginning was read; how many bytes that was."""
    if raw.endswith(b"\n"):
        return 0
    skipped = 0
    for chunk in iter(partial(file.readline, _CHUNK), b""):
        skipped += len(chunk)
        if chunk.endswith(b"\n"):
            break
    return skipped


def _mended(raw: bytes, offset: int, number: int, faults: Faults) -> Iterator[Record]:
    """The objects of a line that isn't plain JSON: none, one that is a little odd, or several."""
    if not raw.strip():
        return
    text = tolerant.decode(raw)
    found, end = tolerant.consecutive(text)
    objects = [each for each in found if isinstance(each[2], dict)]
    if len(found) > 1:
        faults.note_joined(number)
    if objects and not text.isascii() and not _is_utf8(raw):
        faults.note_damaged(number)
    if not objects or end < len(text):
        if raw.endswith(b"\n"):
            rest = text[end:].encode("utf-8", "surrogateescape")
            remains = tolerant.holds_remains(rest) or any(type(each[2]) is list for each in found)
            faults.note_malformed(number, at=offset, remains=remains)
        else:
            faults.cut_line = number
    head = len(raw) - len(text.encode("utf-8", "surrogateescape"))
    for start, stop, value in objects:
        faults.readable += 1
        before = head + len(text[:start].encode("utf-8", "surrogateescape"))
        size = len(text[start:stop].encode("utf-8", "surrogateescape"))
        yield offset + before, size, number, cast("dict[str, Json]", value)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
