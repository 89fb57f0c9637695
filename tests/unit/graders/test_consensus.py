"""The arithmetic of votes on an assertion, with the values of the spec."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.graders import consensus
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import Zone
from mergebar.model.judgements import Match, Opinion
from support.graded import opinion

ERROR = Failure(error_class=ErrorClass.THROTTLED, message="too many")
VOTES = [
    ("fail .90, fail .85, partial .80", Zone.AUTO_FAIL),
    ("fail .99, fail .99, pass .99", Zone.REVIEW),
    ("pass .95, pass .95, error", Zone.REVIEW),
    ("pass .80", Zone.AUTO_PASS),
    ("pass .79", Zone.REVIEW),
    ("pass .97, pass .97, fail .90", Zone.REVIEW),
    ("pass .9, fail .9", Zone.REVIEW),
    ("pass .8, pass .8, pass .8", Zone.AUTO_PASS),
    ("pass .7, pass .8, pass .9", Zone.AUTO_PASS),
    ("fail .7, fail .8, fail .9", Zone.AUTO_FAIL),
    ("fail .7, fail .7, fail .9", Zone.REVIEW),
    ("partial .9, partial .9, partial .9", Zone.AUTO_FAIL),
    ("pass .95, pass .95, partial .95", Zone.REVIEW),
    ("error, error", Zone.REVIEW),
    ("error, fail .9, fail .9", Zone.REVIEW),
]


def votes(text: str) -> list[Opinion | Failure]:
    words = [vote.split() for vote in text.split(", ")]
    return [ERROR if one == ["error"] else opinion(one[0], float(one[1])) for one in words]


@pytest.mark.parametrize(("given_", "zone"), VOTES)
def test_the_zone_of_a_vote(given_: str, zone: Zone) -> None:
    assert consensus.settle(votes(given_)).zone is zone


def test_counts_and_confidence() -> None:
    settled = consensus.settle(votes("fail .90, fail .85, partial .80"))

    assert (settled.passed, settled.failed, settled.partial, settled.errors) == (0, 2, 1, 0)
    assert settled.mean_confidence == pytest.approx(0.85)


def test_the_words_are_those_of_the_surest_vote_of_the_majority() -> None:
    given_ = [opinion("pass", 0.99, "sure"), opinion("fail", 0.6, "a"), opinion("fail", 0.7, "b")]

    words = consensus.standing(given_, consensus.settle(given_))

    assert words is not None
    assert words.reason == "b"
    assert consensus.standing([ERROR], consensus.settle([ERROR])) is None


OPINIONS = st.lists(
    st.builds(opinion, st.sampled_from(list(Match)), st.floats(0, 1)) | st.just(ERROR),
    min_size=1,
    max_size=6,
)


@given(OPINIONS, st.randoms())
def test_the_order_of_votes_never_matters(
    given_: list[Opinion | Failure], chance: random.Random
) -> None:
    shuffled = list(given_)
    chance.shuffle(shuffled)

    assert consensus.settle(shuffled) == consensus.settle(given_)


@given(OPINIONS)
def test_a_missing_or_contrary_vote_is_never_automatic(given_: list[Opinion | Failure]) -> None:
    zone = consensus.settle(given_).zone
    matches = {one.match is Match.PASS for one in given_ if isinstance(one, Opinion)}

    if ERROR in given_ or len(matches) != 1:
        assert zone is Zone.REVIEW
    if zone is Zone.AUTO_PASS:
        assert matches == {True}
