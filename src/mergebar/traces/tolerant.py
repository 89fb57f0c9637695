"""The bytes of one record in, its JSON value out, as lenient as JavaScript's own parsers are.

Half of an emoji, `NaN`, a repeated key or a byte that isn't UTF-8 doesn't lose a record.
"""

import json
import re
from typing import cast

import orjson

from mergebar.model.text import Json

_BOM = "\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_REMAINS = re.compile(r"""["\]}]\s*[:,\]}]|[{\[]\s*["{\[]|[\x00-\x08\x0e-\x1f]""")
_MOST_VALUES = 100_000


class NotJsonError(ValueError):
    """The bytes are no JSON value."""


def parse(data: bytes) -> Json:
    """Read one value. Raises NotJsonError."""
    try:
        return cast("Json", orjson.loads(data))
    except orjson.JSONDecodeError:
        return _lenient(decode(data))


def decode(data: bytes) -> str:
    """The text without its byte order mark; a byte that isn't UTF-8 becomes a lone surrogate.

    So the same number of bytes can be made of it again.
    """
    return data.decode("utf-8", "surrogateescape").removeprefix(_BOM)


def consecutive(text: str) -> tuple[list[tuple[int, int, Json]], int]:
    """The values that follow one another in a text: (start, end, value) each.

    Also where reading ended: the length of the text, if all of it is JSON and not too many values.
    """
    found: list[tuple[int, int, Json]] = []
    at = skip_blanks(text, 0)
    while at < len(text) and len(found) < _MOST_VALUES:
        try:
            value, end = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return found, at
        found.append((at, end, clean(value)))
        at = skip_blanks(text, end)
    return found, at


def holds_remains(line: bytes) -> bool:
    """Whether what can't be read was a record once: a line of plain text never was."""
    try:
        return _REMAINS.search(line.decode()) is not None
    except UnicodeDecodeError:
        return True


def skip_blanks(text: str, at: int) -> int:
    """The next place that isn't white space in JSON's sense."""
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def clean(value: Json) -> Json:
    """The value without lone surrogates, which no file and no terminal can hold."""
    if isinstance(value, str):
        return _SURROGATE.sub(_REPLACEMENT, value)
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {_SURROGATE.sub(_REPLACEMENT, key): clean(item) for key, item in value.items()}
    return value


def _lenient(text: str) -> Json:
    try:
        return clean(cast("Json", json.loads(text, parse_constant=_nothing)))
    except (ValueError, RecursionError) as error:
        raise NotJsonError(str(error)) from None


def _nothing(_: str) -> None:
    """What `NaN` and the infinities are read as."""


_BLANKS = re.compile(r"[ \t\n\r]*")
DECODER = json.JSONDecoder(parse_constant=_nothing)
