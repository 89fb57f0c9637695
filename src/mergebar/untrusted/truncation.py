"""Text that is too long: text and a limit in, text within the limit out, cut where it is safe.

Cut before escaping, never after it: an entity or a fence that is cut in half is broken.
"""

import unicodedata

ELLIPSIS = "…"
_JOINER = "\u200d"
_MODIFIERS = range(0x1F3FB, 0x1F400)


def _clings(char: str) -> bool:
    """Whether a character belongs to the one before it."""
    return char == _JOINER or unicodedata.category(char).startswith("M") or ord(char) in _MODIFIERS


def _safe_end(text: str, end: int) -> int:
    """The last place at or before `end` that doesn't cut a letter from its accents.

    Gives up after a few characters: a text may be nothing but accents.
    """
    for place in range(end, max(end - 16, 0), -1):
        if not _clings(text[place]) and text[place - 1] != _JOINER:
            return place
    return end


def characters(text: str, limit: int) -> str:
    """At most `limit` characters, with an ellipsis in place of what was cut."""
    if len(text) <= limit:
        return text
    if limit < len(ELLIPSIS):
        return ""
    return text[: _safe_end(text, limit - len(ELLIPSIS))].rstrip() + ELLIPSIS


def utf8(text: str, limit: int) -> str:
    """At most `limit` bytes of UTF-8, with an ellipsis in place of what was cut."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= limit:
        return data.decode("utf-8")
    room = limit - len(ELLIPSIS.encode())
    if room < 0:
        return ""
    kept = data[:room].decode("utf-8", "ignore")
    whole = data.decode("utf-8")
    return whole[: _safe_end(whole, len(kept))].rstrip() + ELLIPSIS
