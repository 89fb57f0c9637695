"""Limits in characters and in bytes, and what a cut may not tear apart."""

from hypothesis import given
from hypothesis import strategies as st

from mergebar.untrusted import truncation
from support import hostile


@given(text=hostile.texts, limit=st.integers(0, 40))
def test_the_result_is_never_over_the_limit(text: str, limit: int) -> None:
    assert len(truncation.characters(text, limit)) <= limit
    assert len(truncation.utf8(text, limit).encode("utf-8", "backslashreplace")) <= limit


@given(text=st.text(max_size=40))
def test_what_fits_is_left_alone(text: str) -> None:
    assert truncation.characters(text, len(text)) == text
    assert truncation.utf8(text, len(text.encode())) == text


@given(text=st.text(min_size=1, max_size=40), limit=st.integers(1, 30))
def test_a_cut_shows(text: str, limit: int) -> None:
    cut = truncation.characters(text, limit)
    assert cut == text or cut.endswith("…")


def test_a_letter_keeps_its_accents_and_a_joined_emoji_its_parts() -> None:
    assert truncation.characters("abce\u0301f", 5) == "abc…"
    assert truncation.characters("ab\U0001f469\u200d\U0001f4bbxyz", 5) == "ab…"
    assert truncation.utf8("aé字字", 8) == "aé…"


def test_nothing_but_accents_is_still_cut() -> None:
    assert len(truncation.characters("\u0301" * 100, 50)) == 50
