"""What services say in their replies in, in short: errors as words, usage as counts out."""

from mergebar.model.bounds import MOST_TOKENS, MOST_USD
from mergebar.model.text import JsonObject

SHOWN = 200
_KEYS = ("message", "error", "detail", "errors", "msg", "error_description", "title", "description")
_DEEPEST = 20


def one_line(text: str, length: int = SHOWN) -> str:
    """Without line breaks, and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def error_text(error: object, *, body: bytes = b"") -> str:
    """What an error object says, in one short line; else how the body begins that it was in."""
    return _said(error, _DEEPEST) or begins(body) or "no message"


def _said(error: object, depth: int) -> str:
    """The first text that says something; of a list, what the first of its entries says."""
    if isinstance(error, str):
        return one_line(error)
    if depth == 0 or not isinstance(error, dict | list):
        return ""
    parts = error[:1] if isinstance(error, list) else [error.get(key) for key in _KEYS]
    return next((said for part in parts if (said := _said(part, depth - 1))), "")


def filtered(value: object) -> str:
    """The categories that a content filter names, as Azure reports them; maybe none."""
    if not isinstance(value, dict):
        return ""
    hit = [
        str(category)
        for category, found in value.items()
        if isinstance(found, dict) and found.get("filtered") is True
    ]
    return f" ({', '.join(sorted(hit))})" if hit else ""


def count(value: object) -> int | None:
    """A number of tokens, where it is one that can be believed."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def cost(value: object) -> float | None:
    """An amount of dollars, likewise."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= MOST_USD else None


def begins(body: bytes) -> str:
    """The beginning of what is no JSON, for a message."""
    shown = one_line(body[: 4 * 60].decode("utf-8", "replace"), 60)
    return shown if len(body) <= 4 * 60 or shown.endswith("…") else f"{shown}…"


def keys(value: JsonObject) -> str:
    """The keys of an object, as code, at most a few; for a message."""
    names = sorted(value)
    shown = ", ".join(f"`{one_line(name, 40)}`" for name in names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown  # noqa: PLR2004
