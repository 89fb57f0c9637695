"""What a run asks of its journal: what was measured before, and what is worth keeping."""

from collections.abc import Iterator, Mapping, Sequence

from mergebar.journal import Journal, Kept
from mergebar.model.artifacts import TargetSource
from mergebar.model.plans import PlannedCase, PlannedCheck, Withholding
from mergebar.model.results import AskedTurn, Outcome, RunResult
from mergebar.running.tallies import Tally

_Checks = Mapping[int, RunResult | Withholding]


class RunJournal:
    """Without a journal nothing is known, and nothing is kept."""

    __slots__ = ("_journal", "_tallies")

    def __init__(self, journal: Journal | None) -> None:
        self._journal = journal
        self._tallies: dict[tuple[str, int], Tally] = {}

    def turns(self, case: PlannedCase, run: int) -> Iterator[tuple[int, AskedTurn]]:
        """The first turns of a case that were answered, without a gap."""
        if self._journal is None or not self._journal.turns:
            return
        for turn in case.case.turns:
            known = self._journal.turns.get((case.suite, case.case.key, run, turn.index))
            if known is None:
                return
            yield turn.index, known

    def check(self, check: PlannedCheck, run: int) -> Kept | None:
        """One run of a check as it was measured."""
        return None if self._journal is None else self._journal.checks.get((check.id, run))

    def add_turn(self, case: PlannedCase, run: int, turn: int, asked: AskedTurn) -> None:
        """Keep an answer."""
        if self._journal is not None:
            self._journal.add_turn((case.suite, case.case.key, run, turn), asked)

    def add_check(
        self,
        case: PlannedCase,
        place: int,
        run: int,
        result: RunResult | Withholding,
        tally: Tally,
    ) -> None:
        """Keep a result, unless it is worth nothing without others, or no more than its asking."""
        if self._journal is None:
            return
        check = case.checks[place]
        if case.scenario is not None and case.scenario.trace is None:
            self._tallies[check.id, run] = tally
        elif check.declared is None or _is_worth_keeping(check, tally):
            self._keep(check, run, result, tally)

    def add_session(self, held: Sequence[tuple[PlannedCase, int, _Checks]]) -> None:
        """Keep all evals on a session that was run now, if each of them came to something.

        A session that has to be run again leaves nothing of the old one.
        """
        results = [result for _, _, checks in held for result in checks.values()]
        if self._journal is None or any(map(_is_error, results)):
            return
        for case, run, checks in held:
            for place, result in checks.items():
                check = case.checks[place]
                self._keep(check, run, result, self._tallies.pop((check.id, run), Tally()))

    def _keep(
        self, check: PlannedCheck, run: int, result: RunResult | Withholding, tally: Tally
    ) -> None:
        if self._journal is not None:
            kept = Kept(result=result, judge_calls=tally.calls, cache_hits=tally.hits)
            self._journal.add_check((check.id, run), kept)


def _is_worth_keeping(check: PlannedCheck, tally: Tally) -> bool:
    """On a recorded session: what took the judge, without a look at files that may change."""
    if check.declared is None or check.declared.target.source is TargetSource.FILE:
        return False
    return tally.calls + tally.hits > 0


def _is_error(result: RunResult | Withholding) -> bool:
    return isinstance(result, RunResult) and result.outcome is Outcome.ERROR
