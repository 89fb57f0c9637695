"""A folder of recordings in, what was recorded for a question or an assessment out.

Each file is read once, when it is first needed. Whatever is missing or older than what it should
answer is a failure that says how to record it again.
"""

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from mergebar import identity
from mergebar.model.conversations import Answer, ErrorClass, Failure, Question
from mergebar.model.judgements import Assessment, Inquiry, Opinion, Verdict
from mergebar.model.problems import Problem
from mergebar.reading import files as reading
from mergebar.recordings import digests, files, redacted
from mergebar.recordings.entries import (
    AnswerKey,
    OpinionKey,
    RecordedAnswer,
    RecordedOpinion,
    RecordedVerdict,
    VerdictKey,
)
from mergebar.untrusted.redaction import Redactor

_AGAIN = "record it again (`mergebar run --record`)"
_SHAPES = Redactor()
"""A response that a document stores was recorded without what has the shape of a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shelf:
    """One suite's recording, ready for looking up."""

    answers: dict[AnswerKey, RecordedAnswer]
    verdicts: dict[VerdictKey, RecordedVerdict]
    opinions: dict[OpinionKey, RecordedOpinion]


class Playback:
    """Reads `<folder>/<suite path>.json` below the working directory."""

    def __init__(self, root: Path, folder: str) -> None:
        self._root = root
        self._folder = folder.rstrip("/") or "."
        self._shelves: dict[str, _Shelf | Failure] = {}
        self._by_hand = False

    @property
    def notes(self) -> tuple[str, ...]:
        """One warning when something written by hand was played back, however often."""
        note = (
            f"`{self._folder}` holds recordings written by hand (their digest is null): nothing "
            "ties them to the prompts and answers of today"
        )
        return (note,) if self._by_hand else ()

    def answer(self, question: Question) -> Answer | Failure:
        """What the agent said to this turn."""
        shelf = self._shelf(question.suite)
        if isinstance(shelf, Failure):
            return shelf
        what = f"answer for case `{question.case}`, turn {question.turn}, run {question.run}"
        entry = shelf.answers.get((question.case, question.turn, question.run))
        if entry is None:
            return self._missing(question.suite, what)
        asked = question.history, redacted.history(question.history, _SHAPES)
        today = {identity.answer_digest(question.prompt, history) for history in asked}
        if self._stale(entry.digest, today):
            return self._other(question.suite, what, "another prompt or other earlier turns")
        return entry.answer

    def verdict(self, assessment: Assessment) -> Verdict | Failure:
        """The judge's vote."""
        shelf = self._shelf(assessment.suite)
        if isinstance(shelf, Failure):
            return shelf
        one = assessment
        what = (
            f"verdict of {one.evaluator} for case `{one.case}`, turn {one.turn}, run {one.run}, "
            f"vote {one.vote}"
        )
        entry = shelf.verdicts.get((one.case, one.turn, one.evaluator, one.run, one.vote))
        if entry is None:
            return self._missing(one.suite, what)
        today = {digests.verdict_digest(one), _redacted_digest(one)}
        if self._stale(entry.digest, today):
            return self._other(one.suite, what, "another response, prompt or evaluator option")
        return Verdict(score=entry.score, reason=entry.reason)

    def opinion(self, inquiry: Inquiry) -> Opinion | Failure:
        """The judge's vote on an assertion."""
        shelf = self._shelf(inquiry.suite)
        if isinstance(shelf, Failure):
            return shelf
        what = f"opinion on `{inquiry.eval}` for session `{inquiry.case}`, vote {inquiry.vote}"
        entry = shelf.opinions.get((inquiry.case, inquiry.eval, inquiry.vote))
        if entry is None:
            return self._missing(inquiry.suite, what)
        if self._stale(entry.digest, {digests.opinion_digest(inquiry.claim)}):
            return self._other(inquiry.suite, what, "another session, artifact or assertion")
        return Opinion(
            match=entry.match,
            confidence=entry.confidence,
            observed=entry.observed,
            reason=entry.reason,
        )

    def _shelf(self, suite: str) -> _Shelf | Failure:
        if suite not in self._shelves:
            self._shelves[suite] = self._read(suite)
        return self._shelves[suite]

    def _read(self, suite: str) -> _Shelf | Failure:
        path = self._path(suite)
        data = reading.read(self._root, path, rule=files.RULE)
        recording = data if isinstance(data, Problem) else files.load(data, path)
        if isinstance(recording, Problem):
            return _config(f"no recording of `{suite}`: {_place(recording)}; {_AGAIN}")
        return _Shelf(
            answers={entry.key: entry for entry in recording.answers},
            verdicts={entry.key: entry for entry in recording.verdicts},
            opinions={entry.key: entry for entry in recording.opinions},
        )

    def _stale(self, recorded: str | None, today: Container[str]) -> bool:
        if recorded is None:
            self._by_hand = True
            return False
        return recorded not in today

    def _path(self, suite: str) -> str:
        return f"{self._folder}/{files.path_of(suite)}"

    def _missing(self, suite: str, what: str) -> Failure:
        return _config(f"`{self._path(suite)}` holds no {what}: {_AGAIN}")

    def _other(self, suite: str, what: str, which: str) -> Failure:
        return _config(f"`{self._path(suite)}`: the {what} was recorded for {which}: {_AGAIN}")


def _redacted_digest(asked: Assessment) -> str:
    return digests.verdict_digest(redacted.assessment(asked, _SHAPES))


def _place(problem: Problem) -> str:
    place = problem.path or ""
    if problem.line is not None:
        place += f":{problem.line}:{problem.column}"
    return problem.message if place in problem.message else f"`{place}`: {problem.message}"


def _config(message: str) -> Failure:
    return Failure(error_class=ErrorClass.CONFIG, message=message)
