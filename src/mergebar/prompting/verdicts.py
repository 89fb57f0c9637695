"""A judge's reply as text in, its verdict out, or why it is none."""

import json
import math
import re

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.judgements import Verdict
from mergebar.model.text import Json, JsonObject
from mergebar.prompting import replies
from mergebar.prompting.replies import Unusable
from mergebar.untrusted import truncation

LOWEST, HIGHEST = 1, 5
_NUMBER = re.compile(r"\A[+-]?[0-9]{1,20}(\.[0-9]{1,20})?\Z")


def parse_verdict(text: str) -> Verdict | Failure | Unusable:
    """The verdict: from the whole text, from its fence, or from the object in it that has a score.

    The scale is checked: a 7 is no enthusiastic 5. A judge that skipped is a `Failure`, since
    asking again would only press it for a number.
    """
    value = replies.object_in(text, holding="score", deciding=("score", "status"), also=_is_skipped)
    if isinstance(value, Unusable):
        return value
    if _is_skipped(value):
        reason = _reason(value)
        message = "the judge skipped this check" + (f": {reason}" if reason else "")
        return Failure(error_class=ErrorClass.EVALUATOR, message=message)
    score = _score(value.get("score"))
    if isinstance(score, Unusable):
        return score
    return Verdict(score=score, reason=_reason(value))


def _is_skipped(value: JsonObject) -> bool:
    status = value.get("status")
    return isinstance(status, str) and status.strip().lower() == "skipped"


def _score(value: Json) -> float | Unusable:
    if isinstance(value, str) and _NUMBER.match(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Unusable(message=f"its `score` is {_shown(value)}, not a number")
    if isinstance(value, float) and not math.isfinite(value):
        return Unusable(message="its `score` is not a finite number")
    if not LOWEST <= value <= HIGHEST:
        return Unusable(message=f"its `score` is {_shown(value)}, outside {LOWEST} to {HIGHEST}")
    return float(value)


def _reason(value: JsonObject) -> str:
    return replies.prose(value.get("reason"))


def _shown(value: Json) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}" if abs(value) < 1e15 else "huge"  # noqa: PLR2004 - where digits stop helping
    return truncation.characters(json.dumps(value), 40)
