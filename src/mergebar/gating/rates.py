"""Check results in; how much of them passed, by weight, out."""

import math
from collections.abc import Iterable

from mergebar.model.results import CheckResult, Outcome

_DIGITS = 9


def pass_rate(results: Iterable[CheckResult]) -> float | None:
    """Weight of passes by weight of passes and fails, over gating checks; 0 to 1.

    `None` where nothing is graded. Rounded to 9 digits, so that the scale of the weights can't
    tip a comparison.
    """
    graded = [
        result
        for result in results
        if result.check.gating and result.outcome in {Outcome.PASS, Outcome.FAIL}
    ]
    heaviest = max((result.check.weight for result in graded), default=0)
    if heaviest <= 0:
        return None
    # Shares of the heaviest: no weight is so large that a sum of them would overflow.
    total = math.fsum(result.check.weight / heaviest for result in graded)
    passes = math.fsum(
        result.check.weight / heaviest for result in graded if result.outcome is Outcome.PASS
    )
    return round(passes / total, _DIGITS)
