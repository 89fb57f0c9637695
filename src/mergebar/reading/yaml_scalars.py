"""The text of a YAML scalar in, the value that YAML 1.2's core schema gives it out."""

import math
import re

Scalar = str | int | float | bool | None

_FIRST = frozenset("~nNtTfF+-.0123456789")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("null", "Null", "NULL", "~", "")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER = re.compile(
    r"(?P<int>[-+]?[0-9]++)"
    r"|0o(?P<octal>[0-7]++)"
    r"|0x(?P<hex>[0-9a-fA-F]++)"
    r"|(?P<float>[-+]?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)(?:[eE][-+]?[0-9]++)?)"
    r"|(?P<inf>[-+]?\.(?:inf|Inf|INF))"
    r"|(?P<nan>\.(?:nan|NaN|NAN))"
)
_MOST_BITS = 1024
_MOST_DIGITS = 308

_TAG = "tag:yaml.org,2002:"
_TAGGED: dict[str, tuple[type, ...]] = {
    f"{_TAG}null": (type(None),),
    f"{_TAG}bool": (bool,),
    f"{_TAG}int": (int,),
    f"{_TAG}float": (float, int),
}
STRING_TAGS = frozenset({"!", f"{_TAG}str"})
MAPPING_TAGS = frozenset({"!", f"{_TAG}map"})
SEQUENCE_TAGS = frozenset({"!", f"{_TAG}seq"})


def plain(text: str) -> Scalar:
    """An unquoted scalar. What is no finite number comes out as an infinity or NaN."""
    if text and text[0] not in _FIRST:
        return text
    if text in _WORDS:
        return _WORDS[text]
    match = _NUMBER.fullmatch(text)
    return _number(text, match) if match else text


def is_known(tag: str) -> bool:
    """Whether a tag of a scalar belongs to the core schema."""
    return tag in STRING_TAGS or tag in _TAGGED


def tagged(text: str, tag: str) -> Scalar | ValueError:
    """A scalar with a tag of the core schema, or the error that its text isn't of that kind."""
    if tag in STRING_TAGS:
        return text
    value = plain(text)
    if type(value) not in _TAGGED[tag]:
        return ValueError(text)
    return float(value) if tag == f"{_TAG}float" and isinstance(value, int) else value


def _number(text: str, match: re.Match[str]) -> int | float:
    if match["nan"]:
        return math.nan
    if match["inf"]:
        return -math.inf if text[0] == "-" else math.inf
    if match["float"]:
        return float(text)
    if match["int"] and len(text) > _MOST_DIGITS and math.isinf(float(text)):
        return math.inf
    number = int(text, 0) if match["octal"] or match["hex"] else int(text)
    return math.inf if number.bit_length() > _MOST_BITS else number
