"""Several votes become one."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import prompting
from mergebar.model.judgements import Verdict


def votes(*scores: float) -> list[Verdict]:
    return [
        Verdict(score=score, reason=f"{number}: {score:g}") for number, score in enumerate(scores)
    ]


@pytest.mark.parametrize(
    ("scores", "median", "reason"),
    [
        ((4,), 4, "0: 4"),
        ((5, 1, 4), 4, "2: 4"),
        ((3, 3, 5), 3, "0: 3"),
        ((2, 4), 3, "0: 2"),
        ((4, 2), 3, "1: 2"),
        ((1, 5, 4, 4), 4, "2: 4"),
    ],
)
def test_the_median_counts_with_the_reason_of_the_vote_nearest_to_it(
    scores: tuple[float, ...], median: float, reason: str
) -> None:
    result = prompting.median_votes(votes(*scores))

    assert (result.score, result.reason) == (median, reason)


@given(st.lists(st.floats(1, 5), min_size=1))
def test_all_votes_are_kept_and_the_score_is_their_median(scores: list[float]) -> None:
    given_ = votes(*scores)

    result = prompting.median_votes(given_)

    assert result.votes == tuple(given_)
    assert result.score == statistics.median(scores)
    assert result.reason in {vote.reason for vote in given_}
