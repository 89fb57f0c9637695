"""JSON that a machine wrote: bytes in, a value that is fit to keep out, or what is wrong with it.

Nothing is mended: whoever wrote it can write it right.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from mergebar.model.text import Json, JsonObject

MAX_DEPTH = 200
"""What documents may nest; results that hold replies have to be read again."""

_SAFE_DIGITS = 308
"""A whole number of so many digits is within a double."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why the bytes aren't JSON to keep. `line` counts from 1 where a place is known."""

    message: str
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """JSON of any kind."""

    value: Json


class _FaultError(ValueError):
    """Leaves the decoder with a message; it never leaves this module."""


def parse(data: bytes) -> JsonObject | Fault:
    """An object with finite numbers, no key twice, and text that can be written as UTF-8 again."""
    value = parse_any(data)
    if isinstance(value, Parsed):
        if isinstance(value.value, dict):
            return value.value
        return Fault(message=f"is {kind(value.value)}, not an object")
    return value


def parse_any(data: bytes) -> Parsed | Fault:
    """The same for any value."""
    try:
        return Parsed(value=_decode(data.decode("utf-8-sig")))
    except _FaultError as error:
        return Fault(message=str(error))
    except RecursionError:
        return Fault(message="is nested too deeply")
    except ValueError as error:
        return _syntax(error)


def _syntax(error: ValueError) -> Fault:
    if isinstance(error, UnicodeDecodeError):
        byte = error.object[error.start]
        return Fault(message=f"is not UTF-8: byte {error.start + 1} is 0x{byte:02x}")
    if isinstance(error, json.JSONDecodeError):
        what = error.msg[:1].lower() + error.msg[1:]
        return Fault(message=f"is not JSON: {what}", line=error.lineno, column=error.colno)
    return Fault(message="holds a number with too many digits")


def _decode(text: str) -> Json:
    value: Json = json.loads(
        text,
        parse_constant=_refuse_constant,
        object_pairs_hook=_distinct,
        parse_float=_finite,
        parse_int=_whole,
    )
    if text.count("{") + text.count("[") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise _FaultError("is nested too deeply")
    if "\\u" in text and _has_lone_surrogate(value):
        raise _FaultError("holds half of a surrogate pair, which is no character")
    return value


def _refuse_constant(name: str) -> Json:
    raise _FaultError(f"holds `{name}`, which is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise _FaultError(f"holds `{digits[:20]}`, which is too large a number")
    return number


def _whole(digits: str) -> int:
    """Whole numbers are bounded as others are: what is kept has to be read again."""
    if len(digits) > _SAFE_DIGITS:
        _finite(digits)
    return int(digits)


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _FaultError(f"has the key `{key}` twice in one object")
            seen.add(key)
    return value


def _depth(value: Json) -> int:
    depth, level = 0, [value]
    while level := [part for whole in level for part in _parts(whole)]:
        depth += 1
    return depth


def _parts(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _has_lone_surrogate(value: Json) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def kind(value: Json) -> str:
    """What kind of JSON it is, with its article."""
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(value), "null")
