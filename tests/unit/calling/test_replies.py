"""Numbers and words of a reply: what can't be believed is nothing, and a beginning says it's one."""

import pytest

from mergebar.calling import replies
from mergebar.model.bounds import MOST_TOKENS, MOST_USD

ODD = [None, True, False, "3", [3], {"n": 3}, -1, 10**400]


@pytest.mark.parametrize("value", [0, 1, MOST_TOKENS])
def test_a_number_of_tokens_is_taken(value: int) -> None:
    assert replies.count(value) == value


@pytest.mark.parametrize("value", [*ODD, 1.5, MOST_TOKENS + 1], ids=str)
def test_what_is_no_number_of_tokens_is_nothing(value: object) -> None:
    assert replies.count(value) is None


@pytest.mark.parametrize("value", [0, 0.25, 1, MOST_USD])
def test_an_amount_is_taken(value: float) -> None:
    assert replies.cost(value) == value


@pytest.mark.parametrize("value", [*ODD, MOST_USD * 1.01, float("nan"), float("inf")], ids=str)
def test_what_is_no_amount_is_nothing(value: object) -> None:
    assert replies.cost(value) is None


def test_a_short_body_is_shown_whole() -> None:
    assert replies.begins(b"<html>") == "<html>"
    assert replies.begins(b"x" * 60) == "x" * 60


@pytest.mark.parametrize("body", [b"x" * 61, b"x" * 999, b" " * 241], ids=len)
def test_what_goes_on_says_so_once(body: bytes) -> None:
    shown = replies.begins(body)
    assert shown.endswith("…")
    assert not shown.endswith("……")
    assert len(shown) <= 60


def test_blanks_are_no_more_than_they_say() -> None:
    assert replies.begins(b" " * 240) == ""
