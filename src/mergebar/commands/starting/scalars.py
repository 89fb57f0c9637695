"""Any text in, a text out that means just that where a template of ours puts it."""

import re

_ESCAPED = re.compile(r"[*?\[\\!{$]| (?= *\Z)")
"""Spaces at the end of a pattern count for nothing unless they are escaped."""
_EXPRESSION = "${{"


def yaml(text: str) -> str:
    """A double-quoted YAML scalar on one line, in which nothing is invisible."""
    return '"' + "".join(_spelled(char) for char in text) + '"'


def glob(path: str) -> str:
    """A pattern that matches this path alone; no part of it reads the environment either."""
    escaped = _ESCAPED.sub(r"\\\g<0>", path)
    return escaped if "/" in escaped else f"/{escaped}"


def unevaluated(text: str) -> str:
    """A text in which GitHub finds no expression of the text's own.

    An expression that yields the dollar takes its place; what expressions yield isn't read again.
    """
    return text.replace(_EXPRESSION, "${{ '$' }}{{")


def is_text(path: str) -> bool:
    """Whether a name can be written down: bytes that aren't UTF-8 are lone surrogates in it."""
    return not any("\ud800" <= char <= "\udfff" for char in path)


def _spelled(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - four digits
