"""Results as lines of a journal, and lines as results again; a line that is none is `None`.

Only what was measured is kept: what failed is asked again.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from mergebar.calling import protocol
from mergebar.model.conversations import Answer, Usage
from mergebar.model.plans import Skip, Withholding
from mergebar.model.results import AskedTurn, Outcome, RunResult
from mergebar.model.text import Json, JsonObject

TurnKey: TypeAlias = tuple[str, str, int, int]
"""Suite, case, run and turn."""
CheckKey: TypeAlias = tuple[str, int]
"""The check's id, and the run."""

MEASURED = frozenset({Outcome.PASS, Outcome.FAIL, Outcome.NEEDS_REVIEW})


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One run of one check, and what it took of the judge."""

    result: RunResult | Withholding
    judge_calls: int = 0
    cache_hits: int = 0


def turn_line(key: TurnKey, turn: AskedTurn) -> bytes | None:
    """`None` for what isn't kept."""
    if not isinstance(turn.answer, Answer):
        return None
    answer = protocol.answer_object(turn.answer)
    return _line({"turn": [*key], "answer": answer, "duration_s": turn.duration_s})


def check_line(key: CheckKey, kept: Kept) -> bytes | None:
    """`None` for what isn't kept."""
    calls: dict[str, Json] = {"judge_calls": kept.judge_calls, "cache_hits": kept.cache_hits}
    result = kept.result
    if isinstance(result, Withholding):
        skip: dict[str, Json] = {"kind": result.kind.value, "reason": result.reason}
        return _line({"check": [*key], "skip": skip, **calls})
    if result.outcome not in MEASURED or result.error is not None:
        return None
    return _line({"check": [*key], "result": _result(result), **calls})


def read_turn(value: JsonObject) -> tuple[TurnKey, AskedTurn] | None:
    """What `turn_line` wrote."""
    try:
        suite, case, run, turn = cast("list[Json]", value["turn"])
        answer = protocol.read_object(cast("JsonObject", value["answer"]))
        if not isinstance(answer, Answer):
            return None
        key = (_text(suite), _text(case), _whole(run), _whole(turn))
        return key, AskedTurn(answer=answer, duration_s=_number(value["duration_s"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def read_check(value: JsonObject) -> tuple[CheckKey, Kept] | None:
    """What `check_line` wrote."""
    try:
        check, run = cast("list[Json]", value["check"])
        kept = Kept(
            result=_read_skip(value["skip"]) if "skip" in value else _read_result(value["result"]),
            judge_calls=_whole(value["judge_calls"]),
            cache_hits=_whole(value["cache_hits"]),
        )
        return (_text(check), _whole(run)), kept
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _result(run: RunResult) -> dict[str, Json]:
    usage = run.usage
    return {
        "outcome": run.outcome.value,
        "score": run.score,
        "threshold": run.threshold,
        "reason": run.reason,
        "votes": list(run.votes),
        "record": dict(run.record),
        "usage": [usage.input_tokens, usage.output_tokens, usage.cost_usd],
        "duration_s": run.duration_s,
        "cached": run.cached,
        "notices": list(run.notices),
        "review": run.review,
        "look": run.look,
        "quotes": run.quotes,
    }


def _read_result(value: Json) -> RunResult:
    fields = cast("Mapping[str, Json]", value)
    inputs, outputs, cost = cast("list[Json]", fields["usage"])
    review, quotes = fields["review"], fields["quotes"]
    outcome = Outcome(_text(fields["outcome"]))
    if outcome not in MEASURED or not isinstance(fields["record"], dict):
        raise ValueError("no measurement")
    return RunResult(
        outcome=outcome,
        score=_optional(fields["score"]),
        threshold=_optional(fields["threshold"]),
        reason=_text(fields["reason"]),
        votes=tuple(_number(vote) for vote in cast("list[Json]", fields["votes"])),
        record=fields["record"],
        usage=Usage(
            input_tokens=None if inputs is None else _whole(inputs),
            output_tokens=None if outputs is None else _whole(outputs),
            cost_usd=_optional(cost),
        ),
        duration_s=_number(fields["duration_s"]),
        cached=fields["cached"] is True,
        notices=tuple(_text(notice) for notice in cast("list[Json]", fields["notices"])),
        review=None if review is None else _text(review),
        look=_text(fields["look"]),
        quotes=None if quotes is None else quotes is True,
    )


def _read_skip(value: Json) -> Withholding:
    fields = cast("Mapping[str, Json]", value)
    return Withholding(kind=Skip(_text(fields["kind"])), reason=_text(fields["reason"]))


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _whole(value: Json) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("no count")
    return value


def _number(value: Json) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise TypeError("no number")
    return value


def _optional(value: Json) -> float | None:
    return None if value is None else _number(value)


def _line(value: JsonObject) -> bytes | None:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except ValueError:  # half a surrogate pair, or a number that is none
        return None
