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
    declined = _declined(cases)
    checks = tuple(check for case in cases for check in case.checks)
    found = {new.id: old for old, new in pair(baseline.checks, checks, renames=renames).matched}
    judged = Comparability(baseline.run.judge, judge or baseline.run.judge)
    other = {
        check.id: affects(check) or _difference(found.get(check.id), check, judged)
        for check in checks
    }
    same = [check for check in checks if not other[check.id]]
    settled = {
        _eval(check)
        for check in same
        if check.declared is not None and found[check.id].outcome in _CARRIED
    }
    carried: list[CheckResult] = []
    refused: list[Refusal] = []
    for check in checks:
        skips = _lasting(declined=check.id in declined, settled=_eval(check) in settled)
        why = other[check.id] or _unmeasured(found[check.id], skips)
        if why:
            refused.append(Refusal(check=check, reason=why))
        else:
            carried.append(result(check, found[check.id]))
    return Carrying(carried=tuple(carried), refused=tuple(refused))


def _declined(cases: Iterable[PlannedCase]) -> frozenset[str]:
    """Those that are skipped by their author here, or that their session may leave out again."""
    return frozenset(
        check.id
        for case in cases
        for check in case.checks
        if _is_declined(case.skip or check.skip) or _may_not_arm(check)
    )


def _eval(check: PlannedCheck) -> tuple[str, str]:
    """What the checks of one eval have in common, whatever the session."""
    return (check.suite, check.name)


def _may_not_arm(check: PlannedCheck) -> bool:
    """Whether its session may leave it out: the same session does so again."""
    return check.declared is not None and bool(check.declared.when)


def _is_declined(skip: object) -> bool:
    return getattr(skip, "kind", None) is Skip.DECLINED


def _difference(old: ReportCheck | None, check: PlannedCheck, judged: Comparability) -> str:
    """Why the baseline has nothing that is the same; empty where it has."""
    if old is None:
        return "the baseline doesn't have it"
    why = judged.reason(old, check)
    return f"not comparable with the baseline: {why}" if why else ""


def _lasting(*, declined: bool, settled: bool) -> frozenset[str]:
    """Which skips of the baseline are as good as a result.

    A session that says nothing of an eval says nothing again; where another session's verdict on
    that eval is carried (`settled`), nothing is missing.
    """
    return frozenset(
        skip for skip, lasts in ((Skip.DECLINED, declined), (Skip.WITHHELD, settled)) if lasts
    )


def _unmeasured(old: ReportCheck, skips: frozenset[str]) -> str:
    """Why there is no result to carry; empty where there is one, or a skip that lasts."""
    if old.outcome in _CARRIED or old.skip in skips:
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
