"""The bytes of a TOML text in, its value and the places of its keys out, or what is wrong."""

import math
import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json
from mergebar.reading.limits import MAX_DEPTH
from mergebar.reading.positions import Plain
from mergebar.reading.sentences import quoted

_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_HEADER = re.compile(r"\s*+(\[\[?)\s*+([^\[\]#]++)\]\]?\s*+(?:#.*)?$")
_KEY = re.compile(
    r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*="
)
_STEP = re.compile(r"[\w-]+|\"[^\"]*\"|'[^']*'")

_Pointer = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlText:
    """A TOML text that can be used. A date or a time is a text in `value`."""

    value: dict[str, Json]
    positions: "TomlPositions"


class TomlPositions:
    """Places of keys that begin a line; what stands within a line has that of its key."""

    __slots__ = ("_dates", "_places")

    def __init__(self, text: str, *, dates: dict[_Pointer, str]) -> None:
        self._dates = dates
        self._places: dict[_Pointer, tuple[int, int]] = {(): (1, 1)}
        for pointer, line, column in _keys(text):
            self._places.setdefault(pointer, (line, column))

    def locate(self, pointer: Sequence[str | int], *, key: bool = False) -> tuple[int, int]:
        """Line and column of the key at `pointer`, or of its deepest ancestor with a place."""
        steps = tuple(pointer)
        while steps not in self._places:
            steps = steps[:-1]
        line, column = self._places[steps]
        return (line, column) if key or steps else (line, 1)

    def plain(self, pointer: Sequence[str | int]) -> Plain | None:
        """How a date or a time is written."""
        text = self._dates.get(tuple(pointer))
        return None if text is None else Plain(text=text, rest="")


def parse(text: str, *, path: str, prefix: str) -> TomlText | tuple[Problem, ...]:
    """Read TOML 1.0. Rules begin with `prefix`."""
    dates: dict[_Pointer, str] = {}
    endless: list[_Pointer] = []
    try:
        value = tomllib.loads(text)
        clean = {key: _json(child, (key,), dates, endless) for key, child in value.items()}
    except tomllib.TOMLDecodeError as error:
        return (_broken(error, text, path=path, prefix=prefix),)
    except (RecursionError, ValueError):
        sentence = "lists are nested too deep, or a number is too long: simplify it"
        return (_problem(f"{prefix}/too-deep", sentence, path, (1, 1)),)
    positions = TomlPositions(text, dates=dates)
    if endless:
        sentence = "no finite number: write one, or leave the key out"
        return tuple(
            _problem(f"{prefix}/non-finite-number", sentence, path, positions.locate(pointer))
            for pointer in endless
        )
    return TomlText(value=clean, positions=positions)


def _broken(error: tomllib.TOMLDecodeError, text: str, *, path: str, prefix: str) -> Problem:
    said = str(error)
    match = _PLACE.search(said)
    if match is None or match[1] is None:
        sentence = "what begins here is never closed: add its `]`, `}` or quotes"
        place = _unclosed(text)
    else:
        sentence = f"{said[:1].lower()}{said[1 : match.start()]}"
        place = int(match[1]), int(match[2])
    return _problem(f"{prefix}/toml-syntax", f"invalid TOML: {sentence}", path, place)


def _unclosed(text: str) -> tuple[int, int]:
    """The last key in front of which the text could end: what begins there is what goes on."""
    lines = text.split("\n")
    places = sorted({(line, column) for _, line, column in _keys(text)})

    def is_broken(place: tuple[int, int]) -> int:
        try:
            tomllib.loads("\n".join(lines[: place[0] - 1]))
        except ValueError:
            return 1
        return 0

    broken = bisect_left(places, 1, key=is_broken)
    return places[broken - 1] if broken else (1, 1)


def _problem(rule: str, message: str, path: str, place: tuple[int, int]) -> Problem:
    return Problem(
        level=Level.ERROR, rule=rule, message=message, path=path, line=place[0], column=place[1]
    )


def _json(
    value: object, pointer: _Pointer, dates: dict[_Pointer, str], endless: list[_Pointer]
) -> Json:
    if len(pointer) > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        return {
            str(key): _json(child, (*pointer, str(key)), dates, endless)
            for key, child in value.items()
        }
    if isinstance(value, list):
        return [
            _json(child, (*pointer, index), dates, endless) for index, child in enumerate(value)
        ]
    if isinstance(value, date | time):
        dates[pointer] = value.isoformat()
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        endless.append(pointer)
        return None
    return value if isinstance(value, str | int | float) else quoted(str(value))


def _keys(text: str) -> Iterator[tuple[_Pointer, int, int]]:
    """Keys that begin a line, each with all steps that lead to it."""
    table: _Pointer = ()
    counts: dict[_Pointer, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        header = _HEADER.match(line)
        if header is not None:
            table = _steps(header[2])
            if header[1] == "[[":
                index = counts[table] = counts.get(table, -1) + 1
                yield table, number, header.start(2) + 1
                table = (*table, index)
            yield table, number, header.start(2) + 1
            continue
        key = _KEY.match(line)
        if key is not None:
            yield (*table, *_steps(key[1])), number, key.start(1) + 1


def _steps(name: str) -> _Pointer:
    return tuple(step.strip("\"'") for step in _STEP.findall(name))
