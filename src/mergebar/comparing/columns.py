"""Comparable pairs in; sums for each case, in columns, out.

A case passes when all its checks here do. Columns of plain numbers, because there may be very
many cases: an object for each would take longer than all the rest.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from mergebar.comparing.changing import Pair
from mergebar.model.comparisons import ChangeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """How the cases that were measured here came out on both sides.

    `carried` are the cases besides. `passed` did on the base, so these could get worse.
    """

    n: int
    carried: int
    passed: int
    regressed: int
    improved: int


@dataclass(slots=True)
class Columns:
    """An entry per case in each list. Scores are sums, weighted like `scored`."""

    weights: list[float] = field(default_factory=list)
    base: list[bool] = field(default_factory=list)
    head: list[bool] = field(default_factory=list)
    measured: list[bool] = field(default_factory=list)
    scored: list[float] = field(default_factory=list)
    base_scores: list[float] = field(default_factory=list)
    head_scores: list[float] = field(default_factory=list)

    def count(self) -> Cases:
        """Count the cases by their outcomes."""
        outcomes = [
            (base, head)
            for base, head, measured in zip(self.base, self.head, self.measured, strict=True)
            if measured
        ]
        regressed, improved = outcomes.count((True, False)), outcomes.count((False, True))
        return Cases(
            n=len(outcomes),
            carried=len(self.measured) - len(outcomes),
            passed=regressed + outcomes.count((True, True)),
            regressed=regressed,
            improved=improved,
        )


def gather(pairs: Iterable[Pair]) -> Columns:
    """Put the pairs together by case, in one loop without calls: there may be very many."""
    columns = Columns()
    weights, scored = columns.weights, columns.scored
    rows: dict[tuple[str, str], int] = {}
    for pair in pairs:
        base, head = pair.base, pair.head
        row = rows.setdefault((head.suite, head.case), len(rows))
        if row == len(weights):
            _open(columns)
        weight = head.weight
        weights[row] += weight
        if base.outcome != "pass":
            columns.base[row] = False
        if head.outcome != "pass":
            columns.head[row] = False
        if pair.change.change is not ChangeKind.CARRIED:
            columns.measured[row] = True
        if base.score is not None and head.score is not None:
            scored[row] += weight
            columns.base_scores[row] += base.score * weight
            columns.head_scores[row] += head.score * weight
    return columns


def _open(columns: Columns) -> None:
    columns.weights.append(0.0)
    columns.base.append(True)
    columns.head.append(True)
    columns.measured.append(False)
    columns.scored.append(0.0)
    columns.base_scores.append(0.0)
    columns.head_scores.append(0.0)
