"""What the rules found, by pointer into the document in, problems with lines and columns out."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from mergebar.identity import label
from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json
from mergebar.reading.pointers import Pointer as Pointer
from mergebar.reading.pointers import child
from mergebar.reading.positions import Positions

_QUOTED_LENGTH = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A problem whose place is still a pointer into the document in its current shape.

    `on_key` places it at the key instead of the value. `see` is a second place, whose line the
    message ends with.
    """

    level: Level
    rule: str
    message: str
    pointer: Pointer
    on_key: bool = False
    see: Pointer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """How a pointer becomes a line and a column.

    `positions` knows the file as written; `origin` leads from the current shape back to it.
    """

    path: str
    positions: Positions
    origin: Callable[[Pointer], Pointer]

    def find(self, pointer: Pointer, *, on_key: bool = False) -> tuple[int, int]:
        """The line and the column, from 1."""
        origin = self.origin(pointer)
        named = on_key and bool(origin) and isinstance(origin[-1], str)
        return self.positions.locate(origin, key=named)


def error(rule: str, message: str, pointer: Pointer, *, on_key: bool = False) -> Finding:
    return Finding(level=Level.ERROR, rule=rule, message=message, pointer=pointer, on_key=on_key)


def warning(rule: str, message: str, pointer: Pointer, *, on_key: bool = False) -> Finding:
    return Finding(level=Level.WARNING, rule=rule, message=message, pointer=pointer, on_key=on_key)


def to_problems(found: Iterable[Finding], *, root: Json, places: Places) -> tuple[Problem, ...]:
    """Place the findings, name the item of each, and put them in the order of the file.

    A warning that many items bring up in the same words is told once, with their number.
    """
    placed = [_place(finding, root, places) for finding in _gathered(found)]
    return tuple(sorted(placed, key=lambda problem: (problem.line or 0, problem.column or 0)))


def _gathered(found: Iterable[Finding]) -> Iterable[Finding]:
    groups: dict[tuple[Level, str, str, object], list[Finding]] = {}
    for finding in found:
        same = None if finding.level is Level.WARNING else finding.pointer
        key = (finding.level, finding.rule, finding.message, same)
        groups.setdefault(key, []).append(finding)
    for first, *others in groups.values():
        if not others or first.level is not Level.WARNING:
            yield first
            continue
        more = f"{len(others)} more place{'s' if len(others) > 1 else ''}"
        yield replace(first, message=f"{first.message} (and at {more})")


def _place(finding: Finding, root: Json, places: Places) -> Problem:
    line, column = places.find(finding.pointer, on_key=finding.on_key)
    message = _subject(finding.pointer, root) + finding.message
    if finding.see is not None:
        message += f", on line {places.find(finding.see)[0]}"
    return Problem(
        level=finding.level,
        rule=finding.rule,
        message=message,
        path=places.path,
        line=line,
        column=column,
    )


def _subject(pointer: Pointer, root: Json) -> str:
    """Which item, and which turn of it, as a person counts: from 1, with its first words."""
    if len(pointer) < 2 or pointer[0] != "items" or not isinstance(pointer[1], int):  # noqa: PLR2004 - `items` and an index
        return ""
    item = child(child(root, "items"), pointer[1])
    name = f"item {pointer[1] + 1}"
    match pointer[2:]:
        case ["turns", int(turn), *_]:
            return f"{name}, turn {turn + 1}{_quote(child(child(item, 'turns'), turn))}: "
        case _:
            return f"{name}{_quote(item)}: "


def _quote(item: Json) -> str:
    text = child(item, "name") or child(item, "prompt")
    if not isinstance(text, str):
        return ""
    line = label(text)
    short = line if len(line) <= _QUOTED_LENGTH else line[: _QUOTED_LENGTH - 1].rstrip() + "…"
    return f' ("{short}")' if short else ""
