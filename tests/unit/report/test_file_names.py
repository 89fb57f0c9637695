"""Names of files for the paths of suites."""

from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from mergebar.report import file_names

PATHS = st.lists(st.text(alphabet="ab:A./~2\\\udcff\n\0", max_size=8), max_size=8, unique=True)


def below(*paths: str) -> dict[str, str]:
    return file_names.below("documents", paths)


def test_names_hold_nothing_that_the_artifact_service_forbids_and_are_distinct() -> None:
    names = below(
        "evals/a:b.json",
        "evals/a?b.json",
        "evals/a_b.json",
        'e/"<>|*\r\n\\.json',
        "plain",
        "x/é.json",
    )
    assert names == {
        "evals/a:b.json": "documents/evals/a_b.json",
        "evals/a?b.json": "documents/evals/a_b~2.json",
        "evals/a_b.json": "documents/evals/a_b~3.json",
        'e/"<>|*\r\n\\.json': "documents/e/________.json",
        "plain": "documents/plain",
        "x/é.json": "documents/x/é.json",
    }


def test_a_path_outside_the_repository_has_a_name_inside() -> None:
    paths = ["../outside/x.json", "/srv/x.json", "srv/x.json", "../../..", "/", "./a//b"]
    assert list(below(*paths).values()) == [
        "documents/_/outside/x.json",
        "documents/srv/x.json",
        "documents/srv/x~2.json",
        "documents/_/_/_",
        "documents/_~2",
        "documents/a/b",
    ]


def test_a_file_and_a_folder_of_one_name_are_told_apart() -> None:
    assert list(below("evals/a:x/b.json", "evals/a_x", "evals/a_x/b.json").values()) == [
        "documents/evals/a_x/b.json",
        "documents/evals/a_x~2",
        "documents/evals/a_x/b~2.json",
    ]
    assert list(below("evals/a_x", "evals/a:x/b.json").values()) == [
        "documents/evals/a_x",
        "documents/evals/a_x~2/b.json",
    ]


def test_names_that_differ_in_case_alone_are_told_apart() -> None:
    assert list(below("a/X.json", "a/x.json", "A/x.json").values()) == [
        "documents/a/X.json",
        "documents/a/x~2.json",
        "documents/A/x~3.json",
    ]


@given(PATHS)
def test_no_name_is_another_nor_leads_through_or_out_of_one(paths: list[str]) -> None:
    names = below(*paths)
    assert list(names) == paths
    folded = [name.casefold() for name in names.values()]
    assert len(set(folded)) == len(paths)
    for name in names.values():
        parts = PurePosixPath(name).parts
        assert parts[0] == "documents"
        assert ".." not in parts
        assert not set(name) & set('":<>|*?\\\r\n\0\udcff')
        parents = {parent.as_posix().casefold() for parent in PurePosixPath(name).parents}
        assert parents.isdisjoint(folded)
