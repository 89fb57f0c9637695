"""Values in; the phrases that reasons, notes and loosened evidence are made of, out."""

from collections.abc import Collection

NONE = "none"


def code(text: str | None) -> str:
    """A name in backticks; what doesn't exist has none."""
    return NONE if text is None else f"`{text}`"


def number(value: float | None) -> str:
    """As short as it is exact."""
    return NONE if value is None else f"{value:g}" if float(f"{value:g}") == value else str(value)


def points(rate: float) -> str:
    """A difference of rates in percentage points."""
    amount = f"{abs(rate) * 100:.1f}".removesuffix(".0")
    return f"{amount} {'point' if amount == '1' else 'points'}"


def agreeing(things: Collection[object], verb: str) -> str:
    """A verb in the present tense that agrees: `1 fails`, `2 fail`."""
    return verb + "s" if len(things) == 1 else verb
