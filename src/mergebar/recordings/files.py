"""The file of one suite's recording: bytes in, what was said out, and the same back.

The format is `mergebar.recording/1` (product contract, section 5).
"""

import json
from collections.abc import Iterable
from typing import Annotated, Literal, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from mergebar.calling import machine_json, protocol
from mergebar.calling.reading_faults import sentence
from mergebar.model.conversations import Answer, Failure
from mergebar.model.judgements import Match
from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json, JsonObject
from mergebar.recordings.entries import (
    RecordedAnswer,
    RecordedOpinion,
    RecordedVerdict,
    Recording,
)

SCHEMA = "mergebar.recording/1"
RULE = "config/recording"

_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
_Count = Annotated[int, Field(ge=0)]
_Entry = TypeVar("_Entry", RecordedAnswer, RecordedVerdict, RecordedOpinion)


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class _Answer:
    case: str
    turn: _Count
    run: _Count
    digest: str | None
    answer: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class _Verdict:
    case: str
    turn: _Count
    evaluator: str
    run: _Count
    vote: _Count
    digest: str | None
    score: Annotated[float, Field(ge=1, le=5)]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class _Opinion:
    case: str
    eval: str
    vote: _Count
    digest: str | None
    match: Literal["pass", "partial", "fail"]
    confidence: Annotated[float, Field(ge=0, le=1)]
    observed: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class _File:
    schema: Literal["mergebar.recording/1"]
    note: str = ""
    answers: tuple[_Answer, ...] = ()
    verdicts: tuple[_Verdict, ...] = ()
    opinions: tuple[_Opinion, ...] = ()


_FILE = TypeAdapter(_File)


def path_of(suite: str) -> str:
    """Where the recording of a suite is, below the folder of recordings."""
    return f"{suite}.json"


def load(data: bytes, path: str) -> Recording | Problem:
    """The recording in a file; `path` is what a problem names."""
    value = machine_json.parse(data)
    if isinstance(value, machine_json.Fault):
        return _problem(f"the recording {value.message}", path, value)
    try:
        file = _FILE.validate_json(json.dumps(value))
    except ValidationError as error:
        return _problem(f"in the recording, {sentence(error)}", path)
    answers = _answers(value, file.answers)
    if isinstance(answers, str):
        return _problem(f"in the recording, {answers}", path)
    verdicts = tuple(_verdict(one) for one in file.verdicts)
    opinions = tuple(_opinion(one) for one in file.opinions)
    keys: list[tuple[object, ...]] = [one.key for one in answers]
    keys += [one.key for one in verdicts]
    keys += [one.key for one in opinions]
    twice = _twice(keys)
    if twice is not None:
        return _problem(f"the recording has two entries for {twice}: remove one", path)
    return Recording(
        note=file.note,
        answers=_sorted(answers),
        verdicts=_sorted(verdicts),
        opinions=_sorted(opinions),
    )


def dump(recording: Recording) -> bytes:
    """The file: sorted, so that recording again changes only what was said differently."""
    value: dict[str, Json] = {
        "schema": SCHEMA,
        "note": recording.note,
        "answers": [_answer_object(one) for one in _sorted(recording.answers)],
        "verdicts": [_verdict_object(one) for one in _sorted(recording.verdicts)],
    }
    if recording.opinions:
        value["opinions"] = [_opinion_object(one) for one in _sorted(recording.opinions)]
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False).encode() + b"\n"


def merged(old: Recording, new: Recording) -> Recording:
    """What `new` says, and of `old` the note and what `new` doesn't speak of."""
    answers = {one.key: one for one in (*old.answers, *new.answers)}
    verdicts = {one.key: one for one in (*old.verdicts, *new.verdicts)}
    opinions = {one.key: one for one in (*old.opinions, *new.opinions)}
    return Recording(
        note=old.note,
        answers=_sorted(answers.values()),
        verdicts=_sorted(verdicts.values()),
        opinions=_sorted(opinions.values()),
    )


def _answers(value: JsonObject, wires: tuple[_Answer, ...]) -> tuple[RecordedAnswer, ...] | str:
    """Read from what was parsed: the objects of an answer are kept as they are."""
    listed = value.get("answers")
    entries = []
    for index, (wire, raw) in enumerate(
        zip(wires, listed if isinstance(listed, list) else [], strict=True)
    ):
        said = raw.get("answer") if isinstance(raw, dict) else None
        answer = protocol.read_object(said if isinstance(said, dict) else {})
        if isinstance(answer, Failure) and not protocol.declares_failure(said):
            return f"`answers[{index}].answer` {answer.message}"
        entries.append(
            RecordedAnswer(
                case=wire.case, turn=wire.turn, run=wire.run, digest=wire.digest, answer=answer
            )
        )
    return tuple(entries)


def _verdict(wire: _Verdict) -> RecordedVerdict:
    return RecordedVerdict(
        case=wire.case,
        turn=wire.turn,
        evaluator=wire.evaluator,
        run=wire.run,
        vote=wire.vote,
        digest=wire.digest,
        score=wire.score,
        reason=wire.reason,
    )


def _opinion(wire: _Opinion) -> RecordedOpinion:
    return RecordedOpinion(
        case=wire.case,
        eval=wire.eval,
        vote=wire.vote,
        digest=wire.digest,
        match=Match(wire.match),
        confidence=wire.confidence,
        observed=wire.observed,
        reason=wire.reason,
    )


def _answer_object(entry: RecordedAnswer) -> Json:
    return {
        "case": entry.case,
        "turn": entry.turn,
        "run": entry.run,
        "digest": entry.digest,
        "answer": _said(entry.answer),
    }


def _said(answer: Answer | Failure) -> Json:
    if isinstance(answer, Answer):
        return protocol.answer_object(answer)
    return {"error": {"class": answer.error_class.value, "message": answer.message}}


def _verdict_object(entry: RecordedVerdict) -> Json:
    whole = entry.score.is_integer()
    return {
        "case": entry.case,
        "turn": entry.turn,
        "evaluator": entry.evaluator,
        "run": entry.run,
        "vote": entry.vote,
        "digest": entry.digest,
        "score": int(entry.score) if whole else entry.score,
        "reason": entry.reason,
    }


def _opinion_object(entry: RecordedOpinion) -> Json:
    return {
        "case": entry.case,
        "eval": entry.eval,
        "vote": entry.vote,
        "digest": entry.digest,
        "match": entry.match.value,
        "confidence": entry.confidence,
        "observed": entry.observed,
        "reason": entry.reason,
    }


def _sorted(entries: Iterable[_Entry]) -> tuple[_Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.key))


def _twice(keys: Iterable[tuple[object, ...]]) -> str | None:
    seen: set[tuple[object, ...]] = set()
    for key in keys:
        if key in seen:
            return " ".join(f"`{part}`" for part in key)
        seen.add(key)
    return None


def _problem(message: str, path: str, fault: machine_json.Fault | None = None) -> Problem:
    return Problem(
        level=Level.ERROR,
        rule=RULE,
        message=message,
        path=path,
        line=fault.line if fault else None,
        column=fault.column if fault else None,
    )
