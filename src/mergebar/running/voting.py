"""A rubric and the material in; the judge's votes on the check at hand, or a failure, out."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from mergebar import prompting
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.evaluations import AskJudge, Votes
from mergebar.model.judgements import (
    Assessment,
    Judge,
    Material,
    RecallingJudge,
    Rubric,
    Verdict,
)
from mergebar.model.plans import PlannedCheck
from mergebar.running import queued_judge
from mergebar.running.budget import Allowance
from mergebar.running.endpoints import Endpoint
from mergebar.running.options import RunOptions
from mergebar.running.tallies import Tally

_NO_JUDGE = Failure(
    error_class=ErrorClass.CONFIG,
    message="no judge is configured: add `judge` to `mergebar.yml`",
)


class Bench:
    """The judge, as often as the configuration asks and the budget allows."""

    __slots__ = ("_allowance", "_judge", "_options", "endpoint", "tally")

    def __init__(self, judge: Judge | None, *, options: RunOptions, allowance: Allowance) -> None:
        self._judge = judge
        self._options = options
        self.endpoint = Endpoint(
            "the judge",
            concurrency=options.judge_concurrency,
            allowance=None if options.judge_replayed else allowance,
        )
        self._allowance = allowance
        self.tally = Tally()

    def made_before(self, taken: Tally) -> None:
        """What the judge was asked by the run that this one goes on with."""
        self.tally.add(calls=taken.calls, hits=taken.hits)
        self._allowance.made_before(taken.calls)

    def count(self) -> Tally:
        """A tally for one check, which counts for the run as well."""
        return Tally(whole=self.tally)

    def judge(self, tally: Tally) -> Judge | None:
        """The judge for assertions; `None` where none is configured."""
        if self._judge is None:
            return None
        return queued_judge.queued(self._judge, self.endpoint, tally=tally)

    def bind(self, check: PlannedCheck, *, run: int, tally: Tally) -> AskJudge:
        """The judge for one run of one check."""

        async def ask(rubric: Rubric, material: Material) -> Votes | Failure:
            if self._judge is None:
                return _NO_JUDGE
            brief = _Brief(
                judge=self._judge,
                check=check,
                run=run,
                rubric=rubric,
                material=material,
                tally=tally,
            )
            return await self._ask(brief)

        return ask

    async def _ask(self, brief: "_Brief") -> Votes | Failure:
        votes = self._options.judge_runs
        given = await self._votes(brief, range(votes))
        settled = given if isinstance(given, Failure) else _settle(given)
        if isinstance(settled, Failure) or isinstance(given, Failure):
            return settled
        threshold = brief.check.evaluator.threshold
        more = self._options.confirm_failures
        if not more or threshold is None or settled.score >= threshold:
            return settled
        further = await self._votes(brief, range(votes, votes + more))
        return further if isinstance(further, Failure) else _settle([*given, *further])

    async def _votes(
        self, brief: "_Brief", indexes: Sequence[int]
    ) -> list[Verdict | Failure] | Failure:
        """All of these votes; a failure where the budget doesn't suffice for every one."""
        assessments = [brief.vote(index) for index in indexes]
        known = [self._recall(brief, assessment) for assessment in assessments]
        missing = [one for one, verdict in zip(assessments, known, strict=True) if verdict is None]
        if not missing:
            return list(filter(None, known))
        spent = self.endpoint.claim(len(missing))
        if spent is not None:
            return spent
        asked = iter(await self._asked(brief, missing))
        return [next(asked) if verdict is None else verdict for verdict in known]

    async def _asked(
        self, brief: "_Brief", assessments: Sequence[Assessment]
    ) -> list[Verdict | Failure]:
        if len(assessments) == 1:
            return [await self._vote(brief, assessments[0])]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._vote(brief, one)) for one in assessments]
        return [task.result() for task in tasks]

    def _recall(self, brief: "_Brief", assessment: Assessment) -> Verdict | None:
        if not isinstance(brief.judge, RecallingJudge):
            return None
        verdict = brief.judge.recall(assessment)
        if verdict is not None:
            brief.tally.add(hits=1)
        return verdict

    async def _vote(self, brief: "_Brief", assessment: Assessment) -> Verdict | Failure:
        async def asked() -> Verdict | Failure:
            brief.tally.add(calls=1)
            return await brief.judge.assess(assessment)

        async with self.endpoint.slots:
            verdict = await self.endpoint.call(asked)
        if isinstance(verdict, Verdict) and verdict.cached:
            brief.tally.add(calls=-1, hits=1)
        return verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class _Brief:
    """What is put to the judge, but for the number of the vote."""

    judge: Judge
    check: PlannedCheck
    run: int
    rubric: Rubric
    material: Material
    tally: Tally

    def vote(self, index: int) -> Assessment:
        return Assessment(
            suite=self.check.suite,
            case=self.check.case,
            turn=self.check.turn or 0,
            evaluator=self.check.name,
            run=self.run,
            vote=index,
            rubric=self.rubric,
            material=self.material,
            options=self.check.evaluator.options,
        )


def _settle(given: Sequence[Verdict | Failure]) -> Votes | Failure:
    """The median of what was measured, unless that is fewer than half of the votes."""
    verdicts = [one for one in given if isinstance(one, Verdict)]
    failures = [one for one in given if isinstance(one, Failure)]
    if failures and (not verdicts or len(verdicts) * 2 < len(given)):
        return _failed(failures, len(given))
    return prompting.median_votes(verdicts)


def _failed(failures: Sequence[Failure], votes: int) -> Failure:
    first = failures[0]
    if votes == 1:
        return first
    message = f"{len(failures)} of {votes} votes are missing: {first.message}"
    return Failure(error_class=first.error_class, message=message, code=first.code)
