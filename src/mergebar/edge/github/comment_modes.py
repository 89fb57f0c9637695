"""A report and a mode in; whether the mode asks to post a comment about it, out."""

from mergebar.model.comparisons import ChangeKind, Comparison
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.publishing import CommentMode
from mergebar.model.reports import Report, ReportCheck

_CHANGES = frozenset({ChangeKind.REGRESSED, ChangeKind.IMPROVED, ChangeKind.NEW})


def is_noteworthy(report: Report, mode: CommentMode) -> bool:
    """Whether the pull request gets a comment if it has none yet."""
    if mode is CommentMode.ALWAYS:
        return True
    if mode is CommentMode.NEVER:
        return False
    failed = report.decision.outcome is not DecisionOutcome.PASSED
    return failed or (mode is CommentMode.CHANGES and _has_changed(report))


def _has_changed(report: Report) -> bool:
    """Regressed, improved, new, failing, unmeasured or loosened."""
    if any(_stands_out(check) for check in report.checks):
        return True
    compared = report.comparison
    if compared is not None and (compared.loosened or _differs(compared)):
        return True
    if compared is None or compared.baseline is None:
        # No baseline knows any check, so that each one measured here is new.
        return any(not check.carried and check.outcome == "pass" for check in report.checks)
    return False


def _differs(compared: Comparison) -> bool:
    return any(one.change in _CHANGES for one in compared.changes)


def _stands_out(check: ReportCheck) -> bool:
    """Failing or unmeasured, here and now."""
    unmeasured = check.outcome == "error" or check.skip == "withheld"
    return not check.carried and (check.outcome == "fail" or unmeasured)
