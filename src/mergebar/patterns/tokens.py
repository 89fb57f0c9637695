"""One glob as text in, its tokens out, or a sentence that says why it can't be read."""

import re
from dataclasses import dataclass
from typing import TypeAlias

_POSIX_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t-\r ",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_POSIX_CLASS = re.compile(r"\[:([^\[\]]*):\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """A character that stands for itself."""

    char: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stars:
    """A run of `*`."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyChar:
    """A `?`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CharClass:
    """A bracket expression; `body` is what stands between the brackets of a regular expression."""

    body: str
    negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Separator:
    """A `/`, which no wildcard but `**` matches."""


Token: TypeAlias = Literal | Stars | AnyChar | CharClass | Separator


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """Why a glob can't be read: the second half of a sentence that starts with the glob."""

    reason: str


def tokenize(pattern: str) -> tuple[Token, ...] | Malformed:
    """Read a glob without its leading `!`."""
    tokens: list[Token] = []
    index = 0
    while index < len(pattern):
        read = _next(pattern, index)
        if isinstance(read, Malformed):
            return read
        token, index = read
        tokens.append(token)
    return tuple(tokens)


def _next(pattern: str, index: int) -> tuple[Token, int] | Malformed:
    char = pattern[index]
    if char == "[":
        return _char_class(pattern, index)
    if char == "*":
        end = index
        while end < len(pattern) and pattern[end] == "*":
            end += 1
        return Stars(count=end - index), end
    if char == "?":
        return AnyChar(), index + 1
    if char == "\\":
        index += 1
        if index == len(pattern):
            return Malformed(reason=r"ends in a `\` that escapes nothing: remove it")
        char = pattern[index]
    return (Separator() if char == "/" else Literal(char=char)), index + 1


def _char_class(pattern: str, start: int) -> tuple[Token, int] | Malformed:
    index = start + 1
    negated = pattern[index : index + 1] in {"!", "^"}
    index += negated
    first = index
    parts: list[str] = []
    while index == first or pattern[index : index + 1] != "]":
        member = _member(pattern, index)
        if isinstance(member, Malformed):
            return member
        part, index = member
        parts.append(part)
    return CharClass(body="".join(parts), negated=negated), index + 1


def _member(pattern: str, index: int) -> tuple[str, int] | Malformed:
    named = _POSIX_CLASS.match(pattern, index)
    if named:
        return _named_class(named)
    low = _char(pattern, index)
    if low is None:
        return Malformed(reason=r"has a `[` without its `]`: close it, or write `\[` for a bracket")
    char, index = low
    if pattern[index : index + 1] != "-" or pattern[index + 1 : index + 2] in {"", "]"}:
        return re.escape(char), index
    high = _char(pattern, index + 1)
    if high is None:
        return Malformed(reason=r"ends in a `\` that escapes nothing: remove it")
    last, index = high
    if last < char:
        return Malformed(reason=f"has the range `{char}-{last}`, which is the wrong way round")
    return f"{re.escape(char)}-{re.escape(last)}", index


def _named_class(named: re.Match[str]) -> tuple[str, int] | Malformed:
    name = named[1]
    if name not in _POSIX_CLASSES:
        known = ", ".join(f"`{known}`" for known in _POSIX_CLASSES)
        return Malformed(reason=f"names the character class `{name}`; known are {known}")
    return _POSIX_CLASSES[name], named.end()


def _char(pattern: str, index: int) -> tuple[str, int] | None:
    if pattern[index : index + 1] == "\\":
        index += 1
    if index >= len(pattern):
        return None
    return pattern[index], index + 1
