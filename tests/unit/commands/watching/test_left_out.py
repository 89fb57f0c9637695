"""Suites and traces that changed, and that aren't on disk, are said: nothing would measure them."""

from pathlib import Path

import pytest

from mergebar import config, plugins
from mergebar.commands import workspace
from mergebar.commands.watching import left_out
from mergebar.model.changes import Change, Changes, Status
from mergebar.model.problems import Level

CONFIG = """\
version: 1
agents:
  desk: {type: command, command: [run], sources: [src/**]}
documents:
  - {paths: [evals/**, "!evals/old/**"], agent: desk}
artifacts:
  - {paths: [skills/*/SKILL.md], traces: [traces/*.jsonl]}
"""


def told(folder: Path, *changes: Change) -> list[str | None]:
    parsed = config.parse(CONFIG.encode(), path="mergebar.yml", explain=plugins.explain)
    assert parsed.config is not None, parsed.problems
    place = workspace.here(folder)
    found = tuple(left_out.changed(parsed.config, place, Changes(files=changes)))
    assert {one.level for one in found} <= {Level.ERROR}
    return [one.path for one in found]


@pytest.mark.parametrize("path", ["evals/a/b.json", "skills/mend/SKILL.md", "traces/one.jsonl"])
def test_what_the_configuration_selects_has_to_be_there_if_it_changed(
    tmp_path: Path, path: str
) -> None:
    moved = Change(path=path, old_path="elsewhere", status=Status.RENAMED)
    assert told(tmp_path, Change(path=path)) == told(tmp_path, moved) == [path]
    assert told(tmp_path, Change(path=path, status=Status.DELETED)) == []

    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).symlink_to("nowhere")
    assert told(tmp_path, Change(path=path)) == []


def test_what_nothing_is_measured_on_may_be_missing(tmp_path: Path) -> None:
    names = ("README.md", "evals/old/a.json", "src/a.py")
    assert told(tmp_path, *(Change(path=name) for name in names)) == []
