"""The bytes of a JSON file in, its value and the places of its nodes out, or every problem."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json
from mergebar.reading import encoding, json_faults
from mergebar.reading.json_positions import JsonPositions
from mergebar.reading.limits import MAX_DEPTH

_MOST_DIGITS = 308
"""An integer of so many digits is within a double; a longer one may not be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonText:
    """A JSON text that can be used; `problems` are notices."""

    value: Json
    positions: JsonPositions
    problems: tuple[Problem, ...]


def parse(data: bytes, *, path: str, prefix: str = "document") -> JsonText | tuple[Problem, ...]:
    """Read strict JSON (RFC 8259) in UTF-8, within our limits. Rules begin with `prefix`."""
    decoded = encoding.decode(data, path=path, prefix=prefix)
    if isinstance(decoded, Problem):
        return (decoded,)
    text = decoded.text
    if not text.strip():
        return (*decoded.problems, _empty(path=path, prefix=prefix))
    try:
        value: Json = _STRICT.decode(text)
    except (ValueError, RecursionError):
        return (*decoded.problems, *json_faults.find(text, path=path, prefix=prefix))
    if _is_doubtful(text, value):
        faults = json_faults.find(text, path=path, prefix=prefix)
        if faults:
            return (*decoded.problems, *faults)
    return JsonText(value=value, positions=JsonPositions(text), problems=decoded.problems)


def _empty(*, path: str, prefix: str) -> Problem:
    return Problem(
        level=Level.ERROR,
        rule=f"{prefix}/empty",
        message="the file is empty: nothing stands in it but white space",
        path=path,
        line=1,
        column=1,
    )


def _is_doubtful(text: str, value: Json) -> bool:
    """Whether what the decoder let through needs the slow look for faults."""
    return _is_too_deep(value) or ("\\u" in text and json_faults.has_lone_surrogate(text))


def _is_too_deep(value: Json) -> bool:
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node) if child.__class__ in _NESTS]
        if not level:
            return False
    return True


_NESTS = (dict, list)


def _children(node: Json) -> Sequence[Json]:
    if isinstance(node, dict):
        return list(node.values())
    return node if isinstance(node, list) else ()


class _RefusedError(ValueError):
    """The decoder met what JSON allows or Python tolerates, and we don't."""


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RefusedError
    return found


def _finite(literal: str) -> float:
    number = float(literal)
    if math.isinf(number):
        raise _RefusedError
    return number


def _bounded(literal: str) -> int:
    if len(literal) > _MOST_DIGITS:
        _finite(literal)
    return int(literal)


def _refuse(_constant: str) -> Json:
    raise _RefusedError


_STRICT = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_int=_bounded, parse_constant=_refuse
)
