"""What a reader has to know before believing a headline."""

from mergebar import gating
from mergebar.model.configuration import GatePolicy
from mergebar.model.problems import Level, Problem


def test_a_note_stands_in_the_headline() -> None:
    note = "policy of this change: the base has no `mergebar.yml`"
    facts = gating.Facts(checks=(), suites=(), policy=GatePolicy(), note=note)

    assert gating.decide(facts).headline == f"nothing affected ({note})"


def test_what_was_asked_for_and_what_is_configured_are_told_apart() -> None:
    asked = Problem(level=Level.ERROR, rule="config/unknown-agent", message="no agent `x`")
    configured = Problem(level=Level.ERROR, rule="config/type", message="no", path="mergebar.yml")

    assert _headline(asked) == "this can't run as it was asked for: 1 problem"
    assert _headline(configured) == "the configuration is invalid: 1 problem"


def _headline(problem: Problem) -> str:
    facts = gating.Facts(checks=(), suites=(), policy=GatePolicy(), config_problems=(problem,))
    return gating.decide(facts).headline
