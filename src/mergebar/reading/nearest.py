"""A name that isn't known and those that are in, the one that was probably meant out."""

import difflib
from collections.abc import Iterable

_CLOSE_ENOUGH = 0.65


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The same name in another case first, else the most similar; `None` when none is near."""
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(_fold(candidate), candidate)
    wanted = _fold(name)
    if wanted in folded:
        return folded[wanted]
    close = difflib.get_close_matches(wanted, folded, n=1, cutoff=_CLOSE_ENOUGH)
    return folded[close[0]] if close else None


def _fold(name: str) -> str:
    """`maxRank`, `max-rank` and `max_rank` are one name to whoever mistypes it."""
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")
