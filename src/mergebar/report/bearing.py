"""A report in; for each of its checks, how it bears on the decision, out.

Other tools take a failure for a red build. So only what stands against the gate is one for them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from mergebar.model.decisions import DecisionOutcome
from mergebar.model.reports import Report, ReportCheck
from mergebar.report.selecting import BLOCKING_RULES

_REVIEW = "reviews-outstanding"


class Bearing(StrEnum):
    """What a check is for the decision."""

    PASSES = "passes"
    BLOCKS = "blocks"
    FAILS = "fails"
    WAITS = "waits"
    MISSING = "missing"
    TOLERATED = "tolerated"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearings:
    """`why` says for a check that fails and doesn't block why it doesn't."""

    blocking: frozenset[str]
    waiting: frozenset[str]
    why: Mapping[str, str]
    passed: bool

    def of(self, check: ReportCheck) -> Bearing:
        if check.outcome == "fail":
            return Bearing.BLOCKS if check.id in self.blocking else Bearing.FAILS
        if check.outcome == "needs-review":
            return Bearing.WAITS if check.id in self.waiting else Bearing.TOLERATED
        if check.outcome == "pass":
            return Bearing.PASSES
        if check.skip == "declined":
            return Bearing.DECLINED
        counts = check.gating and not check.carried and not self.passed
        return Bearing.MISSING if counts else Bearing.TOLERATED


def bearings(report: Report) -> Bearings:
    """As the reasons of the decision say."""
    reasons = report.decision.reasons
    return Bearings(
        blocking=frozenset(
            name for one in reasons if one.rule in BLOCKING_RULES for name in one.checks
        ),
        waiting=frozenset(name for one in reasons if one.rule == _REVIEW for name in one.checks),
        why={name: one.message.partition(": ")[2] for one in reasons for name in one.checks},
        passed=report.decision.outcome is DecisionOutcome.PASSED,
    )
