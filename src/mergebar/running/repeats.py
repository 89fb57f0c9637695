"""The runs of one check in; its result out (product contract, section 7, Repeats)."""

import statistics
from collections.abc import Sequence

from mergebar.model.conversations import total_usage
from mergebar.model.plans import PlannedCheck, Withholding
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


def graded(check: PlannedCheck, run: RunResult, *, replayed: bool) -> CheckResult:
    """The result of an eval on a session, which is graded once; it may wait for a person."""
    return CheckResult(
        check=check,
        outcome=run.outcome,
        score=run.score,
        reason=run.reason,
        runs=(run,),
        error=run.error,
        replayed=replayed,
        cached=run.cached,
        usage=run.usage,
        duration_s=run.duration_s,
        stale=check.stale,
    )


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
