"""Comparable pairs and `gate.max_drop` in; whether the rule fires, and whether it could, out.

Product contract, section 8, rule 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mergebar.comparing import statistics, tallying
from mergebar.comparing.changing import Pair
from mergebar.comparing.columns import gather
from mergebar.comparing.wording import points
from mergebar.reading.sentences import counted

_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """`fired` says by how much the rate fell, where that is too much. `note` is for people."""

    fired: str | None = None
    note: str | None = None


def judge(pairs: Sequence[Pair], *, max_drop: float | None) -> Drop:
    """Apply the rule: the rate must have fallen by more, and not by chance.

    Without `max_drop` there is no rule. It needs cases that passed on the base and were measured
    here: only these can get worse.
    """
    if max_drop is None:
        return Drop()
    gating = [pair for pair in pairs if pair.head.gating]
    found = gather(gating).count()
    fewest = statistics.fewest_changes(sides=1)
    if found.passed < fewest:
        return Drop(
            note=f"`gate.max_drop` can't fire here: of the cases that pass in the baseline, "
            f"{found.passed} were measured here, and it takes {fewest}"
        )
    rates = tallying.rates(gating)
    p = statistics.mcnemar_one_sided(found.regressed, found.improved)
    if rates is None or round(rates[0] - rates[1], _DIGITS) <= max_drop:
        return Drop()
    fell = f"the pass rate over {counted(len(gating), 'comparable check')} fell by "
    fell += f"{points(rates[0] - rates[1])}, and `gate.max_drop` allows {points(max_drop)}"
    if p >= statistics.ALPHA:
        return Drop(note=f"{fell}, but that may be chance (p = {p:.2g})")
    return Drop(fired=f"{fell} (p = {p:.2g})")
