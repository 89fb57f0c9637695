"""What was measured so far in, whatever happens; results in plan order out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mergebar.model.conversations import Failure
from mergebar.model.plans import Plan, PlannedCase, PlannedCheck, Withholding
from mergebar.model.results import (
    AskedTurn,
    CallCounts,
    CheckResult,
    Conversation,
    Results,
    RunResult,
)
from mergebar.running import redacting, repeats
from mergebar.running.concurrency import INTERRUPTED
from mergebar.running.options import RunOptions
from mergebar.running.run_journal import RunJournal
from mergebar.running.scoring import unmeasured
from mergebar.running.tallies import Tally
from mergebar.running.watching import Watch


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

    @property
    def open(self) -> Iterator[tuple[int, PlannedCheck]]:
        """Those of them that there is no result of yet."""
        return ((place, check) for place, check in self.wanted if place not in self.checks)

    @property
    def is_fresh(self) -> bool:
        """Whether its session is run now."""
        return self.case.scenario is not None and self.case.scenario.trace is None

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

    __slots__ = ("_journal", "_pages", "_plan", "_watch", "options")

    def __init__(
        self, plan: Plan, *, options: RunOptions, watch: Watch, journal: RunJournal | None = None
    ) -> None:
        self._plan = plan
        self.options = options
        self._journal = journal or RunJournal(None)
        self._watch = watch
        self._pages: Mapping[int, tuple[Page, ...]] = {
            number: tuple(Page(case=case, run=run) for run in range(case.runs))
            for number, case in enumerate(plan.cases)
            if case.skip is None
        }

    @property
    def pages(self) -> tuple[Page, ...]:
        """Every case as often as it is put, in plan order."""
        return tuple(page for pages in self._pages.values() for page in pages)

    def restore(self, page: Page) -> Tally:
        """Take over what an interrupted run measured of this case; what that took of the judge."""
        taken = Tally()
        for index, turn in self._journal.turns(page.case, page.run):
            page.turns[index] = turn
        for place, check in page.wanted:
            kept = self._journal.check(check, page.run)
            if kept is not None:
                page.checks[place] = kept.result
                taken.add(calls=kept.judge_calls, hits=kept.cache_hits)
        return taken

    def answered(self, page: Page, turn: int, asked: AskedTurn) -> None:
        """Take down what was asked of the agent."""
        page.turns[turn] = asked
        self._journal.add_turn(page.case, page.run, turn, asked)

    def record(
        self,
        page: Page,
        place: int,
        result: RunResult | Withholding,
        *,
        tally: Tally | None = None,
    ) -> None:
        """Take down one run of one check, and what it took of the judge."""
        result = redacting.result(result, self.options.redactor)
        page.checks[place] = result
        self._journal.add_check(page.case, place, page.run, result, tally or Tally())
        self._watch.put_down(page.case.suite, result)

    def settled(self, pages: Sequence[Page]) -> None:
        """Everything on a session that was run is recorded: it needn't be run again."""
        self._journal.add_session([(page.case, page.run, page.checks) for page in pages])

    def close(self, calls: CallCounts, *, left: Failure | None, notes: tuple[str, ...]) -> Results:
        """What there is, with the rest as unmeasured for the reason in `left`, if any is."""
        return Results(
            checks=tuple(self._results(left or INTERRUPTED)),
            conversations=tuple(
                page.conversation() for page in self.pages if page.case.scenario is None
            ),
            calls=calls,
            complete=left is None,
            notes=notes,
        )

    def _results(self, left: Failure) -> Iterator[CheckResult]:
        for number, case in enumerate(self._plan.cases):
            for place, check in enumerate(case.checks):
                skip = check.skip or case.skip
                if skip is not None:
                    yield repeats.skipped(check, skip)
                else:
                    yield self._result(check, place, self._pages[number], left)

    def _result(
        self, check: PlannedCheck, place: int, pages: tuple[Page, ...], left: Failure
    ) -> CheckResult:
        found = [page.checks.get(place) or unmeasured(left) for page in pages]
        runs = tuple(run for run in found if isinstance(run, RunResult))
        judged = self.options.judge_replayed and any(run.votes for run in runs)
        if check.declared is None:
            replayed = judged or check.agent in self.options.replayed
            return repeats.result(check, runs, replayed=replayed)
        return repeats.held(check, found, replayed=judged)
