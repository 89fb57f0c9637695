"""Which changes count as mergebar's own."""

from pathlib import Path

import pytest

from mergebar.commands.watching import own_output
from mergebar.commands.workspace import Place
from mergebar.model.changes import Change, Changes, Status

WRITTEN = (
    ".mergebar/report.json",
    ".mergebar/comment.md",
    ".mergebar/documents/evals/a.json",
    ".mergebar/cache/ab/cd",
    ".mergebar/journal.jsonl",
)


def left(tmp_path: Path, *changes: Change, output: str = ".mergebar") -> list[str]:
    place = Place(cwd=tmp_path, top=tmp_path)
    found = own_output.excluded(Changes(files=changes), place, output=output)
    return [change.path for change in found.files]


@pytest.mark.parametrize("path", WRITTEN)
def test_what_a_run_writes_is_dropped_only_where_git_does_not_know_it(
    tmp_path: Path, path: str
) -> None:
    loose = Change(path=path, status=Status.ADDED, untracked=True)
    assert left(tmp_path, loose) == []
    assert left(tmp_path, loose, output="out") == [path]
    for status in Status:
        assert left(tmp_path, Change(path=path, status=status)) == [path]


@pytest.mark.parametrize(
    "path",
    [
        ".mergebar/prompt.md",
        ".mergebar/recordings/evals/a.json",
        ".mergebar/report.json/x",
        ".mergebar/documents",
        ".mergebar2/report.json",
        "lib/.mergebar/report.json",
    ],
)
def test_whatever_else_is_in_the_folder_counts(tmp_path: Path, path: str) -> None:
    assert left(tmp_path, Change(path=path, status=Status.ADDED, untracked=True)) == [path]
