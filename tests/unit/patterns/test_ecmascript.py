"""Regular expressions mean what ECMAScript says, and a fault is a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.patterns import ecmascript

MEANS = [
    (r"\d", "", "٣", False),
    (r"\w", "u", "é", False),
    (r"\s", "", "\ufeff", True),
    ("a$", "", "a\n", False),
    ("a$", "m", "a\nb", True),
    (".", "", "\u2028", False),
    (".", "s", "\n", True),
    (r"(?<n>a)\k<n>", "", "xaa", True),
    ("(?<=a+)b", "", "aab", True),
    (r"\p{Lu}", "u", "é", False),
    (r"\p{Lu}", "u", "É", True),
    ("ABC", "i", "xabcx", True),
    ("ABC", "", "xabcx", False),
    ("a", "gy", "ba", True),
    ("]", "", "]", True),
    ("x{", "", "x{", True),
    (r"[\s\S]{3}", "", "a\nb", True),
    ("", "", "", True),
]

WRONG = [
    ("[", "", "Unbalanced bracket".lower()),
    ("(?P<n>a)", "", "is no ECMAScript regular expression"),
    ("a**", "", "is no ECMAScript regular expression"),
    ("a{2}{3}", "", "is no ECMAScript regular expression"),
    ("\\", "", "is no ECMAScript regular expression"),
    ("(?<n>a)(?<n>b)", "", "is no ECMAScript regular expression"),
    ("(" * 4000 + ")" * 4000, "", "nested"),
    ("a|" * 5000, "", "at most 8,192"),
    ("a", "x", "doesn't exist"),
    ("a", "ii", "twice"),
    ("a", "v", "write the pattern for `u`"),
    ("a", "d", "isn't supported"),
    ("a", "\n", "doesn't exist"),
]


@pytest.mark.parametrize(("pattern", "flags", "text", "expected"), MEANS)
def test_a_pattern_means_what_ecmascript_says(
    pattern: str, flags: str, text: str, *, expected: bool
) -> None:
    assert ecmascript.fault(pattern, flags) is None
    assert ecmascript.search(pattern, flags, text) is expected


@pytest.mark.parametrize(("pattern", "flags", "said"), WRONG)
def test_a_fault_is_the_end_of_one_line(pattern: str, flags: str, said: str) -> None:
    found = ecmascript.fault(pattern, flags)

    assert found is not None
    assert said in found
    assert "\n" not in found
    with pytest.raises(ValueError, match=r"flag|expression|characters"):
        ecmascript.search(pattern, flags, "a")


@given(st.text(st.characters(), max_size=40), st.text("gimsuydvx", max_size=4))
def test_no_text_is_too_odd_to_be_looked_at(pattern: str, flags: str) -> None:
    found = ecmascript.fault(pattern, flags)

    assert found is None or found


@given(st.text(st.characters(), max_size=20))
def test_a_text_with_halves_of_characters_is_searched(text: str) -> None:
    assert ecmascript.search("^", "", text) is True


@pytest.mark.parametrize("pattern", ["a|" * 4096, "[a-z]" * 1638, "(?=a)" * 1638, "a*" * 4096])
def test_the_longest_patterns_are_read_without_a_crash(pattern: str) -> None:
    assert ecmascript.fault(pattern) is None
