"""A decision and the mode in; what the process returns and what the check run concludes out."""

from collections.abc import Mapping

from mergebar.errors import ExitCode
from mergebar.model.configuration import Mode
from mergebar.model.decisions import Decision, DecisionOutcome

EXIT_CODES: Mapping[DecisionOutcome, ExitCode] = {
    DecisionOutcome.PASSED: ExitCode.PASSED,
    DecisionOutcome.FAILED: ExitCode.FAILED,
    DecisionOutcome.INVALID: ExitCode.INVALID,
    DecisionOutcome.COULD_NOT_EVALUATE: ExitCode.COULD_NOT_EVALUATE,
    DecisionOutcome.NEEDS_REVIEW: ExitCode.NEEDS_REVIEW,
}
"""The exit code of each outcome under `enforce` (product contract, section 3)."""

_CONCLUSIONS: Mapping[DecisionOutcome, str] = {
    DecisionOutcome.PASSED: "success",
    DecisionOutcome.FAILED: "failure",
    DecisionOutcome.INVALID: "failure",
    DecisionOutcome.COULD_NOT_EVALUATE: "failure",
    DecisionOutcome.NEEDS_REVIEW: "action_required",
}
_ADVICE = frozenset(
    {
        DecisionOutcome.FAILED,
        DecisionOutcome.COULD_NOT_EVALUATE,
        DecisionOutcome.NEEDS_REVIEW,
    }
)


def process_exit_code(decision: Decision, *, mode: Mode) -> int:
    """What the process returns: `advise` blocks only where nothing valid was asked."""
    if mode is Mode.ADVISE and decision.outcome in _ADVICE:
        return ExitCode.PASSED
    return decision.exit_code


def conclusion(decision: Decision, *, mode: Mode) -> str:
    """The conclusion of the check run, as GitHub names it."""
    if mode is Mode.ADVISE and decision.outcome in _ADVICE:
        return "neutral"
    return _CONCLUSIONS[decision.outcome]
