"""A report in, the values of the action's outputs out; a value that isn't known is left out."""

from mergebar.model.comparisons import ChangeKind
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.reports import NO_CHECKS, Report, Totals

_DECIMALS = 4


def values(report: Report, *, report_path: str) -> dict[str, str]:
    """By name; `report_path` is relative to the workspace."""
    totals = report.totals
    return {
        "decision": report.decision.outcome.value,
        "exit-code": str(report.decision.exit_code),
        "pass-rate": rate(totals.pass_rate),
        "base-pass-rate": rate(totals.base_pass_rate),
        **_counts(totals, regressed=_regressed(report)),
        "report-path": report_path,
    }


def bare(outcome: DecisionOutcome, *, exit_code: int) -> dict[str, str]:
    """For a run that has nothing to report: nothing was looked at, or it was refused."""
    return {
        "decision": outcome.value,
        "exit-code": str(exit_code),
        **_counts(NO_CHECKS, regressed=0),
    }


def rate(value: float | None) -> str:
    """0 to 1 with four decimals, empty when nothing is graded; never rounded up to 1."""
    if value is None:
        return ""
    scale = 10**_DECIMALS
    return f"{int(value * scale + 1e-9) / scale:.{_DECIMALS}f}"


def _regressed(report: Report) -> int:
    changes = report.comparison.changes if report.comparison is not None else ()
    return sum(1 for one in changes if one.change is ChangeKind.REGRESSED)


def _counts(totals: Totals, *, regressed: int) -> dict[str, str]:
    return {
        "checks": str(totals.checks),
        "failed": str(totals.failed),
        "regressed": str(regressed),
        "errors": str(totals.errors),
        "needs-review": str(totals.needs_review),
    }
