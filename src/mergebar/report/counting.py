"""A report in; its checks counted by what became of them, in the words of the contract, out.

What is declined was skipped by its author or by an option. What is withheld, or an error, is not
measured. An eval that says nothing of one session and has a verdict on another lacks nothing.
"""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from mergebar.model.reports import Report, ReportCheck

_GRADER = "grader"
_VERDICTS = frozenset({"pass", "fail", "needs-review"})


class Fate(StrEnum):
    """What became of a check, as people are told."""

    PASSED = "passed"
    FAILED = "failed"
    UNMEASURED = "not measured"
    REVIEW = "to review"
    DECLINED = "declined"
    ELSEWHERE = "graded on other sessions"


_OF_OUTCOME = {
    "pass": Fate.PASSED,
    "fail": Fate.FAILED,
    "error": Fate.UNMEASURED,
    "needs-review": Fate.REVIEW,
}


class Fates:
    """Tells what became of each check of a report."""

    __slots__ = ("_settled",)

    def __init__(self, checks: Iterable[ReportCheck]) -> None:
        self._settled = frozenset(
            (check.suite, check.name)
            for check in checks
            if check.kind == _GRADER and check.outcome in _VERDICTS
        )

    def of(self, check: ReportCheck) -> Fate:
        found = _OF_OUTCOME.get(check.outcome)
        if found is not None:
            return found
        if check.skip == "declined":
            return Fate.DECLINED
        settled = check.kind == _GRADER and (check.suite, check.name) in self._settled
        return Fate.ELSEWHERE if settled else Fate.UNMEASURED


def count(report: Report) -> Counter[Fate]:
    """How many there are of each; together they are all checks."""
    fates = Fates(report.checks)
    return Counter(map(fates.of, report.checks))
