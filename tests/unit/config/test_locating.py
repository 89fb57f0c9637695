"""Where the configuration is, and what only looks like one."""

from pathlib import Path

import pytest

from mergebar import config
from mergebar.model.problems import Level


def _write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("version: 1\n")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([], None),
        (["mergebar.yml"], "mergebar.yml"),
        ([".github/mergebar.yml"], ".github/mergebar.yml"),
        ([".github/mergebar.yml", "mergebar.yml"], "mergebar.yml"),
        (["mergebar.yaml"], None),
        (["deeper/mergebar.yml"], None),
    ],
)
def test_it_is_in_the_working_directory_and_then_in_dot_github(
    tmp_path: Path, files: list[str], expected: str | None
) -> None:
    _write(tmp_path, *files)

    assert config.locate(tmp_path) == expected


def test_a_broken_link_or_a_folder_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "link").mkdir()
    (tmp_path / "link/mergebar.yml").symlink_to("nowhere")
    (tmp_path / "folder/mergebar.yml").mkdir(parents=True)

    assert config.locate(tmp_path / "link") == "mergebar.yml"
    assert config.locate(tmp_path / "folder") == "mergebar.yml"


def test_a_misspelt_name_is_an_error_where_nothing_else_is(tmp_path: Path) -> None:
    _write(tmp_path, ".github/mergebar.yaml")

    (problem,) = config.overlooked(tmp_path)

    assert problem.level is Level.ERROR
    assert problem.rule == "config/misnamed"
    assert problem.path == ".github/mergebar.yaml"
    assert "rename it" in problem.message


def test_a_misspelt_name_beside_the_right_one_is_a_warning(tmp_path: Path) -> None:
    _write(tmp_path, "mergebar.yml", "mergebar.yaml", ".github/mergebar.yml")

    problems = config.overlooked(tmp_path)

    assert [(problem.level, problem.path) for problem in problems] == [
        (Level.WARNING, "mergebar.yaml"),
        (Level.WARNING, ".github/mergebar.yml"),
    ]


def test_what_was_asked_for_by_name_is_not_overlooked(tmp_path: Path) -> None:
    _write(tmp_path, "mergebar.yaml", ".mergebar.yml")

    (problem,) = config.overlooked(tmp_path, named="mergebar.yaml")

    assert (problem.level, problem.path) == (Level.WARNING, ".mergebar.yml")


def test_a_repository_without_any_has_nothing_overlooked(tmp_path: Path) -> None:
    assert config.overlooked(tmp_path) == ()
    _write(tmp_path, "mergebar.yml")
    assert config.overlooked(tmp_path) == ()


def test_without_a_file_there_are_the_usual_documents_no_agent_and_no_judge() -> None:
    default = config.default()

    assert default.path is None
    assert default.agents == ()
    assert default.judge is None
    (group,) = default.documents
    assert group.implied
    assert "/evals/*.json" in group.paths
