"""Characters that hide or steer: text in, the same text with each of them spelled out, out."""

import re

from mergebar.untrusted import truncation

_LOOK = 16
"""How many times the limit is looked at: a text of blanks alone is not worth more."""

LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"

# Unicode's control and format characters (bidi controls, zero-width characters, tags), lone
# surrogates, and the letters, marks and selectors that draw nothing. The emoji selectors
# U+FE0E and U+FE0F stay: they carry no text of their own and people use them.
_HIDDEN_RANGES = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x034F, 0x034F), (0x0600, 0x0605),
    (0x061C, 0x061C), (0x06DD, 0x06DD), (0x070F, 0x070F), (0x0890, 0x0891), (0x08E2, 0x08E2),
    (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E),
    (0x2060, 0x206F), (0x3164, 0x3164), (0xD800, 0xDFFF), (0xFE00, 0xFE0D), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0x110BD, 0x110BD), (0x110CD, 0x110CD),
    (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip

_HIDDEN = re.compile("[" + "".join(f"{chr(a)}-{chr(z)}" for a, z in _HIDDEN_RANGES) + "]")
_BREAKS = re.compile(r"\r\n|[" + re.escape(LINE_BREAKS) + "]")


def _spell(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point <= 0xFF:  # noqa: PLR2004 - what two hexadecimal digits hold
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004 - four digits


def reveal(text: str, *, limit: int | None = None) -> str:
    r"""Spell out what hides: `\x1b`, `\u202e`. Every kind of line break becomes `\n`; tabs stay.

    The result has at most `limit` characters.
    """
    if limit is None:
        return _HIDDEN.sub(_spell, _BREAKS.sub("\n", text))
    # Spelling out never shortens but for `\r\n`, so that twice the limit is enough to look at.
    seen = text[: 2 * limit + 2]
    return truncation.characters(_HIDDEN.sub(_spell, _BREAKS.sub("\n", seen)), limit)


def line(text: str, *, limit: int | None = None) -> str:
    """The same on one line: line breaks and runs of blanks become one blank, the ends none."""
    if limit is None:
        return " ".join(reveal(text).split())
    seen = text[: _LOOK * limit]
    shown = " ".join(reveal(seen).split())
    cut = truncation.ELLIPSIS if len(seen) < len(text) and len(shown) < limit else ""
    return truncation.characters(shown, limit) + cut
