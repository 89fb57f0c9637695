"""Comparable pairs in; rates, intervals and a plain verdict, per evaluator and in total, out.

Rates are over checks, with the weights of the head on both sides. Inference is over cases: a
case passes when all its checks here do, however often it was put to the agent.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mergebar.comparing import statistics
from mergebar.comparing.changing import Pair
from mergebar.comparing.wording import counted, points
from mergebar.model.comparisons import ChangeKind, Interval, Scores, Standing, Tally

_DIGITS = 12


@dataclass(slots=True)
class _Case:
    """Sums over the pairs of one case."""

    pairs: list[Pair]

    @property
    def weight(self) -> float:
        return math.fsum(pair.head.weight for pair in self.pairs)

    @property
    def measured(self) -> bool:
        return any(pair.change.change is not ChangeKind.CARRIED for pair in self.pairs)

    @property
    def outcome(self) -> tuple[bool, bool]:
        """Whether it passed on the base, and here."""
        return (
            all(pair.base.outcome == "pass" for pair in self.pairs),
            all(pair.head.outcome == "pass" for pair in self.pairs),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """How the cases that were measured here came out on both sides.

    `carried` are the cases besides. `passed` on the base, so these could get worse.
    """

    n: int
    carried: int
    passed: int
    regressed: int
    improved: int


def evaluators(pairs: Iterable[Pair]) -> tuple[Tally, ...]:
    """One row per evaluator, by name, over all its pairs, whether they gate or not."""
    by_name: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_name[pair.head.name].append(pair)
    return tuple(_tally(name, by_name[name]) for name in sorted(by_name))


def total(pairs: Iterable[Pair]) -> Tally:
    """All that gates."""
    return _tally(None, [pair for pair in pairs if pair.head.gating])


def cases(pairs: Iterable[Pair]) -> Cases:
    """Count the cases of these pairs."""
    return _counted(_by_case(pairs))


def rates(pairs: Sequence[Pair]) -> tuple[float, float] | None:
    """The weighted pass rates of base and head; `None` where nothing has a weight.

    Rounded to 12 digits: the scale of the weights can't tip a comparison.
    """
    weight = math.fsum(pair.head.weight for pair in pairs)
    if weight <= 0:
        return None
    base = math.fsum(pair.head.weight for pair in pairs if pair.base.outcome == "pass")
    head = math.fsum(pair.head.weight for pair in pairs if pair.head.outcome == "pass")
    return round(base / weight, _DIGITS), round(head / weight, _DIGITS)


def _by_case(pairs: Iterable[Pair]) -> list[_Case]:
    found: dict[tuple[str, str], _Case] = {}
    for pair in pairs:
        key = pair.head.suite, pair.head.case
        if key in found:
            found[key].pairs.append(pair)
        else:
            found[key] = _Case([pair])
    return list(found.values())


def _counted(found: Sequence[_Case]) -> Cases:
    outcomes = [case.outcome for case in found if case.measured]
    return Cases(
        n=len(outcomes),
        carried=len(found) - len(outcomes),
        passed=sum(base for base, _ in outcomes),
        regressed=outcomes.count((True, False)),
        improved=outcomes.count((False, True)),
    )


def _tally(name: str | None, pairs: Sequence[Pair]) -> Tally:
    found = _by_case(pairs)
    count = _counted(found)
    p = statistics.mcnemar_two_sided(count.regressed, count.improved)
    shares = _shares(pairs, found)
    base, head = rates(pairs) or (None, None)
    verdict = _verdict(count, p)
    return Tally(
        name=name,
        base=base,
        head=head,
        delta=None if base is None or head is None else round(head - base, _DIGITS),
        checks=len(pairs),
        n=count.n,
        carried=count.carried,
        regressed=count.regressed,
        improved=count.improved,
        p=p if count.n else None,
        interval=statistics.paired_interval(shares) if shares and count.n else None,
        base_interval=_interval(base, shares),
        head_interval=_interval(head, shares),
        scores=None if name is None else _scores(found),
        detectable=statistics.minimum_detectable_difference(count.n),
        verdict=verdict,
        note=_note(count, p, verdict),
    )


def _shares(pairs: Sequence[Pair], found: Sequence[_Case]) -> statistics.Pairs | None:
    """How the weight is distributed over the four ways to come out."""
    size = statistics.effective_size([case.weight for case in found])
    if size <= 0:
        return None
    weights: dict[tuple[str, str], float] = defaultdict(float)
    for pair in pairs:
        weights[pair.base.outcome, pair.head.outcome] += pair.head.weight
    whole = math.fsum(weights.values())
    return statistics.Pairs(
        both=weights["pass", "pass"] / whole,
        worse=weights["pass", "fail"] / whole,
        better=weights["fail", "pass"] / whole,
        neither=weights["fail", "fail"] / whole,
        size=size,
    )


def _interval(rate: float | None, shares: statistics.Pairs | None) -> Interval | None:
    return None if rate is None or shares is None else statistics.wilson(rate, shares.size)


def _verdict(count: Cases, p: float) -> Standing:
    if count.n < statistics.fewest_changes():
        return Standing.TOO_FEW
    if p >= statistics.ALPHA:
        return Standing.WITHIN_NOISE
    return Standing.REGRESSED if count.regressed > count.improved else Standing.IMPROVED


def _note(count: Cases, p: float, verdict: Standing) -> str:
    if not count.n:
        return "nothing was measured on both sides"
    if verdict is Standing.TOO_FEW:
        return f"{counted(count.n, 'case')} can't show any difference"
    changed = f"{count.regressed} of {count.n} cases regressed, {count.improved} improved"
    if verdict is not Standing.WITHIN_NOISE:
        return f"{changed} (p = {p:.2g})"
    least = statistics.minimum_detectable_difference(count.n) or 1
    return f"{changed}; {count.n} cases can't show less than {points(least)}"


def _scores(found: Sequence[_Case]) -> Scores | None:
    """Means over the cases that were scored on both sides and measured here."""
    means = [mean for case in found if case.measured and (mean := _mean(case)) is not None]
    weight = math.fsum(mean.weight for mean in means)
    if weight <= 0:
        return None
    base = math.fsum(mean.base * mean.weight for mean in means) / weight
    head = math.fsum(mean.head * mean.weight for mean in means) / weight
    return Scores(
        base=round(base, _DIGITS),
        head=round(head, _DIGITS),
        delta=round(head - base, _DIGITS),
        n=len(means),
        interval=_bootstrapped(means),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mean:
    base: float
    head: float
    weight: float


def _mean(case: _Case) -> _Mean | None:
    """The weighted mean of its scores on both sides."""
    scored = [
        (pair.base.score, pair.head.score, pair.head.weight)
        for pair in case.pairs
        if pair.base.score is not None and pair.head.score is not None
    ]
    weight = math.fsum(weight for _, _, weight in scored)
    if weight <= 0:
        return None
    return _Mean(
        base=math.fsum(base * weight for base, _, weight in scored) / weight,
        head=math.fsum(head * weight for _, head, weight in scored) / weight,
        weight=weight,
    )


def _bootstrapped(means: Sequence[_Mean]) -> Interval | None:
    """Too few cases to tell anything are too few to draw from."""
    if len(means) < statistics.fewest_changes():
        return None
    return statistics.bootstrap(
        [round(mean.head - mean.base, _DIGITS) for mean in means], [mean.weight for mean in means]
    )
