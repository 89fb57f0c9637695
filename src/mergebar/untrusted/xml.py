"""Text for XML 1.0: any text in, text out that is safe as content and in a quoted attribute.

XML 1.0 can't hold most control characters, not even escaped: they are spelled out.
"""

import re

from mergebar.untrusted import characters

_FORBIDDEN = re.compile("[\ufffe\uffff]")
_ENTITIES = str.maketrans({
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;",
})  # fmt: skip


def text(value: str) -> str:
    """Content of an element; line breaks and tabs stay."""
    shown = _FORBIDDEN.sub(lambda match: f"\\u{ord(match.group()):04x}", characters.reveal(value))
    return shown.translate(_ENTITIES)


def attribute(value: str) -> str:
    """Value of an attribute, where a parser would turn a line break or a tab into a blank."""
    return text(value).replace("\n", "&#10;").replace("\t", "&#9;")
