"""The text of a valid JSON file and a pointer in, line and column out, scanning only on demand."""

import json
import re
from collections.abc import Iterator, Sequence

from mergebar.reading.lines import Lines

_SPACE = re.compile(r"[ \t\r\n]*+")
_COLON = re.compile(r"[ \t\r\n]*+:[ \t\r\n]*+")
_COMMA = re.compile(r"[ \t\r\n]*+,?[ \t\r\n]*+")
_SKIP = json.JSONDecoder(parse_int=float).raw_decode
"""Reads one value in C; where it ends is all that is wanted. An `int` has a limit of digits."""

_Place = tuple[int, int]
"""Offsets of the key (of the value itself in a list) and of the value."""


class _Container:
    """A list or object whose children are found one after the other, each once."""

    __slots__ = ("_ahead", "children")

    def __init__(self, text: str, offset: int) -> None:
        self.children: dict[str | int, _Place] = {}
        self._ahead = _CHILDREN[text[offset]](text, offset) if text[offset] in "[{" else iter(())

    def find(self, step: str | int) -> _Place | None:
        known = self.children.get(step)
        if known is not None:
            return known
        for name, place in self._ahead:
            self.children.setdefault(name, place)
            if name == step:
                return place
        return None


class JsonPositions:
    """Places in a valid JSON text. Nothing is scanned before it is asked for, and nothing twice.

    A key that is given twice stands where it is given first.

    Whoever asks for the items of a list in turn pays for one pass over them.
    """

    __slots__ = ("_containers", "_lines", "_start", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = Lines(text)
        self._start = _after_space(text, 0)
        self._containers: dict[int, _Container] = {}

    def locate(self, pointer: Sequence[str | int], *, key: bool = False) -> tuple[int, int]:
        """Line and column of the value at `pointer`, or with `key` of the key that names it.

        Where the pointer leads nowhere: those of its deepest ancestor that exists.
        """
        place, whole = self._find(pointer)
        return self._lines.at(place[0] if key and whole and pointer else place[1])

    def offset(self, pointer: Sequence[str | int]) -> int:
        """Where in the text the value at `pointer` begins, or its deepest ancestor that exists."""
        return self._find(pointer)[0][1]

    def _find(self, pointer: Sequence[str | int]) -> tuple[_Place, bool]:
        """The place, and whether the pointer leads there and not only near."""
        place = (self._start, self._start)
        for step in pointer:
            found = self._container(place[1]).find(step)
            if found is None:
                return place, False
            place = found
        return place, True

    def _container(self, offset: int) -> _Container:
        container = self._containers.get(offset)
        if container is None:
            container = self._containers[offset] = _Container(self._text, offset)
        return container


def _members(text: str, offset: int) -> Iterator[tuple[str | int, _Place]]:
    at = _after_space(text, offset + 1)
    while text[at] != "}":
        name, end = _SKIP(text, at)
        value = _past(_COLON, text, end)
        yield name, (at, value)
        at = _next(text, value)


def _elements(text: str, offset: int) -> Iterator[tuple[str | int, _Place]]:
    at = _after_space(text, offset + 1)
    index = 0
    while text[at] != "]":
        yield index, (at, at)
        index += 1
        at = _next(text, at)


def _next(text: str, value: int) -> int:
    """Past a value and the comma after it, if there is one."""
    return _past(_COMMA, text, _SKIP(text, value)[1])


def _after_space(text: str, offset: int) -> int:
    return _past(_SPACE, text, offset)


def _past(pattern: re.Pattern[str], text: str, offset: int) -> int:
    match = pattern.match(text, offset)
    return match.end() if match else offset


_CHILDREN = {"{": _members, "[": _elements}
