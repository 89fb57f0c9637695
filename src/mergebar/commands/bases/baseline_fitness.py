"""A report in; why it is nothing to compare with out, empty where it is (product contract, 7)."""

from mergebar.model.decisions import DecisionOutcome
from mergebar.model.reports import Report, ReportCheck
from mergebar.report import contradictions

_MEASURED = frozenset({"pass", "fail", "needs-review"})
_OUTCOMES = frozenset(
    {DecisionOutcome.PASSED, DecisionOutcome.FAILED, DecisionOutcome.NEEDS_REVIEW}
)


def fault(report: Report) -> str:
    """What makes the report unfit, as a clause about `it`."""
    run = report.run
    if not run.complete:
        return "it is partial: its run was interrupted"
    if run.filtered:
        return "it is filtered: its run was asked for less than everything"
    if not run.trusted:
        return "it comes from an untrusted run"
    if report.decision.outcome not in _OUTCOMES:
        return f"its run came to no verdict: {report.decision.outcome.value}"
    if gap := _gap(report):
        return gap
    wrong = contradictions.find(report)
    return f"it contradicts itself: {wrong[0]}" if wrong else ""


def _gap(report: Report) -> str:
    """A suite of which nothing is known."""
    known = {check.suite for check in report.checks if _is_known(check)}
    gaps = [suite.path for suite in report.suites if suite.path not in known]
    if not gaps:
        return ""
    count = f"{len(gaps)} of its suites were" if len(gaps) > 1 else "one of its suites was"
    return f"{count} neither measured nor carried: `{gaps[0]}`"


def _is_known(check: ReportCheck) -> bool:
    """Measured or carried; what its author skips is as it should be."""
    return check.outcome in _MEASURED or check.skip == "declined"
