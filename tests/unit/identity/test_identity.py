"""Keys and digests."""

from hypothesis import given
from hypothesis import strategies as st

from mergebar import identity

KEYS = st.lists(st.sampled_from(["a", "a~2", "a~3", "b", "b~2"]) | st.text(max_size=4))


def test_a_case_is_called_by_its_id_then_its_name_then_its_prompts() -> None:
    prompts = ["How do I reset it?"]

    assert identity.case_key(id="reset", name="Reset", prompts=prompts) == "reset"
    assert identity.case_key(id=None, name="Reset", prompts=prompts) == "Reset"
    unnamed = identity.case_key(id=None, name=None, prompts=prompts)
    assert len(unnamed) == 12
    assert unnamed != identity.case_key(id=None, name=None, prompts=["How do I set it?"])


@given(KEYS)
def test_distinguished_keys_are_distinct_and_keep_each_first_one(keys: list[str]) -> None:
    distinct = identity.distinguish(keys)

    assert len(set(distinct)) == len(keys)
    for key in set(keys):
        assert distinct[keys.index(key)] == key


def test_duplicates_are_numbered_in_order() -> None:
    assert identity.distinguish(["a", "b", "a", "a~2", "a"]) == ("a", "b", "a~3", "a~2", "a~4")


def test_the_order_of_keys_does_not_change_a_digest_but_the_values_do() -> None:
    assert identity.digest({"a": 1, "b": 2}) == identity.digest({"b": 2, "a": 1})
    assert identity.digest({"a": 1}) != identity.digest({"a": 1.5})
    assert identity.digest({"a": "1"}) != identity.digest({"a": 1})


def test_a_lone_surrogate_still_has_a_digest() -> None:
    assert identity.digest("\ud800") != identity.digest("\ud801")


def test_the_id_of_a_check_names_suite_case_turn_and_evaluator() -> None:
    assert identity.check_id(suite="e.json", case="k", turn=0, name="ExactMatch") == (
        "e.json::k::0::ExactMatch"
    )
    assert identity.check_id(suite="SKILL.md", case="t", turn=None, name="cites") == (
        "SKILL.md::t::cites"
    )


@given(st.text())
def test_a_label_is_one_short_line(text: str) -> None:
    label = identity.label(text)

    assert len(label) <= identity.LABEL_LENGTH
    assert "\n" not in label
    assert label == label.strip()
