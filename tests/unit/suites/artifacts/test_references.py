"""The names by which sessions call artifacts, resolved."""

from mergebar.model.artifacts import Artifact, ArtifactType
from mergebar.suites import artifacts as reader
from support import artifacts

SKILL, AGENT = ArtifactType.SKILL, ArtifactType.AGENT

PLUGIN = "plugins/pipes/skills/mend/SKILL.md"
OWN = ".claude/skills/mend/SKILL.md"


def repository(*paths: str) -> list[Artifact]:
    return [artifacts.read("name: fixer\n", path=path) for path in paths]


def resolved(reference: str, *paths: str, kind: ArtifactType = SKILL) -> tuple[str | None, int]:
    found = reader.resolve(reference, kind, repository(*paths))
    return found.artifact.path if found.artifact else None, len(found.others)


def test_a_plugins_skill_is_called_with_its_prefix() -> None:
    assert resolved("pipes:mend", OWN, PLUGIN) == (PLUGIN, 0)
    assert resolved("mend", PLUGIN, OWN) == (OWN, 1)
    assert resolved("mend", PLUGIN) == (PLUGIN, 0)
    assert resolved("ipes:mend", OWN, PLUGIN) == (None, 0)


def test_a_name_in_the_front_matter_is_one_too_after_that_of_the_folder() -> None:
    assert resolved("fixer", OWN) == (OWN, 0)
    assert resolved("fixer", OWN, ".claude/skills/fixer/SKILL.md") == (".claude/skills/fixer/SKILL.md", 1)  # fmt: skip


def test_the_shortest_path_wins() -> None:
    deep = "packages/web/skills/mend/SKILL.md"

    assert resolved("mend", deep, "skills/mend/SKILL.md") == ("skills/mend/SKILL.md", 1)
    assert resolved("mend", ".github/skills/mend/SKILL.md", OWN) == (OWN, 1)


def test_each_type_has_names_of_its_own() -> None:
    agent, command = ".claude/agents/mend.md", ".claude/commands/mend.md"

    assert resolved("mend", OWN, agent, command, kind=AGENT) == (agent, 0)
    assert resolved("/mend", OWN, agent, command, kind=ArtifactType.SLASH_COMMAND) == (command, 0)


def test_another_case_is_no_match_and_is_named() -> None:
    found = reader.resolve("Mend", SKILL, repository(OWN))

    assert found.artifact is None
    assert found.near == "mend"
