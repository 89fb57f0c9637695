"""Numbers as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.report import figures
from support import reports


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (4, "4"),
        (4.5, "4.5"),
        (2 / 3, "0.67"),
        (100, "100"),
        (-0.5, "-0.5"),
        (-0.001, "0"),
        (0, "0"),
    ],
)
def test_a_decimal_says_no_more_than_it_has_to(value: float, shown: str) -> None:
    assert figures.decimal(value) == shown


@pytest.mark.parametrize(
    ("rate", "shown"),
    [
        (1, "100 %"),
        (0.99999, "99.9 %"),
        (2 / 3, "66.6 %"),
        (0.875, "87.5 %"),
        (0.29, "29 %"),
        (0, "0 %"),
        (None, "–"),
    ],
)
def test_a_rate_is_never_rounded_up_to_all_of_it(rate: float | None, shown: str) -> None:
    assert figures.percent(rate) == shown


@pytest.mark.parametrize(
    ("score", "threshold", "shown"),
    [
        (2, 3, "2 < 3"),
        (4, 3, "4 ≥ 3"),
        (0.6666, 0.67, "0.667 < 0.67"),
        (0.5, 0.5, "0.5 ≥ 0.5"),
        (1, None, "1"),
    ],
)
def test_a_score_is_told_apart_from_its_threshold(
    score: float, threshold: float | None, shown: str
) -> None:
    outcome = "fail" if threshold and score < threshold else "pass"
    check = reports.check(outcome=outcome, score=score, threshold=threshold)
    assert figures.score(check) == shown


@pytest.mark.parametrize(
    ("number", "shown"), [(999, "999"), (1_000, "1k"), (51_300, "51.3k"), (2_400_000, "2.4M")]
)
def test_large_numbers_are_shortened(number: int, shown: str) -> None:
    assert figures.scale(number) == shown


@given(rate=st.floats(0, 1))
def test_a_percentage_is_at_most_a_tenth_below_its_rate(rate: float) -> None:
    shown = float(figures.percent(rate).removesuffix(" %"))
    assert shown <= rate * 100 + 1e-3
    assert shown > rate * 100 - 0.1 - 1e-6
