"""Unaffected cases and a baseline in; the results to carry, and why others can't be, out.

Product contract, section 6: a check is carried only if it is comparable, and if no change between
the baseline's commit and the tested one affects it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mergebar.comparing.comparability import Comparability
from mergebar.comparing.pairing import pair
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.plans import PlannedCase, PlannedCheck, Skip
from mergebar.model.reports import Report, ReportCheck, ReportJudge
from mergebar.model.results import CheckResult, Outcome, RunResult

_CARRIED = frozenset({Outcome.PASS, Outcome.FAIL, Outcome.NEEDS_REVIEW})

Affects: TypeAlias = Callable[[PlannedCheck], str | None]
"""Why a change since the baseline's commit affects a check; `None` where none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A check that can't be carried, and so is affected."""

    check: PlannedCheck
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrying:
    """In the order of the plan. Every check that was given is in one of the two."""

    carried: tuple[CheckResult, ...]
    refused: tuple[Refusal, ...]


def carry(
    cases: Iterable[PlannedCase],
    *,
    baseline: Report,
    judge: ReportJudge | None,
    affects: Affects,
    renames: Mapping[str, str],
) -> Carrying:
    """Take over what this change doesn't affect.

    Severity, weight, place and what else only decides are the plan's; outcome, scores and reasons
    are the baseline's. `judge` is who would judge here, `None` where that isn't known because
    nothing needs to be judged. `renames` lead from old paths to new ones.
    """
    cases = tuple(cases)
    declined = {
        check.id
        for case in cases
        for check in case.checks
        if _is_declined(case.skip or check.skip) or _may_not_arm(check)
    }
    checks = tuple(check for case in cases for check in case.checks)
    found = {new.id: old for old, new in pair(baseline.checks, checks, renames=renames).matched}
    judged = Comparability(baseline.run.judge, judge or baseline.run.judge)
    carried: list[CheckResult] = []
    refused: list[Refusal] = []
    for check in checks:
        old = found.get(check.id)
        why = affects(check) or _refusal(old, check, judged, declined=check.id in declined)
        if old is None or why:
            refused.append(Refusal(check=check, reason=why))
        else:
            carried.append(result(check, old))
    return Carrying(carried=tuple(carried), refused=tuple(refused))


def _may_not_arm(check: PlannedCheck) -> bool:
    """Whether its session may leave it out: the same session does so again."""
    return check.declared is not None and bool(check.declared.when)


def _is_declined(skip: object) -> bool:
    return getattr(skip, "kind", None) is Skip.DECLINED


def _refusal(
    old: ReportCheck | None, check: PlannedCheck, judged: Comparability, *, declined: bool
) -> str:
    """Why the baseline's result can't stand for this check; empty where it can."""
    if old is None:
        return "the baseline doesn't have it"
    if why := judged.reason(old, check):
        return f"not comparable with the baseline: {why}"
    if old.outcome in _CARRIED or (declined and old.skip == Skip.DECLINED):
        return ""
    return f"not measured in the baseline ({_cause(old)})"


def _cause(old: ReportCheck) -> str:
    return old.error.error_class if old.error else old.skip or old.outcome


def result(check: PlannedCheck, old: ReportCheck) -> CheckResult:
    """The baseline's result as one of this run: marked, and without a cost."""
    return CheckResult(
        check=check,
        outcome=Outcome(old.outcome),
        score=old.score,
        reason=old.reason,
        runs=tuple(
            RunResult(
                outcome=Outcome(run.outcome),
                score=run.score,
                threshold=check.threshold,
                reason=run.reason,
                votes=run.votes,
            )
            for run in old.runs
        ),
        skip=Skip(old.skip) if old.skip else None,
        error=_failure(old),
        flaky=old.flaky,
        replayed=old.replayed,
        carried=True,
        stale=old.stale,
    )


def _failure(old: ReportCheck) -> Failure | None:
    if old.error is None:
        return None
    return Failure(error_class=ErrorClass(old.error.error_class), message=old.error.message)
