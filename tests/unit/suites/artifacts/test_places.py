"""Where artifacts live, and what sessions call them."""

import pytest

from mergebar.model.artifacts import ArtifactType
from mergebar.suites.artifacts import places

SKILL, AGENT = ArtifactType.SKILL, ArtifactType.AGENT
COMMAND, RULES = ArtifactType.SLASH_COMMAND, ArtifactType.PROJECT_RULES


@pytest.mark.parametrize(
    ("path", "type_", "host", "references"),
    [
        (".claude/skills/mend/SKILL.md", SKILL, "claude", ("mend",)),
        ("packages/a/.claude/skills/mend/SKILL.md", SKILL, "claude", ("mend",)),
        ("skills/mend/SKILL.md", SKILL, "", ("mend",)),
        ("src/skills/mend/SKILL.md", SKILL, "", ("mend",)),
        (".github/skills/mend/SKILL.md", SKILL, "github", ("mend",)),
        (".agents/skills/mend/SKILL.md", SKILL, "agents", ("mend",)),
        (".gemini/skills/mend/SKILL.md", SKILL, "gemini", ("mend",)),
        (".codex/skills/mend/SKILL.md", SKILL, "codex", ("mend",)),
        ("plugins/pipes/skills/mend/SKILL.md", SKILL, "", ("pipes:mend", "mend")),
        ("skills/mend/skill.md", SKILL, "", ("mend",)),
        (".claude/agents/plumber.md", AGENT, "claude", ("plumber",)),
        (".github/agents/plumber.agent.md", AGENT, "github", ("plumber",)),
        (".github/agents/water/plumber.md", AGENT, "github", ("plumber",)),
        (".gemini/agents/plumber.md", AGENT, "gemini", ("plumber",)),
        ("agents/plumber.md", AGENT, "", ("plumber",)),
        ("plugins/pipes/agents/plumber.md", AGENT, "", ("pipes:plumber", "plumber")),
        (".claude/commands/mend.md", COMMAND, "claude", ("mend",)),
        (".claude/commands/water/mend.md", COMMAND, "claude", ("mend",)),
        ("plugins/pipes/commands/mend.md", COMMAND, "", ("pipes:mend", "mend")),
        (".github/prompts/mend.prompt.md", COMMAND, "github", ("mend",)),
        (".gemini/commands/water/mend.toml", COMMAND, "gemini", ("mend",)),
        ("AGENTS.md", RULES, "", ()),
        ("packages/a/CLAUDE.md", RULES, "claude", ()),
        (".claude/CLAUDE.md", RULES, "claude", ()),
        ("CLAUDE.local.md", RULES, "claude", ()),
        ("AGENTS.override.md", RULES, "codex", ()),
        ("GEMINI.md", RULES, "gemini", ()),
        (".github/copilot-instructions.md", RULES, "github", ()),
        (".github/instructions/a/b.instructions.md", RULES, "github", ()),
        (".cursor/rules/a/b.mdc", RULES, "cursor", ()),
        (".kiro/steering/a.md", RULES, "kiro", ()),
        (".claude/rules/a/b.md", RULES, "claude", ()),
        (".claude/skills/mend/AGENTS.md", RULES, "", ()),
    ],
)
def test_each_host_is_looked_after(
    path: str, type_: ArtifactType, host: str, references: tuple[str, ...]
) -> None:
    found = places.recognise(path)

    assert found is not None
    assert (found.type, found.host, found.references) == (type_, host, references)
    assert found.name == (references[-1] if references else path)
    assert places.take(path) == found


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/agents/plumber.md",
        "docs/commands/mend.md",
        "docs/agents.md",
        "SKILL.md",
        "skills/SKILL.md",
        "skills/a/b/SKILL.md",
        "skills/mend/notes.md",
        ".claude/agents/water/plumber.md",
        ".kiro/steering/a/b.md",
        ".cursor/rules/a.md",
        "claude.md",
        "src/agents/plumber.py",
    ],
)
def test_prose_and_code_are_no_artifacts(path: str) -> None:
    assert places.recognise(path) is None


@pytest.mark.parametrize(
    ("path", "type_", "name"),
    [
        ("notes/how.md", RULES, "notes/how.md"),
        ("elsewhere/mend/SKILL.md", SKILL, "mend"),
        ("SKILL.md", SKILL, "SKILL"),
        ("x/plumber.agent.md", AGENT, "plumber"),
        ("x/mend.prompt.md", COMMAND, "mend"),
        (".claude/agents/water/plumber.md", AGENT, "plumber"),
        ("a/.gemini/agents/water/plumber.md", AGENT, "plumber"),
        ("plugins/pipes/agents/water/plumber.md", AGENT, "plumber"),
        ("docs/agents/water/plumber.md", RULES, "docs/agents/water/plumber.md"),
    ],
)
def test_a_file_that_is_named_is_taken_at_its_word(
    path: str, type_: ArtifactType, name: str
) -> None:
    assert (places.take(path).type, places.take(path).name) == (type_, name)


def test_scoped_rules_are_told_from_those_for_everything() -> None:
    assert places.take(".cursor/rules/a.mdc").scoped
    assert not places.take("AGENTS.md").scoped


def test_the_name_in_the_front_matter_is_another_name() -> None:
    skill = places.with_alias(places.take("skills/mend/SKILL.md"), "fixer")
    plugin = places.with_alias(places.take("plugins/pipes/skills/mend/SKILL.md"), "fixer")

    assert (skill.name, skill.references) == ("mend", ("mend", "fixer"))
    assert plugin.references == ("pipes:mend", "mend", "pipes:fixer", "fixer")
    assert places.with_alias(places.take("AGENTS.md"), "x").references == ()
    assert places.with_alias(skill, "mend") == skill
