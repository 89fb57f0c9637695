"""Sources that no change can ever touch are said."""

from pathlib import Path

import pytest

from mergebar import config, plugins
from mergebar.commands import workspace
from mergebar.commands.watching import source_globs
from mergebar.model.changes import Change, Changes, Status
from mergebar.model.problems import Level


def unmatched(folder: Path, sources: str, *changes: Change) -> list[str]:
    text = f"version: 1\nagents:\n  a: {{type: command, command: [x], sources: {sources}}}\n"
    parsed = config.parse(text.encode(), path="mergebar.yml", explain=plugins.explain)
    assert parsed.config is not None, parsed.problems
    place = workspace.here(folder)
    found = source_globs.unmatched(parsed.config, place, Changes(files=changes))
    assert all((one.level, one.line) == (Level.WARNING, 3) for one in found)
    return [one.message.split("`")[1] for one in found]


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ("[agent.py, 'prompts/**']", []),
        ("[agent.py, 'prompt/**']", ["prompt/**"]),
        ("['*.md', '!old.md', agent.py]", []),
        ("['prompts/', 'docs/']", ["docs/"]),
        ("[]", []),
    ],
)
def test_each_glob_has_to_select_a_file(tmp_path: Path, sources: str, expected: list[str]) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "a.md").write_text("", encoding="utf-8")
    (tmp_path / "agent.py").write_text("", encoding="utf-8")

    assert unmatched(tmp_path, sources) == expected


def test_what_this_change_takes_away_still_counts(tmp_path: Path) -> None:
    gone = Change(path="prompts/a.md", status=Status.DELETED)
    moved = Change(path="texts/b.md", old_path="lib/b.md", status=Status.RENAMED)

    assert unmatched(tmp_path, "['prompts/**', 'lib/*.md', 'etc/**']", gone, moved) == ["etc/**"]
