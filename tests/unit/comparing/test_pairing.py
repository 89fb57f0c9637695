"""Which checks of two reports are the same one: by identity, never by position or number."""

from hypothesis import given
from hypothesis import strategies as st

from mergebar.comparing.pairing import pair
from mergebar.model.reports import ReportCheck
from support.comparisons import check, measured


def matched(
    base: list[ReportCheck], head: list[ReportCheck], **renames: str
) -> list[tuple[str, str]]:
    moved = {f"evals/{old}.json": f"evals/{new}.json" for old, new in renames.items()}
    found = pair(base, head, renames=moved)
    return sorted((old.id, new.id) for old, new in found.matched)


def cases(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(old.split("::")[1], new.split("::")[1]) for old, new in found]


def test_a_check_is_itself_by_suite_case_turn_and_name() -> None:
    base = check("a")
    head = [
        check("a", suite="evals/other.json"),
        check("b"),
        check("a", turn=1),
        check("a", name="Relevance"),
    ]
    assert matched([base], head) == []
    assert matched([base], [*head, check("a", "fail")]) == [(base.id, base.id)]


def test_what_only_one_side_has_is_new_or_gone() -> None:
    found = pair([check("a"), check("b")], [check("b"), check("c")], renames={})
    assert [one.case for one in found.new] == ["c"]
    assert [one.case for one in found.gone] == ["a"]


def test_a_renamed_suite_keeps_its_checks() -> None:
    found = matched([check("a", suite="evals/x.json")], [check("a", suite="evals/y.json")], x="y")
    assert len(found) == 1


def test_two_suites_can_exchange_their_names() -> None:
    base = [check("a", suite="evals/x.json"), check("b", suite="evals/y.json")]
    head = [check("b", suite="evals/x.json"), check("a", suite="evals/y.json")]
    assert cases(matched(base, head, x="y", y="x")) == [("a", "a"), ("b", "b")]


def test_a_rename_onto_a_suite_that_was_there_already_moves_nothing() -> None:
    base = [check("a", suite="evals/x.json"), check("a", "fail", suite="evals/y.json")]
    assert matched(base, [check("a", suite="evals/y.json")], x="y") == [(base[1].id, base[1].id)]


def test_of_two_checks_with_one_identity_the_first_counts() -> None:
    found = pair([check("a"), check("a", "fail")], [check("a")], renames={})
    assert [old.outcome for old, _ in found.matched] == ["pass"]
    assert found.gone == ()


ONE, TWO, THREE = (measured(expected=text) for text in ("one", "two", "three"))


def test_duplicate_prompts_that_change_places_stay_themselves() -> None:
    base = [check("k", parts=ONE), check("k~2", parts=TWO)]
    head = [check("k", parts=TWO), check("k~2", parts=ONE)]
    assert cases(matched(base, head)) == [("k", "k~2"), ("k~2", "k")]


def test_duplicate_prompts_with_other_evaluators_stay_themselves() -> None:
    base = [check("k", name="ExactMatch"), check("k~2", name="Relevance")]
    head = [check("k", name="Relevance"), check("k~2", name="ExactMatch")]
    found = pair(base, head, renames={})
    assert [(old.name, new.name) for old, new in found.matched] == [
        ("Relevance", "Relevance"),
        ("ExactMatch", "ExactMatch"),
    ]
    assert found.new == found.gone == ()


def test_of_two_duplicates_the_one_that_was_deleted_is_gone() -> None:
    base = [check("k", "fail", parts=ONE), check("k~2", parts=TWO)]
    found = pair(base, [check("k", parts=TWO)], renames={})
    assert [(old.case, new.case) for old, new in found.matched] == [("k~2", "k")]
    assert [one.case for one in found.gone] == ["k"]


def test_an_edited_duplicate_is_compared_with_what_is_left() -> None:
    base = [check("k", parts=ONE), check("k~2", parts=TWO)]
    head = [check("k", parts=TWO), check("k~2", parts=THREE)]
    assert cases(matched(base, head)) == [("k", "k~2"), ("k~2", "k")]


def test_a_duplicate_that_was_added_before_the_others_is_the_new_one() -> None:
    base = [check("k", parts=ONE)]
    head = [check("k", parts=THREE), check("k~2", parts=ONE)]
    found = pair(base, head, renames={})
    assert [(old.case, new.case) for old, new in found.matched] == [("k", "k~2")]
    assert [one.case for one in found.new] == ["k"]


def test_duplicates_of_a_renamed_suite_stay_themselves() -> None:
    base = [
        check("k", suite="evals/x.json", parts=ONE),
        check("k~2", suite="evals/x.json", parts=TWO),
    ]
    head = [
        check("k", suite="evals/y.json", parts=TWO),
        check("k~2", suite="evals/y.json", parts=ONE),
    ]
    assert cases(matched(base, head, x="y")) == [("k", "k~2"), ("k~2", "k")]


def test_an_id_with_a_tilde_is_an_id() -> None:
    base = [check("v~1", parts=ONE), check("v~2", parts=TWO)]
    assert cases(matched(base, base[::-1])) == [("v~1", "v~1"), ("v~2", "v~2")]


@given(
    contents=st.lists(st.sampled_from(["one", "two", "three", "four"]), max_size=6),
    order=st.randoms(use_true_random=False),
)
def test_a_document_of_duplicates_can_be_reordered_at_will(
    contents: list[str], order: object
) -> None:
    shuffled = list(contents)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    base, head = _document(contents), _document(shuffled)
    found = pair(base, head, renames={})
    assert found.new == found.gone == ()
    assert all(old.definition == new.definition for old, new in found.matched)


def _document(contents: list[str]) -> list[ReportCheck]:
    return [
        check("k" if index == 0 else f"k~{index + 1}", parts=measured(expected=text))
        for index, text in enumerate(contents)
    ]


def asked(case: str, *prompts: str, **more: str) -> list[ReportCheck]:
    """A case by its key, with a check on each turn; the last digest is that of all its prompts."""
    return [
        check(case, turn=turn, parts=measured(prompt=prompt), **more)  # type: ignore[arg-type]
        for turn, prompt in enumerate(prompts)
    ]


def test_a_case_that_is_given_an_id_or_loses_it_keeps_its_past() -> None:
    unnamed, named = asked("d1", "d1"), asked("reset", "d1")
    assert cases(matched(unnamed, named)) == [("d1", "reset")]
    assert cases(matched(named, unnamed)) == [("reset", "d1")]
    thread = asked("d2", "d1", "d2"), asked("A talk", "d1", "d2")
    assert cases(matched(*thread)) == [("d2", "A talk"), ("d2", "A talk")]
    moved = asked("reset", "d1", suite="evals/y.json")
    assert cases(matched(asked("d1", "d1", suite="evals/x.json"), moved, x="y")) == [
        ("d1", "reset")
    ]


def test_another_id_is_another_case_and_so_is_another_prompt() -> None:
    assert matched(asked("old", "d1"), asked("new", "d1")) == []
    assert matched(asked("d1", "d1"), asked("reset", "d2")) == []
    assert matched(asked("d1", "d1"), asked("reset", "d1", suite="evals/other.json")) == []


def test_a_case_that_is_still_there_gives_nothing_away() -> None:
    both = [*asked("d1", "d1"), *asked("reset", "d1")]
    assert cases(matched(asked("d1", "d1"), both)) == [("d1", "d1")]
    assert cases(matched(both, asked("reset", "d1"))) == [("reset", "reset")]
    less = [*asked("reset", "d1"), *asked("reset", "d1", name="Relevance")]
    copied = [*asked("reset", "d1"), *asked("d1", "d1")]
    assert cases(matched(less, copied)) == [("reset", "reset")]


def test_of_several_with_the_same_prompts_nobody_can_tell() -> None:
    assert matched([*asked("d1", "d1"), *asked("d1~2", "d1")], asked("reset", "d1")) == []
    assert matched(asked("d1", "d1"), [*asked("one", "d1"), *asked("two", "d1")]) == []
