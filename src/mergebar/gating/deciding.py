"""Facts in; one decision out, by the table of rules and nothing else."""

from mergebar.gating.exits import EXIT_CODES
from mergebar.gating.facts import Facts
from mergebar.gating.headlines import headline
from mergebar.gating.rules import RULES
from mergebar.model.decisions import Decision, DecisionOutcome, Reason


def decide(facts: Facts) -> Decision:
    """Apply every rule: the first with a finding decides, and all findings are said.

    With no finding, the gate has passed. The order of checks and suites doesn't matter.
    """
    found = [(rule, tuple(rule.find(facts))) for rule in RULES]
    outcome = next(
        (rule.outcome for rule, findings in found if findings and rule.outcome is not None),
        DecisionOutcome.PASSED,
    )
    return Decision(
        outcome=outcome,
        exit_code=EXIT_CODES[outcome],
        headline=headline(outcome, facts),
        reasons=tuple(
            Reason(rule=rule.name, message=finding.message, checks=finding.checks)
            for rule, findings in found
            for finding in findings
        ),
    )
