"""Values and names in, as they stand in a message out: backticked, on one line, not too long."""

import json
from collections.abc import Iterable, Sequence

from mergebar.model.text import Json, JsonObject

MOST_CHARACTERS = 60


def quoted(text: str) -> str:
    """Any text between backticks, as one line of at most 60 characters."""
    if not text.strip():
        return "white space" if text else "an empty string"
    line = "".join(char if char.isprintable() else " " for char in text[: MOST_CHARACTERS + 1])
    line = line.replace("`", "'")
    return f"`{line[: MOST_CHARACTERS - 1]}…`" if len(line) > MOST_CHARACTERS else f"`{line}`"


def shown(value: Json) -> str:
    """A value: strings as they are, all else as JSON."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict | list):
        return kind(value)
    return quoted(json.dumps(value))


def kind(value: Json) -> str:
    """What a value is, with its article."""
    for types, name in _KINDS:
        if isinstance(value, types):
            return name
    return "null"


_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "a boolean"),
    (str, "a string"),
    (int, "a number"),
    (float, "a number"),
    (list, "a list"),
    (dict, "an object"),
)


def listed(names: Iterable[str], *, most: int = 8) -> str:
    """Names between backticks, with commas; `…` for those beyond `most`."""
    shown_names = [quoted(name) for name in names]
    rest = ["…"] if len(shown_names) > most else []
    return ", ".join(shown_names[:most] + rest)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 check`, `2,400 checks`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def duration(seconds: float) -> str | None:
    """In the largest unit that it fills: `2 days`; `None` for less than a minute."""
    for length, unit in _UNITS:
        if seconds >= length:
            return counted(int(seconds // length), unit)
    return None


_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def either(options: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join([", ".join(options[:-1]), options[-1]] if len(options) > 1 else options)


def subject(schema: JsonObject, untitled: str = "this object") -> str:
    """What a schema describes, by its title; titles are written to stand in a sentence."""
    title = schema.get("title")
    return title if isinstance(title, str) else untitled


def placed(pointer: Sequence[str | int], *, whole: str, key: bool = False) -> str:
    """A node by the key that leads to it: the place itself is told apart."""
    if key:
        return f"the key {quoted(str(pointer[-1]))}"
    if not pointer:
        return whole
    last = pointer[-1]
    if isinstance(last, str):
        return quoted(last)
    names = [step for step in pointer if isinstance(step, str)]
    return f"entry {last + 1}" + (f" of {quoted(names[-1])}" if names else "")
