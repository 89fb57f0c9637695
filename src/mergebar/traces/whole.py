"""A file that is one JSON value in, the values inside it with their places out.

What is cut off stops quietly: the caller sees that the text ended too early.
"""

from collections.abc import Iterator

from mergebar.model.text import Json
from mergebar.traces.tolerant import DECODER, clean, skip_blanks


def items(text: str, at: int) -> Iterator[tuple[int, int, Json]]:
    """The entries of the list that begins at `at`, as (start, end, value)."""
    if text[at : at + 1] != "[":
        return
    at = skip_blanks(text, at + 1)
    while at < len(text) and text[at] != "]":
        found = _value(text, at)
        if found is None:
            return
        yield at, found[1], found[0]
        at = _after(text, found[1])


def members(text: str, at: int) -> Iterator[tuple[str, int, int, Json]]:
    """The members of the object that begins at `at`, as (key, start, end, value).

    A last one whose value is cut off has the end of the text for its end, and `None` for a value.
    """
    if text[at : at + 1] != "{":
        return
    at = skip_blanks(text, at + 1)
    while at < len(text) and text[at] == '"':
        key = _value(text, at)
        if key is None or not isinstance(key[0], str):
            return
        at = skip_blanks(text, key[1])
        if text[at : at + 1] != ":":
            return
        at = skip_blanks(text, at + 1)
        value = _value(text, at)
        if value is None:
            yield key[0], at, len(text), None
            return
        yield key[0], at, value[1], value[0]
        at = _after(text, value[1])


def partial(text: str) -> Json:
    """As much as can be read of a text that was cut off; nested lists only one level deep."""
    at = skip_blanks(text, 0)
    if text[at : at + 1] == "[":
        return [value for _, _, value in items(text, at)]
    return {
        key: value if value is not None else [each for _, _, each in items(text, start)]
        for key, start, _, value in members(text, at)
    }


def locate(text: str, pointer: tuple[str | int, ...]) -> int | None:
    """Where the value begins that a pointer leads to."""
    at: int | None = skip_blanks(text, 0)
    for step in pointer:
        if at is None:
            return None
        at = _step(text, at, step)
    return at


class Bytes:
    """Places in a text as places in its bytes; ask in ascending order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ascii = text.isascii()
        self._char = self._byte = self._line = 0

    def at(self, char: int) -> tuple[int, int]:
        """The byte, and the line from 1, of a character."""
        passed = self._text[self._char : char]
        size = len(passed) if self._ascii else len(passed.encode("utf-8", "surrogateescape"))
        self._byte += size
        self._line += passed.count("\n")
        self._char = char
        return self._byte, self._line + 1


def _step(text: str, at: int, step: str | int) -> int | None:
    if isinstance(step, int):
        return next((start for n, (start, _, _) in enumerate(items(text, at)) if n == step), None)
    # A key that stands twice counts as its last value does.
    return next(
        (start for key, start, _, _ in reversed(list(members(text, at))) if key == step), None
    )


def _value(text: str, at: int) -> tuple[Json, int] | None:
    try:
        value, end = DECODER.raw_decode(text, at)
        return clean(value), end
    except (ValueError, RecursionError):
        return None


def _after(text: str, end: int) -> int:
    """The next entry's place: behind the comma, if there is one."""
    at = skip_blanks(text, end)
    return skip_blanks(text, at + 1) if text[at : at + 1] == "," else at
