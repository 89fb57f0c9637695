"""Groups of a config on real folders."""

from pathlib import Path

from mergebar.model.configuration import DocumentGroup
from mergebar.model.problems import Location
from mergebar.suites import groups

DOCUMENT = '{"schemaVersion": "1.7.0", "items": []}'


def _group(*paths: str, line: int = 1, implied: bool = False) -> DocumentGroup:
    return DocumentGroup(
        paths=paths,
        agent=None,
        runs=1,
        min_pass_rate=None,
        location=Location(path="mergebar.yml", line=line, column=5),
        implied=implied,
    )


def _write(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        (root / f"{name}.json").write_text(text)


def test_a_group_holds_whatever_its_globs_select(tmp_path: Path) -> None:
    _write(tmp_path, a=DOCUMENT, data="{}")

    grouped = groups.resolve(tmp_path, [_group("*.json")])

    assert grouped == groups.Grouped(files=(("a.json", "data.json"),), problems=())


def test_an_implied_group_holds_documents_and_may_be_empty(tmp_path: Path) -> None:
    _write(tmp_path, a=DOCUMENT, data="{}")

    grouped = groups.resolve(tmp_path, [_group("*.json", "evals/*.json", implied=True)])

    assert grouped == groups.Grouped(files=(("a.json",),), problems=())


def test_a_glob_that_selects_nothing_is_told_at_its_group(tmp_path: Path) -> None:
    _write(tmp_path, a=DOCUMENT)

    (problem,) = groups.resolve(tmp_path, [_group("*.json"), _group("b/*", line=7)]).problems

    assert (problem.rule, problem.path, problem.line, problem.column) == (
        "config/no-match",
        "mergebar.yml",
        7,
        5,
    )
    assert "`documents[1].paths`: `b/*` matches no file" in problem.message


def test_a_file_in_two_groups_is_told_at_the_second(tmp_path: Path) -> None:
    _write(tmp_path, a=DOCUMENT)

    (problem,) = groups.resolve(tmp_path, [_group("*.json"), _group("/a.json", line=9)]).problems

    assert (problem.rule, problem.line) == ("config/two-groups", 9)
    assert '"!a.json"' in problem.message
