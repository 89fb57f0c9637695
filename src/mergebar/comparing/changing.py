"""Paired checks in; what became of each of them, out (product contract, section 7, Diff)."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from mergebar.comparing.comparability import Comparability
from mergebar.comparing.pairing import Pairing
from mergebar.model.comparisons import ChangeKind, CheckChange, Mark
from mergebar.model.reports import Report, ReportCheck

GRADED: Mapping[str, int] = {"pass": 1, "fail": 0}
"""The outcomes that can be compared."""

_CHANGES = {
    ("pass", "fail"): ChangeKind.REGRESSED,
    ("fail", "pass"): ChangeKind.IMPROVED,
    ("fail", "fail"): ChangeKind.STILL_FAILING,
    ("pass", "pass"): ChangeKind.STILL_PASSING,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One check on both sides, what became of it, and whether its rates may be compared."""

    base: ReportCheck
    head: ReportCheck
    change: CheckChange
    graded: bool


def pairs(
    matched: Pairing[ReportCheck, ReportCheck],
    *,
    comparability: Comparability,
    regressed: Collection[str],
    excuses: bool = True,
) -> Iterator[Pair]:
    """What became of each check that is on both sides, in the order of the head.

    `regressed` are the checks that had got worse in the baseline itself. Unless it `excuses`, no
    failure is known for having failed there.
    """
    for base, head in matched.matched:
        why = comparability.reason(base, head)
        measurable = base.outcome in GRADED and head.outcome in GRADED
        change = _change(base, head, why=why, regressed=base.id in regressed)
        if change.known and not excuses:
            change = replace(change, known=False)
        yield Pair(base=base, head=head, change=change, graded=measurable and not why)


def _change(base: ReportCheck, head: ReportCheck, *, why: str, regressed: bool) -> CheckChange:
    comparable = not why
    carried = head.carried and comparable and base.outcome == head.outcome
    change = _CHANGES.get((base.outcome, head.outcome), ChangeKind.NOT_COMPARABLE)
    if carried:
        change = ChangeKind.CARRIED
    elif not comparable:
        change = ChangeKind.NOT_COMPARABLE
    elif change is ChangeKind.NOT_COMPARABLE:
        why = _unmeasured(base, head)
    return CheckChange(
        check=head.id,
        change=change,
        comparable=change is not ChangeKind.NOT_COMPARABLE,
        reason=why,
        was=None if base.id == head.id else base.id,
        base_outcome=base.outcome,
        base_score=base.score,
        marks=_marks(base, head, regressed=regressed and carried),
        known=comparable and base.outcome == "fail" and not base.flaky and not regressed,
    )


def _unmeasured(base: ReportCheck, head: ReportCheck) -> str:
    """Which side has no verdict; a sentence for each."""
    sides = ((base, "in the baseline"), (head, "here"))
    return "; ".join(
        f"{_without_verdict(check)} {where}"
        for check, where in sides
        if check.outcome not in GRADED
    )


def _without_verdict(check: ReportCheck) -> str:
    if check.outcome == "needs-review":
        return "waits for a review"
    if check.outcome == "skipped":
        return f"{check.skip or 'skipped'}"
    return f"not measured ({check.error.error_class if check.error else check.outcome})"


def _marks(base: ReportCheck, head: ReportCheck, *, regressed: bool) -> tuple[Mark, ...]:
    if not (base.flaky or base.stale or base.replayed or head.flaky or head.stale or regressed):
        return (Mark.REPLAYED,) if head.replayed else ()
    seen = {
        Mark.FLAKY: base.flaky or head.flaky,
        Mark.STALE: base.stale or head.stale,
        Mark.REPLAYED: base.replayed or head.replayed,
        Mark.REGRESSED: regressed,
    }
    return tuple(mark for mark, there in seen.items() if there)


def is_untold(pair: Pair) -> bool:
    """Whether it was measured on neither side: nothing changed, and nothing can be said."""
    return (
        pair.change.change is ChangeKind.NOT_COMPARABLE
        and pair.base.outcome not in GRADED
        and pair.head.outcome not in GRADED
    )


def new(check: ReportCheck) -> CheckChange:
    """A check that the baseline doesn't have."""
    return CheckChange(
        check=check.id,
        change=ChangeKind.NEW,
        comparable=False,
        reason="the baseline doesn't have it",
        marks=_marks(check, check, regressed=False),
    )


def gone(check: ReportCheck, *, change: ChangeKind, reason: str) -> CheckChange:
    """A check that only the baseline has."""
    return CheckChange(
        check=check.id,
        change=change,
        comparable=False,
        reason=reason,
        label=check.label,
        base_outcome=check.outcome,
        base_score=check.score,
        marks=_marks(check, check, regressed=False),
    )


def regressions(report: Report) -> frozenset[str]:
    """The checks that got worse in this report, or in one that it carried them from."""
    if report.comparison is None:
        return frozenset()
    return frozenset(
        one.check
        for one in report.comparison.changes
        if one.change is ChangeKind.REGRESSED or Mark.REGRESSED in one.marks
    )
