"""Names that the artifact service takes, and slugs that can be told apart."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mergebar.edge.artifacts import names, report_name, slug


@pytest.mark.parametrize("key", ["mergebar", "support-agent", "v1.2_nightly", "A"])
def test_a_key_that_can_stand_in_a_name_is_its_own_slug(key: str) -> None:
    assert slug(key) == key
    assert report_name(key) == f"mergebar-report-{key}"


@pytest.mark.parametrize(
    ("key", "start"),
    [("support / hr", "support-hr-"), ("größe: groß", "gr-e-gro-"), ('a"b', "a-b-")],
)
def test_what_a_name_can_not_have_is_replaced_and_a_digest_tells_the_keys_apart(
    key: str, start: str
) -> None:
    assert slug(key).startswith(start)
    assert len(slug(key)) == len(start) + 8
    assert slug(key) == slug(key)


def test_a_key_without_any_usable_character_still_gets_a_slug() -> None:
    assert len(slug("日本語")) == 8
    assert slug("日本語") != slug("日本")
    assert len(slug("")) == 8


@given(st.text())
def test_every_slug_makes_a_valid_name_of_bounded_length(key: str) -> None:
    assert names.name_problem(report_name(key)) is None
    assert names.path_problem(slug(key)) in {None, "leaves the artifact", "has an empty part"}
    assert report_name(key).isascii()
    assert len(slug(key)) <= 60


@given(st.text(max_size=80), st.text(max_size=80))
def test_two_keys_never_share_a_slug(one: str, other: str) -> None:
    assume(one != other)

    assert slug(one) != slug(other)


def test_long_keys_with_the_same_beginning_differ() -> None:
    assert slug("x" * 100) != slug("x" * 101)


@pytest.mark.parametrize("mark", ['"', ":", "<", ">", "|", "*", "?", "\r", "\n", "\\", "/", "\0"])
def test_a_name_with_a_forbidden_character_is_refused(mark: str) -> None:
    assert names.name_problem(f"a{mark}b") is not None


def test_the_problem_names_the_character() -> None:
    assert names.name_problem("a:b") == (
        "has the character :, which artifacts can't have in a name"
    )
    assert names.name_problem("") == "is empty"
    assert names.name_problem("a\nb") == "has a line break or another control character"


@pytest.mark.parametrize("name", ["a", "report 1", "größe", "a.b", "日本"])
def test_other_names_are_fine(name: str) -> None:
    assert names.name_problem(name) is None


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/etc/passwd", "is absolute"),
        ("../x", "leaves the artifact"),
        ("a/../../x", "leaves the artifact"),
        ("", "has an empty part"),
        ("a//b", "has an empty part"),
        ("./a", "has an empty part"),
        ("a/", "has an empty part"),
        ("..\\x", "has the character \\, which artifacts can't have in a name"),
        ("C:x", "has the character :, which artifacts can't have in a name"),
        ("a\rb", "has a line break or another control character"),
        ("a\ud800b", "has half of a surrogate pair"),
    ],
)
def test_a_path_that_leaves_the_artifact_or_can_not_be_in_it_is_refused(
    path: str, problem: str
) -> None:
    assert names.path_problem(path) == problem


@pytest.mark.parametrize(
    "path", ["report.json", "documents/evals/a b.json", "...", "größe/日.json"]
)
def test_other_paths_are_fine(path: str) -> None:
    assert names.path_problem(path) is None
