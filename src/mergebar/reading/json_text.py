"""The bytes of a JSON file in, its value and the places of its nodes out, or every problem."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json
from mergebar.reading import encoding, json_faults
from mergebar.reading.encoding import Decoded
from mergebar.reading.json_positions import JsonPositions
from mergebar.reading.limits import MAX_DEPTH

_MOST_DIGITS = 308
"""An integer of so many digits is within a double; a longer one may not be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonText:
    """A JSON text that can be used; `problems` are notices, or what `read_past` asked for."""

    value: Json
    positions: JsonPositions
    problems: tuple[Problem, ...]


def parse(
    data: bytes, *, path: str, prefix: str = "document", read_past: bool = False
) -> JsonText | tuple[Problem, ...]:
    """Read strict JSON (RFC 8259) in UTF-8, within our limits. Rules begin with `prefix`.

    With `read_past`, a text whose faults leave no doubt about the rest of it comes out with its
    errors, so that more can be said of it: a key given twice counts as first given, and what is no
    number as `null`.
    """
    decoded = encoding.decode(data, path=path, prefix=prefix)
    if isinstance(decoded, Problem):
        return (decoded,)
    text = decoded.text
    if not text.strip():
        return (*decoded.problems, _empty(path=path, prefix=prefix))
    try:
        value: Json = _STRICT.decode(text)
    except (ValueError, RecursionError):
        return _refused(decoded, path, prefix, read_past=read_past)
    if _is_doubtful(text, value):
        return _refused(decoded, path, prefix, read_past=read_past)
    return JsonText(value=value, positions=JsonPositions(text), problems=decoded.problems)


def _refused(
    decoded: Decoded, path: str, prefix: str, *, read_past: bool
) -> JsonText | tuple[Problem, ...]:
    found = json_faults.find(decoded.text, path=path, prefix=prefix)
    problems = (*decoded.problems, *found.problems)
    if not read_past or found.readable is None:
        return problems
    try:
        value: Json = _LENIENT.decode(found.readable)
    except RecursionError:
        return problems
    if _is_too_deep(value):
        return problems
    return JsonText(value=value, positions=JsonPositions(found.readable), problems=problems)


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


def _first(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    return dict(reversed(pairs)) if len(dict(pairs)) != len(pairs) else dict(pairs)


def _number(literal: str) -> float | None:
    number = float(literal)
    return None if math.isinf(number) else number


def _whole(literal: str) -> int | None:
    return None if _number(literal) is None else int(literal)


def _no_number(_constant: str) -> Json:
    return None


_LENIENT = json.JSONDecoder(
    object_pairs_hook=_first, parse_float=_number, parse_int=_whole, parse_constant=_no_number
)
