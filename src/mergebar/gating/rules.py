"""The rules of the gate as one table: the first that finds something decides the outcome.

Product contract, section 8, in its order. A rule looks at the facts and returns its findings; it
knows nothing of the other rules.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mergebar.gating import failing, invalidity, measuring
from mergebar.gating.facts import Facts
from mergebar.gating.findings import Finding
from mergebar.model.decisions import DecisionOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row. With `outcome` `None` its findings are said and decide nothing."""

    name: str
    outcome: DecisionOutcome | None
    find: Callable[[Facts], Iterator[Finding]]


RULES: tuple[Rule, ...] = (
    Rule(name="config-invalid", outcome=DecisionOutcome.INVALID, find=invalidity.config),
    Rule(name="suite-invalid", outcome=DecisionOutcome.INVALID, find=invalidity.suites),
    Rule(name="check-failed", outcome=DecisionOutcome.FAILED, find=failing.failures),
    Rule(name="rate-below-floor", outcome=DecisionOutcome.FAILED, find=failing.rates),
    Rule(name="rate-dropped", outcome=DecisionOutcome.FAILED, find=failing.drop),
    Rule(
        name="interrupted", outcome=DecisionOutcome.COULD_NOT_EVALUATE, find=measuring.interrupted
    ),
    Rule(
        name="suite-unmeasured", outcome=DecisionOutcome.COULD_NOT_EVALUATE, find=measuring.suites
    ),
    Rule(
        name="must-pass-unmeasured",
        outcome=DecisionOutcome.COULD_NOT_EVALUATE,
        find=measuring.must_pass,
    ),
    Rule(name="budget-used-up", outcome=DecisionOutcome.COULD_NOT_EVALUATE, find=measuring.budget),
    Rule(name="unmeasured", outcome=DecisionOutcome.COULD_NOT_EVALUATE, find=measuring.share),
    Rule(name="reviews-outstanding", outcome=DecisionOutcome.NEEDS_REVIEW, find=measuring.reviews),
    Rule(name="loosened", outcome=DecisionOutcome.NEEDS_REVIEW, find=measuring.loosened),
    Rule(name="below-severity", outcome=None, find=failing.below_severity),
    Rule(name="failure-allowed", outcome=None, find=failing.allowed),
    Rule(name="rate-above-floor", outcome=None, find=failing.above_floor),
    Rule(name="carried-failures", outcome=None, find=failing.carried),
    Rule(name="unmeasured-allowed", outcome=None, find=measuring.tolerated),
    Rule(name="declined", outcome=None, find=measuring.declined),
    Rule(name="unaffected-invalid", outcome=None, find=invalidity.unaffected_suites),
)
