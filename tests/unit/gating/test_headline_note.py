"""What a reader has to know before believing a headline."""

from mergebar import gating
from mergebar.model.configuration import GatePolicy


def test_a_note_stands_in_the_headline() -> None:
    note = "policy of this change: the base has no `mergebar.yml`"
    facts = gating.Facts(checks=(), suites=(), policy=GatePolicy(), note=note)

    assert gating.decide(facts).headline == f"nothing affected ({note})"
