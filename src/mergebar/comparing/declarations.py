"""What suites declare on two sides in, as planned; reports of it without results out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mergebar.model.plans import PlannedCase, PlannedCheck, Skip
from mergebar.model.reports import ReportCheck, ReportLocation, ReportUsage

_UNMEASURED = "withheld"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarations:
    """The changed suites as the base has them and as they are now, under their present paths."""

    base: tuple[ReportCheck, ...]
    head: tuple[ReportCheck, ...]


def of_cases(cases: Iterable[PlannedCase]) -> Iterator[ReportCheck]:
    """Each check of the cases, as if nothing of it had been measured."""
    for case in cases:
        for check in case.checks:
            yield _check(check, check.label or case.case.label)


def _check(check: PlannedCheck, label: str) -> ReportCheck:
    declined = check.skip is not None and check.skip.kind is Skip.DECLINED
    return ReportCheck(
        id=check.id,
        suite=check.suite,
        case=check.case,
        label=label,
        turn=check.turn,
        name=check.name,
        kind=check.kind.value,
        agent=check.agent,
        outcome="skipped",
        score=None,
        threshold=check.threshold,
        reason=check.skip.reason if check.skip is not None else "",
        severity=check.severity.value,
        weight=check.weight,
        type=None,
        must_pass=check.must_pass,
        gating=check.gating,
        skip=Skip.DECLINED.value if declined else _UNMEASURED,
        location=ReportLocation(path=check.location.path, line=None, column=None),
        definition=check.definition,
        carried=False,
        cached=False,
        flaky=False,
        stale=False,
        replayed=False,
        runs=(),
        usage=ReportUsage(),
        duration_s=0.0,
        error=None,
        measured=check.measured,
    )
