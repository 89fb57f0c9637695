"""Live agents and judges in, the same ones out with all that they say being recorded.

What they said is kept until `flush` writes it, beside what earlier runs recorded. Failures are
not recorded: a recording is there to be measured on.
"""

import os
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from mergebar import identity
from mergebar.model.conversations import Agent, Answer, ErrorClass, Failure, Noting, Question
from mergebar.model.judgements import (
    AssertionJudge,
    Assessment,
    Inquiry,
    Judge,
    JudgeIdentity,
    Opinion,
    Verdict,
)
from mergebar.model.problems import Level, Problem
from mergebar.reading import files as reading
from mergebar.recordings import digests, files, redacted
from mergebar.recordings.entries import (
    NOTE,
    AnswerKey,
    OpinionKey,
    RecordedAnswer,
    RecordedOpinion,
    RecordedVerdict,
    Recording,
    VerdictKey,
)
from mergebar.untrusted.redaction import Redactor


class Recorder:
    """Collects for one folder; several agents and a judge may share it. No secret is kept."""

    def __init__(self, root: Path, folder: str, redactor: Redactor | None = None) -> None:
        self._redactor = redactor or Redactor()
        self._root = root
        self._folder = folder.rstrip("/") or "."
        self._answers: dict[str, dict[AnswerKey, RecordedAnswer]] = {}
        self._verdicts: dict[str, dict[VerdictKey, RecordedVerdict]] = {}
        self._opinions: dict[str, dict[OpinionKey, RecordedOpinion]] = {}

    def add_answer(self, question: Question, answer: Answer) -> None:
        """Keep what the agent said to this turn."""
        entry = RecordedAnswer(
            case=question.case,
            turn=question.turn,
            run=question.run,
            digest=identity.answer_digest(
                question.prompt, redacted.history(question.history, self._redactor)
            ),
            answer=redacted.answer(answer, self._redactor),
        )
        self._answers.setdefault(question.suite, {})[entry.key] = entry

    def add_verdict(self, assessment: Assessment, verdict: Verdict) -> None:
        """Keep the judge's vote."""
        kept = redacted.verdict(verdict, self._redactor)
        entry = RecordedVerdict(
            case=assessment.case,
            turn=assessment.turn,
            evaluator=assessment.evaluator,
            run=assessment.run,
            vote=assessment.vote,
            digest=digests.verdict_digest(redacted.assessment(assessment, self._redactor)),
            score=kept.score,
            reason=kept.reason,
        )
        self._verdicts.setdefault(assessment.suite, {})[entry.key] = entry

    def add_opinion(self, inquiry: Inquiry, opinion: Opinion) -> None:
        """Keep the judge's vote on an assertion."""
        kept = redacted.opinion(opinion, self._redactor)
        entry = RecordedOpinion(
            case=inquiry.case,
            eval=inquiry.eval,
            vote=inquiry.vote,
            digest=digests.opinion_digest(inquiry.claim),
            match=kept.match,
            confidence=kept.confidence,
            observed=kept.observed,
            reason=kept.reason,
        )
        self._opinions.setdefault(inquiry.suite, {})[entry.key] = entry

    def flush(self) -> tuple[Problem, ...]:
        """Write each suite's file whole or not at all; what couldn't be written is a problem."""
        suites = sorted({*self._answers, *self._verdicts, *self._opinions})
        problems = tuple(problem for suite in suites if (problem := self._write(suite)) is not None)
        self._answers.clear()
        self._verdicts.clear()
        self._opinions.clear()
        return problems

    def _write(self, suite: str) -> Problem | None:
        path = f"{self._folder}/{files.path_of(suite)}"
        new = Recording(
            answers=tuple(self._answers.get(suite, {}).values()),
            verdicts=tuple(self._verdicts.get(suite, {}).values()),
            opinions=tuple(self._opinions.get(suite, {}).values()),
        )
        folder = (self._root / path).parent.resolve()
        if not folder.is_relative_to(self._root.resolve()):
            return _unwritable(path, "its folder lies outside the working directory")
        old = self._recorded(path)
        if isinstance(old, Problem):
            return replace(old, message=f"nothing was recorded over it: {old.message}")
        try:
            _replace(self._root / path, files.dump(files.merged(old, new)))
        except OSError as error:
            return _unwritable(path, str(error.strerror).lower())
        return None

    def _recorded(self, path: str) -> Recording | Problem:
        if not os.path.lexists(self._root / path):
            return Recording(note=NOTE)
        data = reading.read(self._root, path, rule=files.RULE)
        return data if isinstance(data, Problem) else files.load(data, path)


class RecordingAgent:
    """Hands everything on, and keeps the answers."""

    def __init__(self, agent: Agent, recorder: Recorder) -> None:
        self._agent = agent
        self._recorder = recorder

    @property
    def notes(self) -> tuple[str, ...]:
        """What the agent itself has to say."""
        return self._agent.notes if isinstance(self._agent, Noting) else ()

    async def ask(self, question: Question, /) -> Answer | Failure:
        """Ask, and keep the answer."""
        answer = await self._agent.ask(question)
        if isinstance(answer, Answer):
            self._recorder.add_answer(question, answer)
        return answer

    async def aclose(self) -> None:
        """Close the agent; the recorder is its owner's to flush."""
        await self._agent.aclose()


class RecordingJudge:
    """Hands everything on, and keeps the verdicts."""

    def __init__(self, judge: Judge, recorder: Recorder) -> None:
        self._judge = judge
        self._recorder = recorder

    @property
    def identity(self) -> JudgeIdentity:
        """The judge's own."""
        return self._judge.identity

    @property
    def notes(self) -> tuple[str, ...]:
        """What the judge itself has to say."""
        return self._judge.notes if isinstance(self._judge, Noting) else ()

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """Ask, and keep the verdict."""
        verdict = await self._judge.assess(assessment)
        if isinstance(verdict, Verdict):
            self._recorder.add_verdict(assessment, verdict)
        return verdict

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        """Ask about an assertion, and keep the opinion."""
        if not isinstance(self._judge, AssertionJudge):
            message = f"the judge `{self._judge.identity.provider}` can't judge `ai` evals"
            return Failure(error_class=ErrorClass.CONFIG, message=message)
        opinion = await self._judge.verify(inquiry)
        if isinstance(opinion, Opinion):
            self._recorder.add_opinion(inquiry, opinion)
        return opinion

    async def aclose(self) -> None:
        """Close the judge; the recorder is its owner's to flush."""
        await self._judge.aclose()


def _unwritable(path: str, why: str) -> Problem:
    message = f"the recording can't be written: {why}"
    return Problem(level=Level.ERROR, rule=files.RULE, message=message, path=path)


def _replace(path: Path, data: bytes) -> None:
    """Write beside the file and rename, so that no reader ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
