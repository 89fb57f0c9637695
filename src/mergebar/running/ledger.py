"""What was measured so far in, whatever happens; results in plan order out."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.plans import Plan, PlannedCase, PlannedCheck, Withholding
from mergebar.model.results import (
    AskedTurn,
    CallCounts,
    CheckResult,
    Conversation,
    Outcome,
    Results,
    RunResult,
)
from mergebar.running import repeats
from mergebar.running.options import Progress, RunOptions
from mergebar.running.scoring import unmeasured

INTERRUPTED = Failure(
    error_class=ErrorClass.UNAVAILABLE, message="interrupted before it was measured"
)


@dataclass(slots=True, kw_only=True)
class Page:
    """One case put once: its turns as asked, and its checks by their place in the planned case."""

    case: PlannedCase
    run: int
    turns: dict[int, AskedTurn] = field(default_factory=dict)
    checks: dict[int, RunResult | Withholding] = field(default_factory=dict)

    @property
    def wanted(self) -> Iterator[tuple[int, PlannedCheck]]:
        """The checks to measure, with their places."""
        return (
            (place, check) for place, check in enumerate(self.case.checks) if check.skip is None
        )

    def conversation(self) -> Conversation:
        """The turns, those that were never put too."""
        unput = AskedTurn(answer=None)
        return Conversation(
            suite=self.case.suite,
            case=self.case.case.key,
            run=self.run,
            turns=tuple(self.turns.get(turn.index, unput) for turn in self.case.case.turns),
        )


class Ledger:
    """Takes down each measurement as it comes, so that an interruption loses none."""

    __slots__ = ("_done", "_errors", "_failed", "_options", "_pages", "_plan", "_tell", "_total")

    def __init__(
        self, plan: Plan, *, options: RunOptions, tell: Callable[[Progress], None] | None
    ) -> None:
        self._plan = plan
        self._options = options
        self._tell = tell
        self._pages: Mapping[int, tuple[Page, ...]] = {
            number: tuple(Page(case=case, run=run) for run in range(case.runs))
            for number, case in enumerate(plan.cases)
            if case.skip is None
        }
        self._total = sum(1 for page in self.pages for _ in page.wanted)
        self._done = self._failed = self._errors = 0

    @property
    def pages(self) -> tuple[Page, ...]:
        """Every case as often as it is put, in plan order."""
        return tuple(page for pages in self._pages.values() for page in pages)

    def record(self, page: Page, place: int, result: RunResult | Withholding) -> None:
        """Take down one run of one check."""
        page.checks[place] = result
        self._done += 1
        if isinstance(result, RunResult):
            self._failed += result.outcome is Outcome.FAIL
            self._errors += result.outcome is Outcome.ERROR
        if self._tell is not None:
            self._tell(
                Progress(
                    done=self._done, total=self._total, failed=self._failed, errors=self._errors
                )
            )

    def close(self, calls: CallCounts, *, complete: bool, notes: tuple[str, ...]) -> Results:
        """What there is, with the rest as unmeasured."""
        return Results(
            checks=tuple(self._results()),
            conversations=tuple(
                page.conversation() for page in self.pages if page.case.scenario is None
            ),
            calls=calls,
            complete=complete,
            notes=notes,
        )

    def _results(self) -> Iterator[CheckResult]:
        for number, case in enumerate(self._plan.cases):
            for place, check in enumerate(case.checks):
                skip = check.skip or case.skip
                if skip is not None:
                    yield repeats.skipped(check, skip)
                else:
                    yield self._result(check, place, self._pages[number])

    def _result(self, check: PlannedCheck, place: int, pages: tuple[Page, ...]) -> CheckResult:
        found = [page.checks.get(place) or unmeasured(INTERRUPTED) for page in pages]
        runs = tuple(run for run in found if isinstance(run, RunResult))
        judged = self._options.judge_replayed and any(run.votes for run in runs)
        if check.declared is None:
            replayed = judged or check.agent in self._options.replayed
            return repeats.result(check, runs, replayed=replayed)
        (graded,) = found
        if isinstance(graded, Withholding):
            return repeats.skipped(check, graded)
        return repeats.graded(check, graded, replayed=judged)
