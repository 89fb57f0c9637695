"""The votes of a judge on one assertion in, what they allow out (spec, section 5.1)."""

import math
from collections.abc import Sequence

from mergebar.model.conversations import Failure
from mergebar.model.gradings import Consensus, Zone
from mergebar.model.judgements import Match, Opinion

AUTO_PASS = AUTO_FAIL = 0.8
"""The mean confidence from which on a unanimous vote needs nobody's look."""

_DUST = 1e-9


def settle(given: Sequence[Opinion | Failure]) -> Consensus:
    """Only a unanimous, sure and complete vote is automatic; a partial match speaks against."""
    opinions = [one for one in given if isinstance(one, Opinion)]
    passed, partial, failed = (
        sum(1 for one in opinions if one.match is match)
        for match in (Match.PASS, Match.PARTIAL, Match.FAIL)
    )
    against = failed + partial
    mean = math.fsum(one.confidence for one in opinions) / len(opinions) if opinions else 0.0
    return Consensus(
        passed=passed,
        failed=failed,
        partial=partial,
        errors=len(given) - len(opinions),
        mean_confidence=mean,
        zone=_zone(passed, against, mean=mean, complete=len(opinions) == len(given)),
    )


def _zone(passed: int, against: int, *, mean: float, complete: bool) -> Zone:
    if complete and passed and not against and mean >= AUTO_PASS - _DUST:
        return Zone.AUTO_PASS
    if complete and against and not passed and mean >= AUTO_FAIL - _DUST:
        return Zone.AUTO_FAIL
    return Zone.REVIEW


def standing(given: Sequence[Opinion | Failure], settled: Consensus) -> Opinion | None:
    """The opinion whose words stand for all: the surest of the majority, the first of equals."""
    opinions = [one for one in given if isinstance(one, Opinion)]
    passes = settled.passed > settled.failed + settled.partial
    side = [one for one in opinions if (one.match is Match.PASS) == passes]
    return max(side or opinions, key=lambda one: one.confidence, default=None)
