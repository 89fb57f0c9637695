"""What a judge sees of an artifact: never the evals that it is judged by."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.model.text import Json
from mergebar.reading import front_matter
from mergebar.suites import artifacts as reader
from support import artifacts


def shown(data: str) -> str:
    return reader.without_evals(data.encode(), path="SKILL.md")


def test_only_the_declarations_are_left_out() -> None:
    front = "name: mend\nmetadata:\n  author: me\n  evals: One thing.\n  eval-skip: false\n"

    assert shown(artifacts.text(front)) == (
        "---\nname: mend\nmetadata:\n  author: me\n---\nMend the leak.\n"
    )


def test_what_is_empty_without_them_is_left_out_too() -> None:
    assert shown(artifacts.text("metadata: {evals: One thing.}\n")) == "Mend the leak.\n"
    assert shown("Mend the leak.\n") == "Mend the leak.\n"


@pytest.mark.parametrize(
    "data",
    [
        "---\nmetadata: {evals: SECRET\n---\nBody\n",
        "---\n- SECRET\n---\nBody\n",
        '+++\n[metadata]\nevals = "SECRET"\n+++\nBody\n',
        ';;;\n{"metadata": {"evals": "SECRET"}}\n;;;\nBody\n',
    ],
)
def test_no_form_gives_them_away(data: str) -> None:
    assert shown(data) == "Body\n"


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("abc: #'\"\n-é", max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2),
    max_leaves=6,
)  # fmt: skip


@given(st.dictionaries(st.text("abcd", min_size=1, max_size=3), _VALUES, max_size=3))
def test_all_else_of_the_front_matter_says_what_it_said(front: dict[str, Json]) -> None:
    declared: dict[str, Json] = {"evals": ["SECRET"], "author": "me"}
    whole: dict[str, Json] = {**front, "metadata": declared}
    data = f";;;\n{json.dumps(whole)}\n;;;\nBody\n"

    text = shown(data)

    assert "SECRET" not in text
    again = front_matter.read(text.encode(), path="SKILL.md")
    assert again.value == {**front, "metadata": {"author": "me"}}
    assert again.body == "Body\n"
