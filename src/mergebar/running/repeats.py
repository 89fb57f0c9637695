"""The runs of one check in; its result out (product contract, section 7, Repeats)."""

import statistics
from collections.abc import Sequence

from mergebar.model.conversations import ErrorClass, Failure, total_usage
from mergebar.model.plans import PlannedCheck, Skip, Withholding
from mergebar.model.results import CheckResult, Outcome, RunResult

_MEASURED = frozenset({Outcome.PASS, Outcome.FAIL})


def result(check: PlannedCheck, runs: Sequence[RunResult], *, replayed: bool) -> CheckResult:
    """One result over at least one run.

    Passes if more than half of the measured runs pass; an error if fewer than half were measured.
    Flaky if passes and fails were both seen, which changes no outcome.
    """
    measured = [run for run in runs if run.outcome in _MEASURED]
    passes = [run for run in measured if run.outcome is Outcome.PASS]
    outcome = _outcome(len(runs), len(measured), len(passes))
    telling = next(run for run in runs if run.outcome is outcome)
    scores = [run.score for run in measured if run.score is not None]
    return CheckResult(
        check=check,
        outcome=outcome,
        score=statistics.median(scores) if scores and outcome in _MEASURED else None,
        reason=_reason(telling, runs, measured, passes),
        runs=tuple(runs),
        error=telling.error,
        flaky=0 < len(passes) < len(measured),
        replayed=replayed,
        cached=all(run.cached for run in runs),
        usage=total_usage(run.usage for run in runs),
        duration_s=sum(run.duration_s for run in runs),
    )


def skipped(check: PlannedCheck, why: Withholding) -> CheckResult:
    """The result of a check that was not to be measured here."""
    return CheckResult(
        check=check,
        outcome=Outcome.SKIPPED,
        score=None,
        reason=why.reason,
        runs=(),
        skip=why.kind,
    )


def held(
    check: PlannedCheck, found: Sequence[RunResult | Withholding], *, replayed: bool
) -> CheckResult:
    """The result of an eval on a session, or on each repeat of one that is run now.

    A repeat that its author's conditions left out has no say; one that showed nothing is not
    measured. Where the repeats that wait for a person could turn the outcome, it waits too.
    """
    runs = tuple(run for run in found if isinstance(run, RunResult))
    unseen = [one for one in found if isinstance(one, Withholding)]
    withheld = [one for one in unseen if one.kind is Skip.WITHHELD]
    if not runs:
        return skipped(check, (withheld or unseen)[0])
    told = [run for run in runs if run.outcome is not Outcome.ERROR]
    asked = len(runs) + len(withheld)
    if len(runs) == 1 and asked == 1:
        telling, outcome, reason = runs[0], runs[0].outcome, runs[0].reason
    elif not told or len(told) * 2 < asked:
        telling = next((run for run in runs if run.outcome is Outcome.ERROR), _unseen(withheld))
        outcome = Outcome.ERROR
        reason = f"{len(told)} of {asked} sessions measured it: {telling.reason}"
    else:
        outcome = _settled(told)
        telling = next(run for run in told if run.outcome is outcome)
        reason = _counted(told, telling)
    seen = {run.outcome for run in told}
    scores = [run.score for run in told if run.score is not None]
    return CheckResult(
        check=check,
        outcome=outcome,
        score=statistics.median(scores) if scores and outcome in _MEASURED else None,
        reason=reason,
        runs=runs,
        error=telling.error,
        flaky=seen >= _MEASURED,
        replayed=replayed,
        cached=all(run.cached for run in runs),
        usage=total_usage(run.usage for run in runs),
        duration_s=sum(run.duration_s for run in runs),
        stale=check.stale,
    )


def _unseen(withheld: Sequence[Withholding]) -> RunResult:
    """Too few repeats showed it: nothing that waiting for anybody would mend."""
    reason = withheld[0].reason if withheld else ""
    failure = Failure(error_class=ErrorClass.BAD_RESPONSE, message=reason)
    return RunResult(outcome=Outcome.ERROR, reason=reason, error=failure)


def _settled(told: Sequence[RunResult]) -> Outcome:
    passes = sum(run.outcome is Outcome.PASS for run in told)
    fails = sum(run.outcome is Outcome.FAIL for run in told)
    if passes * 2 > len(told):
        return Outcome.PASS
    return Outcome.FAIL if fails * 2 >= len(told) else Outcome.NEEDS_REVIEW


def _counted(told: Sequence[RunResult], telling: RunResult) -> str:
    """The reason of a telling repeat, after the count where there are more."""
    if len(told) == 1:
        return telling.reason
    waiting = telling.outcome is Outcome.NEEDS_REVIEW
    counted = Outcome.NEEDS_REVIEW if waiting else Outcome.PASS
    count = sum(run.outcome is counted for run in told)
    verb = "wait for a person" if waiting else "passed"
    return f"{count} of {len(told)} measured sessions {verb}: {telling.reason}"


def _outcome(runs: int, measured: int, passes: int) -> Outcome:
    if not measured or measured * 2 < runs:
        return Outcome.ERROR
    return Outcome.PASS if passes * 2 > measured else Outcome.FAIL


def _reason(
    telling: RunResult,
    runs: Sequence[RunResult],
    measured: Sequence[RunResult],
    passes: Sequence[RunResult],
) -> str:
    """The reason of a run that came out as the check did, after the count where there are more."""
    if len(runs) == 1:
        return telling.reason
    if telling.outcome is Outcome.ERROR:
        return f"{len(measured)} of {len(runs)} runs measured: {telling.reason}"
    return f"{len(passes)} of {len(measured)} measured runs passed: {telling.reason}"
