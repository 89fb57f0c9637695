"""Whether a model judges its own work, by names that are written in many ways."""

import pytest

from mergebar.graders import preference

SAME = [
    ("claude-x-4", "claude-x-4"),
    ("claude-x-4", "anthropic:claude-x-4"),
    ("openai/gpt-9-mini", "gpt-9-mini"),
    ("gpt-9-mini-2026-01-02", "gpt-9-mini"),
    ("claude-x-4-20260102", "claude-x-4[1m]"),
]


@pytest.mark.parametrize(("judge", "other"), SAME)
def test_one_model_under_two_names_is_one(judge: str, other: str) -> None:
    (said,) = preference.notices(judge, session=[other], authors=[])

    assert "its own work" in said


def test_the_session_goes_before_the_author() -> None:
    (said,) = preference.notices("m-1", session=["m-1"], authors=["m-1"])

    assert "session" in said


def test_an_author_is_pointed_out() -> None:
    (said,) = preference.notices("m-1", session=["other"], authors=["p:m-1"])

    assert "nobody has reviewed" in said


def test_a_relative_is_pointed_out() -> None:
    (said,) = preference.notices("claude-opus-4", session=["claude-opus-3"], authors=[])

    assert "of its own family" in said


@pytest.mark.parametrize("judge", [None, "m-1", ""])
def test_strangers_are_nothing_to_say(judge: str | None) -> None:
    assert list(preference.notices(judge, session=["n-2", ""], authors=["o-3", "x:"])) == []
