"""Exit codes and check-run conclusions by mode (product contract, section 3)."""

import pytest

from mergebar import gating
from mergebar.gating.exits import EXIT_CODES
from mergebar.model.configuration import Mode
from mergebar.model.decisions import Decision, DecisionOutcome


@pytest.mark.parametrize(
    ("outcome", "enforced", "advised"),
    [
        ("passed", (0, "success"), (0, "success")),
        ("failed", (1, "failure"), (0, "neutral")),
        ("invalid", (2, "failure"), (2, "failure")),
        ("could-not-evaluate", (3, "failure"), (0, "neutral")),
        ("needs-review", (4, "action_required"), (0, "neutral")),
    ],
)
def test_advice_never_blocks_but_for_what_is_invalid(
    outcome: str, enforced: tuple[int, str], advised: tuple[int, str]
) -> None:
    named = DecisionOutcome(outcome)
    decision = Decision(outcome=named, exit_code=EXIT_CODES[named], headline="", reasons=())
    for mode, expected in ((Mode.ENFORCE, enforced), (Mode.ADVISE, advised)):
        code = gating.process_exit_code(decision, mode=mode)
        assert (code, gating.conclusion(decision, mode=mode)) == expected
