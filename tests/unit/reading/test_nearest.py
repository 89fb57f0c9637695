"""The name that was probably meant."""

import pytest

from mergebar.reading.nearest import nearest

KNOWN = ["Relevance", "ExactMatch", "expected_response", "max_rank", "paths"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("relevance", "Relevance"),
        ("RELEVANCE", "Relevance"),
        ("exact_match", "ExactMatch"),
        ("maxRank", "max_rank"),
        ("expeceted_response", "expected_response"),
        ("Relevence", "Relevance"),
        ("path", "paths"),
        ("Fluency", None),
        ("", None),
        ("x" * 1000, None),
    ],
)
def test_another_case_comes_first_and_then_the_most_similar(name: str, meant: str | None) -> None:
    assert nearest(name, KNOWN) == meant


def test_an_exact_match_in_another_case_beats_a_similar_name() -> None:
    assert nearest("PATHS", ["pathss", "paths"]) == "paths"


def test_nothing_known_means_nothing_near() -> None:
    assert nearest("x", []) is None
