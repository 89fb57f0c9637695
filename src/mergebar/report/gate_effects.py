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


class GateEffect(StrEnum):
    """What a check is for the decision."""

    PASSES = "passes"
    BLOCKS = "blocks"
    FAILS = "fails"
    WAITS = "waits"
    MISSING = "missing"
    TOLERATED = "tolerated"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateEffects:
    """`why` says for a check that fails and doesn't block why it doesn't."""

    blocking: frozenset[str]
    waiting: frozenset[str]
    why: Mapping[str, str]
    passed: bool

    def of(self, check: ReportCheck) -> GateEffect:
        if check.outcome == "fail":
            return GateEffect.BLOCKS if check.id in self.blocking else GateEffect.FAILS
        if check.outcome == "needs-review":
            return GateEffect.WAITS if check.id in self.waiting else GateEffect.TOLERATED
        if check.outcome == "pass":
            return GateEffect.PASSES
        if check.skip == "declined":
            return GateEffect.DECLINED
        counts = check.gating and not check.carried and not self.passed
        return GateEffect.MISSING if counts else GateEffect.TOLERATED


def of_checks(report: Report) -> GateEffects:
    """As the reasons of the decision say."""
    reasons = report.decision.reasons
    return GateEffects(
        blocking=frozenset(
            name for one in reasons if one.rule in BLOCKING_RULES for name in one.checks
        ),
        waiting=frozenset(name for one in reasons if one.rule == _REVIEW for name in one.checks),
        why={name: one.message.partition(": ")[2] for one in reasons for name in one.checks},
        passed=report.decision.outcome is DecisionOutcome.PASSED,
    )
