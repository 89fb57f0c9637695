"""A judge's reply as text in, its verdict out, or why it is none."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.judgements import Verdict
from mergebar.model.text import Json, JsonObject

LOWEST, HIGHEST = 1, 5
_REASON_LENGTH = 4000
_TRIED_BRACES = 100
_LONGEST = 200_000
_FENCED = re.compile(r"\A```[\w-]*[ \t]*\r?\n(.*?)\r?\n?```\Z", re.DOTALL)
_NUMBER = re.compile(r"\A[+-]?[0-9]{1,20}(\.[0-9]{1,20})?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """The reply is no verdict, but asking again may bring one. `message` says why."""

    message: str


class _TwiceError(ValueError):
    """A key that decides stands twice in one object; it never leaves this module."""


def parse_verdict(text: str) -> Verdict | Failure | Unusable:
    """The verdict: from the whole text, from its fence, or from its first object with a score.

    The scale is checked: a 7 is no enthusiastic 5. A judge that skipped is a `Failure`, since
    asking again would only press it for a number.
    """
    try:
        value = _object(text.strip().removeprefix("\ufeff").strip())
    except _TwiceError as error:
        return Unusable(message=f"it gives `{error}` twice")
    if value is None:
        return Unusable(
            message="it holds no JSON object with a `score`" if text.strip() else "it is empty"
        )
    if _is_skipped(value):
        reason = _reason(value)
        message = "the judge skipped this check" + (f": {reason}" if reason else "")
        return Failure(error_class=ErrorClass.EVALUATOR, message=message)
    score = _score(value.get("score"))
    if isinstance(score, Unusable):
        return score
    return Verdict(score=score, reason=_reason(value))


def _object(text: str) -> JsonObject | None:
    fenced = _FENCED.match(text)
    body = fenced.group(1) if fenced else text
    try:
        whole = json.loads(body, object_pairs_hook=_distinct)
    except _TwiceError:
        raise
    except (ValueError, RecursionError):
        return next(_objects_with_score(body[:_LONGEST]), None)
    return whole if isinstance(whole, dict) and ("score" in whole or _is_skipped(whole)) else None


def _objects_with_score(text: str) -> Iterator[JsonObject]:
    decoder = json.JSONDecoder(object_pairs_hook=_distinct)
    start = text.find("{")
    for _ in range(_TRIED_BRACES):
        if start < 0:
            return
        try:
            value, end = decoder.raw_decode(text, start)
        except _TwiceError:
            raise
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if "score" in value:
                yield value
        start = text.find("{", end)


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    for key in ("score", "status"):
        if len([name for name, _ in pairs if name == key]) > 1:
            raise _TwiceError(key)
    return value


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
    reason = value.get("reason")
    if not isinstance(reason, str):
        return ""
    return reason.strip()[:_REASON_LENGTH].encode("utf-8", "replace").decode("utf-8")


def _shown(value: Json) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}" if abs(value) < 1e15 else "huge"  # noqa: PLR2004 - where digits stop helping
    return json.dumps(value)[:40]
