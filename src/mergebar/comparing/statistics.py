"""Counts and scores of two sides in; how far chance alone explains their difference, out.

Every function names its source and works an example. All are exact or deterministic: the same
numbers give the same answer, on every machine and in every order.
"""

import hashlib
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from mergebar.model.comparisons import Interval

ALPHA = 0.05
Z = 1.959963984540054
"""The two-sided 95 % point of the normal distribution."""

RESAMPLES = 1000
BOOTSTRAP_LIMIT = 250
_SEED = 1
_WORDS = 4
_DONE = 1e-18


def mcnemar_one_sided(worse: int, better: int) -> float:
    """The chance of at least `worse` of the cases that changed having got worse by luck.

    McNemar's test in its exact form, the sign test: under the null hypothesis each case that
    changed was as likely to get worse as better (Q. McNemar, Psychometrika 12, 1947; exact form:
    A. Agresti, Categorical Data Analysis, 10.1). Cases that didn't change say nothing.

    Eight got worse and two better: 56 of the 1024 ways to toss ten coins show at least eight
    heads.

    >>> mcnemar_one_sided(8, 2)
    0.0546875
    >>> mcnemar_one_sided(0, 0)
    1.0
    """
    return _upper_tail(worse, worse + better)


def mcnemar_two_sided(worse: int, better: int) -> float:
    """The same for a difference in either direction: twice the smaller side, at most 1.

    >>> mcnemar_two_sided(8, 2), mcnemar_two_sided(2, 8)
    (0.109375, 0.109375)
    >>> mcnemar_two_sided(3, 3)
    1.0
    """
    return min(1.0, 2 * _upper_tail(max(worse, better), worse + better))


def _upper_tail(at_least: int, tosses: int) -> float:
    """P(X >= at_least) for X ~ Binomial(tosses, 1/2).

    The first term is exact, an integer divided by another; each next one follows from it.
    """
    if at_least <= 0:
        return 1.0
    if at_least * 2 <= tosses:
        return 1.0 - _upper_tail(tosses - at_least + 1, tosses)
    term = math.comb(tosses, at_least) / (1 << tosses)
    terms: list[float] = []
    for heads in range(at_least, tosses + 1):
        if terms and term <= terms[0] * _DONE:
            break
        terms.append(term)
        term *= (tosses - heads) / (heads + 1)
    return math.fsum(terms)


def fewest_changes(*, sides: int = 2, alpha: float = ALPHA) -> int:
    """How many cases must change, all in one direction, before McNemar's p is below alpha.

    The smallest k with sides * (1/2)^k < alpha: 2/32 is not below 0.05, and 2/64 is.

    >>> fewest_changes(sides=2), fewest_changes(sides=1)
    (6, 5)
    """
    changes = 1
    while sides * 0.5**changes >= alpha:
        changes += 1
    return changes


def minimum_detectable_difference(
    cases: int, *, sides: int = 2, alpha: float = ALPHA
) -> float | None:
    """The smallest difference in the share of passing cases that so many cases can show.

    It takes `fewest_changes` of them, all in one direction; `None` where there are not so many.
    Twelve cases can't show less than 50 points, forty not less than 15.

    >>> minimum_detectable_difference(12), minimum_detectable_difference(40)
    (0.5, 0.15)
    >>> minimum_detectable_difference(5) is None
    True
    """
    fewest = fewest_changes(sides=sides, alpha=alpha)
    return fewest / cases if cases >= fewest else None


def effective_size(weights: Sequence[float]) -> float:
    """How many equally weighted cases tell as much as these.

    The square of the sum over the sum of the squares (L. Kish, Survey Sampling, 1965, 11.7). The
    scale of the weights doesn't matter.

    >>> effective_size([2, 2, 2])
    3.0
    >>> round(effective_size([1e-9, 1e9]), 6)
    1.0
    """
    largest = max(weights, default=0)
    if largest <= 0:
        return 0.0
    scaled = [weight / largest for weight in weights]
    return math.fsum(scaled) ** 2 / math.fsum(weight * weight for weight in scaled)


def wilson(rate: float, size: float) -> Interval:
    """The 95 % interval of a rate that was found in a sample of this size.

    E. B. Wilson's score interval (JASA 22, 1927); `size` needs not be whole. Eight of ten passing
    says that between 49 % and 94 % of all such cases would.

    >>> found = wilson(0.8, 10)
    >>> round(found.low, 4), round(found.high, 4)
    (0.4902, 0.9433)
    """
    spread = Z * Z / size
    centre = rate + spread / 2
    half = Z * math.sqrt(rate * (1 - rate) / size + spread / size / 4)
    return Interval(
        low=min(rate, max(0.0, (centre - half) / (1 + spread))),
        high=max(rate, min(1.0, (centre + half) / (1 + spread))),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """How a sample of this `size` came out on two sides, as shares that add up to 1."""

    both: float
    worse: float
    better: float
    neither: float
    size: float

    @property
    def base(self) -> float:
        """The pass rate of the first side."""
        return self.both + self.worse

    @property
    def head(self) -> float:
        """The pass rate of the second side."""
        return self.both + self.better


def paired_interval(pairs: Pairs) -> Interval:
    """The 95 % interval of the difference of two rates over the same cases, second less first.

    R. G. Newcombe's method 10 (Statistics in Medicine 17, 1998, 2635-2650): Wilson's interval of
    each rate, squared and added, less what the two have in common by their correlation. Of 21
    cases, one passes on both sides, one on the first only, seven on the second only:

    >>> share = 1 / 21
    >>> found = paired_interval(
    ...     Pairs(both=share, worse=share, better=7 * share, neither=12 * share, size=21)
    ... )
    >>> round(found.low, 4), round(found.high, 4)
    (0.0256, 0.5069)
    """
    base, head = pairs.base, pairs.head
    of_base, of_head = wilson(_clamped(base), pairs.size), wilson(_clamped(head), pairs.size)
    common = _correlation(pairs)
    low = _joined(head - of_head.low, of_base.high - base, common)
    high = _joined(of_head.high - head, base - of_base.low, common)
    delta = head - base
    return Interval(low=max(-1.0, delta - low), high=min(1.0, delta + high))


def _joined(one: float, other: float, common: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * common * one * other + other * other))


def _correlation(pairs: Pairs) -> float:
    """Phi, with Newcombe's correction for continuity where it is positive."""
    base, head = pairs.base, pairs.head
    variance = base * (1 - base) * head * (1 - head)
    if variance <= 0:
        return 0.0
    covariance = pairs.both * pairs.neither - pairs.worse * pairs.better
    if covariance > 0:
        covariance = max(0.0, covariance - 0.5 / pairs.size)
    return covariance / math.sqrt(variance)


def _clamped(rate: float) -> float:
    return min(1.0, max(0.0, rate))


def bootstrap(
    differences: Sequence[float], weights: Sequence[float], *, seed: int = _SEED
) -> Interval:
    """The 95 % interval of the weighted mean difference of scores, case by case.

    Percentile bootstrap over cases (B. Efron and R. Tibshirani, An Introduction to the Bootstrap,
    1993, chapter 13): draw as many cases with replacement, a thousand times, and leave out the
    lowest and highest 2.5 % of their means. Half of the draws are made on the negated differences,
    so that exchanging the sides exchanges the ends. Above 250 cases the mean is as good as normal,
    and its standard error says the same at once.

    Ten cases of which half fell by one point, and half kept their score:

    >>> bootstrap([-1.0] * 5 + [0.0] * 5, [1.0] * 10)
    Interval(low=-0.8, high=-0.2)
    """
    cases = sorted(zip(differences, weights, strict=True))
    if len(cases) > BOOTSTRAP_LIMIT:
        return _normal(cases)
    mirrored = sorted((-difference, weight) for difference, weight in cases)
    below, above = _ends(cases, seed), _ends(mirrored, seed)
    # Adding nothing turns a negative zero into a zero.
    return Interval(low=(below.low - above.high) / 2 + 0.0, high=(below.high - above.low) / 2 + 0.0)


def _ends(cases: Sequence[tuple[float, float]], seed: int) -> Interval:
    weights = [weight for _, weight in cases]
    products = [difference * weight for difference, weight in cases]
    means = []
    drawn = _indexes(seed, RESAMPLES // 2 * len(cases), len(cases))
    for start in range(0, len(drawn), len(cases)):
        chosen = drawn[start : start + len(cases)]
        total = sum(map(weights.__getitem__, chosen))
        means.append(sum(map(products.__getitem__, chosen)) / total)
    means.sort()
    tail = int(len(means) * ALPHA / 2)
    return Interval(low=means[tail], high=means[-1 - tail])


def _indexes(seed: int, count: int, below: int) -> list[int]:
    """Evenly distributed whole numbers, from a stream of SHAKE-128 over the seed."""
    stream = hashlib.shake_128(seed.to_bytes(8, "big")).digest(count * _WORDS)
    return [word * below >> 32 for word in struct.unpack(f">{count}I", stream)]


def _normal(cases: Sequence[tuple[float, float]]) -> Interval:
    """Mean and standard error of a weighted mean (linearized, as the bootstrap converges to)."""
    total = math.fsum(weight for _, weight in cases)
    mean = math.fsum(difference * weight for difference, weight in cases) / total
    squares = math.fsum((weight * (difference - mean)) ** 2 for difference, weight in cases)
    half = Z * math.sqrt(squares) / total
    return Interval(low=mean - half, high=mean + half)
