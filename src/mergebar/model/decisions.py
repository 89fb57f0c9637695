"""The verdict."""

from dataclasses import dataclass
from enum import StrEnum


class DecisionOutcome(StrEnum):
    """What the gate says."""

    PASSED = "passed"
    FAILED = "failed"
    NEEDS_REVIEW = "needs-review"
    COULD_NOT_EVALUATE = "could-not-evaluate"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One ground of a decision: the rule that applied, a sentence, and the checks it names."""

    rule: str
    message: str
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What every output is drawn from. `exit_code` is what `enforce` would give, never 5."""

    outcome: DecisionOutcome
    exit_code: int
    headline: str
    reasons: tuple[Reason, ...]
