"""Votes and answers as texts to keep, and such texts as votes and answers again.

What isn't exactly what was written is nothing: the question is put anew.
"""

import json
import math
from typing import cast

from mergebar.calling import machine_json, protocol
from mergebar.model.conversations import Answer, Usage
from mergebar.model.judgements import Match, Opinion, Verdict
from mergebar.model.text import Json, JsonObject

_LOWEST, _HIGHEST = 1, 5


def of_verdict(verdict: Verdict) -> JsonObject:
    """One vote."""
    return {"score": verdict.score, "reason": verdict.reason, "usage": _usage(verdict.usage)}


def verdict(value: JsonObject) -> Verdict | None:
    """The vote, marked as cached."""
    try:
        score = _number(value["score"])
        if not _LOWEST <= score <= _HIGHEST:
            return None
        return Verdict(
            score=score,
            reason=_text(value["reason"]),
            usage=_read_usage(value["usage"]),
            cached=True,
        )
    except (KeyError, TypeError, ValueError):
        return None


def of_opinion(opinion: Opinion) -> JsonObject:
    """One vote on an assertion."""
    return {
        "match": opinion.match.value,
        "confidence": opinion.confidence,
        "observed": opinion.observed,
        "reason": opinion.reason,
        "claim": opinion.claim,
        "usage": _usage(opinion.usage),
    }


def opinion(value: JsonObject) -> Opinion | None:
    """The vote, marked as cached."""
    try:
        confidence = _number(value["confidence"])
        if not 0 <= confidence <= 1:
            return None
        return Opinion(
            match=Match(_text(value["match"])),
            confidence=confidence,
            observed=_text(value["observed"]),
            reason=_text(value["reason"]),
            claim=_text(value["claim"]),
            usage=_read_usage(value["usage"]),
            cached=True,
        )
    except (KeyError, TypeError, ValueError):
        return None


def of_answers(answers: tuple[Answer, ...]) -> JsonObject:
    """All answers of a case."""
    return {"answers": [protocol.answer_object(one) for one in answers]}


def answers(value: JsonObject) -> tuple[Answer, ...] | None:
    """All answers of a case."""
    objects = value.get("answers")
    if not isinstance(objects, list):
        return None
    read = [protocol.read_object(one) for one in objects if isinstance(one, dict)]
    found = tuple(one for one in read if isinstance(one, Answer))
    return found if len(found) == len(objects) else None


def dump(key: str, value: JsonObject) -> bytes | None:
    """A text that names its own key; `None` for what can't be written."""
    try:
        text = json.dumps({"key": key, "value": dict(value)}, ensure_ascii=False, allow_nan=False)
        return text.encode()
    except ValueError:
        return None


def load(key: str, data: bytes) -> JsonObject | None:
    """What was kept under this very key."""
    found = machine_json.parse(data)
    if isinstance(found, machine_json.Fault) or found.get("key") != key:
        return None
    value = found.get("value")
    return value if isinstance(value, dict) else None


def _usage(usage: Usage) -> Json:
    return [usage.input_tokens, usage.output_tokens, usage.cost_usd]


def _read_usage(value: Json) -> Usage:
    """What it took when it was asked takes nothing now; it is checked all the same."""
    inputs, outputs, cost = cast("list[Json]", value)
    for figure in (inputs, outputs, cost):
        if figure is not None:
            _number(figure)
    return Usage()


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _number(value: Json) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise TypeError("no number")
    return value
