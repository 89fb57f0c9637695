"""The statistics: their worked examples, SciPy's answers, and what holds for all numbers."""

import doctest
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mergebar.comparing import statistics
from mergebar.comparing.statistics import Pairs
from mergebar.model.comparisons import Interval

RELAXED = settings(deadline=None, max_examples=40)
COUNTS = st.integers(0, 400)
RATES = st.floats(0, 1)
SIZES = st.floats(0.5, 1e6)


def test_the_worked_examples_are_true() -> None:
    assert doctest.testmod(statistics).failed == 0


def test_every_public_function_works_an_example() -> None:
    public = {
        statistics.mcnemar_one_sided,
        statistics.mcnemar_two_sided,
        statistics.fewest_changes,
        statistics.minimum_detectable_difference,
        statistics.effective_size,
        statistics.wilson,
        statistics.paired_interval,
        statistics.bootstrap,
    }
    assert all(">>>" in (function.__doc__ or "") for function in public)


@RELAXED
@given(worse=COUNTS, better=COUNTS)
def test_mcnemar_agrees_with_scipy(worse: int, better: int) -> None:
    if worse + better == 0:
        assert statistics.mcnemar_two_sided(0, 0) == 1
        return
    tosses = worse + better
    two = stats.binomtest(worse, tosses, 0.5).pvalue
    one = stats.binomtest(worse, tosses, 0.5, alternative="greater").pvalue
    assert statistics.mcnemar_two_sided(worse, better) == pytest.approx(two, rel=1e-9, abs=1e-300)
    assert statistics.mcnemar_one_sided(worse, better) == pytest.approx(one, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("worse", "better"), [(50_000, 50_000), (50_600, 49_400), (60_000, 0)])
def test_mcnemar_is_exact_for_very_many_cases(worse: int, better: int) -> None:
    expected = stats.binomtest(worse, worse + better, 0.5).pvalue
    found = statistics.mcnemar_two_sided(worse, better)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-300)


@RELAXED
@given(worse=COUNTS, better=COUNTS)
def test_exchanging_the_sides_keeps_the_two_sided_test(worse: int, better: int) -> None:
    assert statistics.mcnemar_two_sided(worse, better) == statistics.mcnemar_two_sided(
        better, worse
    )


@RELAXED
@given(passed=COUNTS, failed=COUNTS)
def test_wilson_agrees_with_scipy(passed: int, failed: int) -> None:
    size = passed + failed
    if size == 0:
        return
    expected = stats.binomtest(passed, size).proportion_ci(method="wilson")
    found = statistics.wilson(passed / size, size)
    assert found.low == pytest.approx(float(expected.low), rel=1e-9, abs=1e-12)
    assert found.high == pytest.approx(float(expected.high), rel=1e-9, abs=1e-12)


@RELAXED
@given(rate=RATES, size=SIZES)
def test_wilson_holds_the_rate_and_stays_a_rate(rate: float, size: float) -> None:
    found = statistics.wilson(rate, size)
    assert 0 <= found.low <= rate <= found.high <= 1


def test_the_paired_interval_is_the_published_one() -> None:
    # 1, 1, 7 and 12 of 21: the example of Fagerland, Lydersen and Laake, 2017, chapter 8.
    found = statistics.paired_interval(
        Pairs(both=1 / 21, worse=7 / 21, better=1 / 21, neither=12 / 21, size=21)
    )
    assert (round(found.low, 3), round(found.high, 3)) == (-0.507, -0.026)


@RELAXED
@given(worse=RATES, size=SIZES)
def test_without_correlation_it_joins_two_wilson_intervals(worse: float, size: float) -> None:
    # Everything passes on one side, so that phi is zero.
    found = statistics.paired_interval(
        Pairs(both=1 - worse, worse=worse, better=0, neither=0, size=size)
    )
    base, head = statistics.wilson(1, size), statistics.wilson(1 - worse, size)
    expected = -worse - math.hypot(1 - worse - head.low, base.high - 1)
    assert found.low == pytest.approx(max(-1, expected), abs=1e-9)


@st.composite
def pairs(draw: st.DrawFn) -> Pairs:
    counts = draw(st.tuples(*[st.integers(0, 50)] * 4).filter(any))
    whole = sum(counts)
    both, worse, better, neither = (count / whole for count in counts)
    return Pairs(both=both, worse=worse, better=better, neither=neither, size=draw(SIZES))


@RELAXED
@given(found=pairs())
def test_the_paired_interval_holds_the_difference(found: Pairs) -> None:
    interval = statistics.paired_interval(found)
    delta = found.head - found.base
    assert -1 <= interval.low <= delta + 1e-12
    assert delta - 1e-12 <= interval.high <= 1


@RELAXED
@given(found=pairs())
def test_exchanging_the_sides_exchanges_the_ends(found: Pairs) -> None:
    there = statistics.paired_interval(found)
    back = statistics.paired_interval(
        Pairs(
            both=found.both,
            worse=found.better,
            better=found.worse,
            neither=found.neither,
            size=found.size,
        )
    )
    assert back.low == pytest.approx(-there.high, abs=1e-12)
    assert back.high == pytest.approx(-there.low, abs=1e-12)


DIFFERENCES = st.lists(st.floats(-5, 5), min_size=1, max_size=30)


def _bootstrap(differences: list[float]) -> Interval:
    return statistics.bootstrap(differences, [1.0] * len(differences))


@RELAXED
@given(differences=DIFFERENCES)
def test_the_bootstrap_depends_on_no_order_and_no_chance(differences: list[float]) -> None:
    assert _bootstrap(differences) == _bootstrap(differences[::-1])


@RELAXED
@given(differences=DIFFERENCES)
def test_negating_all_differences_exchanges_the_ends_of_the_bootstrap(
    differences: list[float],
) -> None:
    there, back = _bootstrap(differences), _bootstrap([-one for one in differences])
    assert (back.low, back.high) == (-there.high, -there.low)


@RELAXED
@given(differences=DIFFERENCES, scale=st.sampled_from([1e-9, 0.25, 8.0, 1e9]))
def test_the_scale_of_the_weights_doesnt_matter_to_the_bootstrap(
    differences: list[float], scale: float
) -> None:
    plain = _bootstrap(differences)
    scaled = statistics.bootstrap(differences, [scale] * len(differences))
    assert scaled.low == pytest.approx(plain.low, abs=1e-9)
    assert scaled.high == pytest.approx(plain.high, abs=1e-9)


def test_another_seed_draws_other_cases() -> None:
    scores = [0.1 * step for step in range(12)]
    drawn = {statistics.bootstrap(scores, [1.0] * 12, seed=seed).low for seed in range(5)}
    assert len(drawn) > 1


@pytest.mark.parametrize("cases", [12, 60, 250, 251, 900])
def test_the_bootstrap_agrees_with_scipys(cases: int) -> None:
    scores = [float((step * 7) % 5 - 1) for step in range(cases)]
    expected = stats.bootstrap(
        (scores,), lambda sample, axis: sample.mean(axis=axis), method="percentile", rng=3
    ).confidence_interval
    found = _bootstrap(scores)
    tolerance = 0.25 * (float(expected.high) - float(expected.low))
    assert found.low == pytest.approx(float(expected.low), abs=tolerance)
    assert found.high == pytest.approx(float(expected.high), abs=tolerance)


def test_a_heavy_case_moves_the_bootstrap_more() -> None:
    light = statistics.bootstrap([-1.0] + [0.0] * 9, [1.0] * 10)
    heavy = statistics.bootstrap([-1.0] + [0.0] * 9, [50.0] + [1.0] * 9)
    assert heavy.low < light.low


@RELAXED
@given(cases=st.integers(0, 1000), sides=st.sampled_from([1, 2]))
def test_what_is_detectable_is_what_the_test_finds(cases: int, sides: int) -> None:
    found = statistics.minimum_detectable_difference(cases, sides=sides)
    test = statistics.mcnemar_one_sided if sides == 1 else statistics.mcnemar_two_sided
    if found is None:
        assert test(cases, 0) >= statistics.ALPHA
        return
    fewest = round(found * cases)
    assert test(fewest, 0) < statistics.ALPHA <= test(fewest - 1, 0)


@RELAXED
@given(weights=st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=20))
def test_the_effective_size_is_between_one_and_all(weights: list[float]) -> None:
    found = statistics.effective_size(weights)
    assert 1 - 1e-9 <= found <= len(weights) + 1e-9


def test_without_weight_nothing_counts() -> None:
    assert statistics.effective_size([]) == 0
    assert statistics.effective_size([0.0, 0.0]) == 0
