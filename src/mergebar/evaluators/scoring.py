"""A number and a threshold in; whether it is good enough, and the record of it, out."""

import math
import re
import unicodedata

from mergebar.model.evaluations import Score
from mergebar.model.text import Json, JsonObject

FIXED = 1.0
"""The threshold that a document states where none can be chosen."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def meets(score: float, threshold: float) -> bool:
    """At or above the threshold; what only binary fractions keep apart counts as equal."""
    return score >= threshold or math.isclose(score, threshold, rel_tol=1e-9, abs_tol=1e-9)


def result(*, passed: bool) -> str:
    """The word for it in a document."""
    return "pass" if passed else "fail"


def tidy(text: str, *, limit: int | None = None) -> str:
    """Text that every encoder takes: a lone surrogate becomes U+FFFD; cut at `limit` characters."""
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    return _SURROGATE.sub("\ufffd", text)


def composed(text: str, *, case_sensitive: bool = False) -> str:
    """A text to compare: neither composition nor, unless it is said, case makes a difference."""
    same = unicodedata.normalize("NFC", text)
    return same if case_sensitive else unicodedata.normalize("NFC", same.casefold())


def fixed(*, score: float, passed: bool, reason: str, extra: JsonObject) -> Score:
    """A score whose threshold nobody chose: the document states 1.0, the check has none."""
    record: dict[str, Json] = {
        "score": score,
        "result": result(passed=passed),
        "threshold": FIXED,
        "reason": reason,
        **extra,
    }
    return Score(passed=passed, score=score, threshold=None, reason=reason, record=record)
