"""A rubric and the material in; the judge's votes on the check at hand, or a failure, out."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mergebar import prompting
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.evaluations import AskJudge, Votes
from mergebar.model.judgements import Assessment, Judge, Material, Rubric, Verdict
from mergebar.model.plans import PlannedCheck
from mergebar.running import opinions
from mergebar.running.endpoints import Endpoint
from mergebar.running.options import RunOptions

_NO_JUDGE = Failure(
    error_class=ErrorClass.CONFIG,
    message="no judge is configured: add `judge` to `mergebar.yml`",
)


class Bench:
    """The judge, as often as the configuration asks."""

    __slots__ = ("_endpoint", "_judge", "_options", "cache_hits")

    def __init__(self, judge: Judge | None, *, options: RunOptions) -> None:
        self._judge = judge
        self._options = options
        self._endpoint = Endpoint("the judge", concurrency=options.judge_concurrency)
        self.cache_hits = 0

    @property
    def calls(self) -> int:
        """How often the judge was really asked."""
        return self._endpoint.calls - self.cache_hits

    @property
    def judge(self) -> Judge | None:
        """The judge for assertions; `None` where none is configured."""
        if self._judge is None:
            return None
        return opinions.queued(self._judge, self._endpoint, cache_hit=self._hit)

    def _hit(self) -> None:
        self.cache_hits += 1

    def bind(self, check: PlannedCheck, *, run: int) -> AskJudge:
        """The judge for one run of one check."""

        async def ask(rubric: Rubric, material: Material) -> Votes | Failure:
            if self._judge is None:
                return _NO_JUDGE
            brief = _Brief(
                judge=self._judge, check=check, run=run, rubric=rubric, material=material
            )
            return await self._ask(brief)

        return ask

    async def _ask(self, brief: "_Brief") -> Votes | Failure:
        votes = self._options.judge_runs
        given = await self._votes(brief, range(votes))
        settled = _settle(given)
        threshold = brief.check.evaluator.threshold
        if isinstance(settled, Failure) or threshold is None or settled.score >= threshold:
            return settled
        further = range(votes, votes + self._options.confirm_failures)
        return _settle([*given, *await self._votes(brief, further)])

    async def _votes(self, brief: "_Brief", indexes: Iterable[int]) -> list[Verdict | Failure]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._vote(brief, index)) for index in indexes]
        return [task.result() for task in tasks]

    async def _vote(self, brief: "_Brief", index: int) -> Verdict | Failure:
        async with self._endpoint.slots:
            verdict = await self._endpoint.call(lambda: brief.judge.assess(brief.vote(index)))
        if isinstance(verdict, Verdict) and verdict.cached:
            self._hit()
        return verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class _Brief:
    """What is put to the judge, but for the number of the vote."""

    judge: Judge
    check: PlannedCheck
    run: int
    rubric: Rubric
    material: Material

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
