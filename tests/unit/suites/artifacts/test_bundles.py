"""What a plug-in brings is called with the plug-in's name before its own."""

from pathlib import Path

import pytest

from mergebar.model.artifacts import ArtifactType
from mergebar.suites import artifacts
from mergebar.suites.artifacts import inventory
from support import suites

SKILL = "---\nname: mend\ndescription: Mends.\n---\nMend.\n"


def references(root: Path, path: str, manifest: str | None, text: str | None) -> tuple[str, ...]:
    """Of the artifact at a path, where maybe a manifest of a plug-in lies."""
    for name, content in ((path, SKILL), (manifest, text)):
        if name is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content or "")
    found = inventory.everything(root, explain=suites.explain)
    [artifact] = [one for one in found.artifacts if one.path == path]
    return artifact.identity.references


PLUGIN = ".claude-plugin/plugin.json"
NAMED = '{"name": "pipes"}'


@pytest.mark.parametrize(
    ("path", "manifest", "text", "expected"),
    [
        ("tools/water/skills/mend/SKILL.md", f"tools/water/{PLUGIN}", NAMED, "pipes"),
        ("tools/water/skills/mend/SKILL.md", f"tools/water/{PLUGIN}", "{}", "water"),
        ("tools/water/skills/mend/SKILL.md", f"tools/water/{PLUGIN}", "no JSON", "water"),
        ("tools/water/skills/mend/SKILL.md", f"tools/water/{PLUGIN}", '{"name": 3}', "water"),
        ("tools/water/skills/mend/SKILL.md", f"tools/water/{PLUGIN}", "[" * 9999, "water"),
        ("skills/mend/SKILL.md", PLUGIN, NAMED, "pipes"),
        ("agents/mend.md", PLUGIN, NAMED, "pipes"),
    ],
)
def test_what_lies_beside_a_manifest_is_called_by_both_names(
    tmp_path: Path, path: str, manifest: str, text: str, expected: str
) -> None:
    assert references(tmp_path, path, manifest, text) == (f"{expected}:mend", "mend")


@pytest.mark.parametrize(
    ("path", "manifest", "type_"),
    [
        ("commands/fix.md", PLUGIN, ArtifactType.SLASH_COMMAND),
        ("commands/water/fix.md", PLUGIN, ArtifactType.SLASH_COMMAND),
        ("tools/water/commands/fix.md", f"tools/water/{PLUGIN}", ArtifactType.SLASH_COMMAND),
        ("tools/water/agents/fix.md", f"tools/water/{PLUGIN}", ArtifactType.AGENT),
    ],
)
def test_commands_and_agents_of_a_plug_in_are_what_its_folders_say(
    tmp_path: Path, path: str, manifest: str, type_: ArtifactType
) -> None:
    assert references(tmp_path, path, manifest, NAMED) == (
        "pipes:fix", "fix", "pipes:mend", "mend",
    )  # fmt: skip
    named = inventory.survey(tmp_path, [path], explain=suites.explain)
    assert [one.identity.type for one in named.artifacts] == [type_]


@pytest.mark.parametrize("path", ["docs/commands/fix.md", "docs/agents/fix.md", "notes/fix.md"])
def test_prose_in_a_plug_in_is_neither(tmp_path: Path, path: str) -> None:
    (tmp_path / PLUGIN).parent.mkdir()
    (tmp_path / PLUGIN).write_text(NAMED)
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(SKILL)

    assert inventory.everything(tmp_path, explain=suites.explain).artifacts == ()
    (named,) = inventory.survey(tmp_path, [path], explain=suites.explain).artifacts
    assert named.identity.type is ArtifactType.PROJECT_RULES


@pytest.mark.parametrize(
    ("path", "manifest", "text"),
    [
        ("skills/mend/SKILL.md", None, None),
        ("skills/mend/SKILL.md", PLUGIN, "{}"),
        (".claude/skills/mend/SKILL.md", PLUGIN, NAMED),
        (".claude/skills/mend/SKILL.md", f".claude/{PLUGIN}", NAMED),
        ("tools/water/skills/mend/SKILL.md", PLUGIN, NAMED),
    ],
)
def test_what_lies_elsewhere_has_no_other_name(
    tmp_path: Path, path: str, manifest: str | None, text: str | None
) -> None:
    assert references(tmp_path, path, manifest, text) == ("mend",)


def test_below_plugins_the_folder_is_a_name_too(tmp_path: Path) -> None:
    path = "plugins/water/skills/mend/SKILL.md"

    found = references(tmp_path, path, f"plugins/water/{PLUGIN}", NAMED)

    assert found == ("pipes:mend", "mend", "water:mend")


def test_a_link_out_of_the_repository_names_nothing(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    (root / ".claude-plugin").mkdir(parents=True)
    (tmp_path / "plugin.json").write_text(NAMED)
    (root / PLUGIN).symlink_to(tmp_path / "plugin.json")

    assert references(root, "skills/mend/SKILL.md", None, None) == ("mend",)


def test_the_name_in_the_front_matter_gets_the_prefix_too(tmp_path: Path) -> None:
    path = "skills/repair/SKILL.md"

    found = references(tmp_path, path, PLUGIN, NAMED)

    assert found == ("pipes:repair", "repair", "pipes:mend", "mend")
    assert artifacts.read(
        SKILL.encode(), path=path, explain=suites.explain
    ).identity.references == (
        "repair",
        "mend",
    )
