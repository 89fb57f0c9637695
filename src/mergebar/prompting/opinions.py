"""A judge's reply on an assertion as text in, its opinion out, or why it is none."""

import math

from mergebar.model.judgements import Match, Opinion
from mergebar.model.text import Json
from mergebar.prompting import replies
from mergebar.prompting.replies import Unusable

KEYS = ("claim", "observed", "match", "confidence", "reasoning")
_MATCHES = {match.value for match in Match}
_WORDS = ("claim", "observed", "reasoning")


def parse_opinion(text: str) -> Opinion | Unusable:
    """The opinion. All of its keys have to be there, and no other: half a verdict is none."""
    value = replies.object_in(text, holding="match", deciding=KEYS)
    if isinstance(value, Unusable):
        return value
    wrong = _wrong_keys(list(value)) or _wrong_words([(key, value[key]) for key in _WORDS])
    if wrong is not None:
        return wrong
    match, confidence = value["match"], value["confidence"]
    if not isinstance(match, str) or match not in _MATCHES:
        return Unusable(message="its `match` is none of `pass`, `partial` and `fail`")
    if not _is_share(confidence) or not isinstance(confidence, int | float):
        return Unusable(message="its `confidence` is no number from 0 to 1")
    return Opinion(
        match=Match(match),
        confidence=float(confidence),
        claim=replies.prose(value["claim"]),
        observed=replies.prose(value["observed"]),
        reason=replies.prose(value["reasoning"]),
    )


def _wrong_keys(keys: list[str]) -> Unusable | None:
    missing = [key for key in KEYS if key not in keys]
    if missing:
        return Unusable(message=f"it holds no `{missing[0]}`")
    if len(keys) > len(KEYS):
        return Unusable(message="it holds keys that nobody asked for")
    return None


def _wrong_words(words: list[tuple[str, Json]]) -> Unusable | None:
    for key, value in words:
        if not isinstance(value, str):
            return Unusable(message=f"its `{key}` is no text")
    return None


def _is_share(value: Json) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and 0 <= value <= 1
