"""Which artifact a session means by a name that several go by."""

from pathlib import Path

import pytest

from mergebar.suites.artifacts import inventory
from mergebar.suites.artifacts.inventory import Survey
from support import suites

MEND = ".claude/skills/mend/SKILL.md"
EVALS = "metadata: {evals: [It is dry.]}"


def survey(root: Path, *paths: str, name: str = "mend", folder: str = "") -> Survey:
    """Of artifacts that all call themselves the same."""
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"---\nname: {name}\ndescription: Mends.\n{EVALS}\n---\nMend.\n")
    return inventory.survey(root, paths, explain=suites.explain, folder=folder)


def called(found: Survey, name: str) -> list[str]:
    return [one.path for one in found.artifacts if name in one.identity.references]


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        (MEND, ".claude/skills/alias/SKILL.md"),
        (MEND, "plugins/p/skills/mend/SKILL.md"),
        (MEND, "plugins/p/skills/alias/SKILL.md"),
        ("skills/mend/SKILL.md", "skills/alias/SKILL.md"),
        ("src/skills/mend/SKILL.md", "plugins/p/skills/mend/SKILL.md"),
        ("apps/a/.claude/skills/mend/SKILL.md", "apps/a/.claude/skills/alias/SKILL.md"),
        ("apps/a/.claude/skills/mend/SKILL.md", "apps/a/plugins/p/skills/mend/SKILL.md"),
        (".claude/agents/mend.md", ".claude/agents/alias.md"),
        (".claude/agents/mend.md", "plugins/p/agents/mend.md"),
        (".claude/commands/mend.md", "plugins/p/commands/mend.md"),
    ],
)
def test_what_is_called_so_by_its_place_comes_first(tmp_path: Path, mine: str, other: str) -> None:
    found = survey(tmp_path, mine, other)

    assert called(found, "mend") == [mine]
    assert [one.rule for each in found.artifacts for one in each.problems] == []


def test_also_where_nobody_asked_about_that_one(tmp_path: Path) -> None:
    survey(tmp_path, MEND)

    assert called(survey(tmp_path, ".claude/skills/alias/SKILL.md"), "mend") == []
    assert called(survey(tmp_path, "plugins/p/skills/mend/SKILL.md"), "p:mend") != []


@pytest.mark.parametrize(
    "path", ["plugins/p/skills/mend/SKILL.md", ".claude/skills/alias/SKILL.md"]
)
def test_one_alone_has_the_name(tmp_path: Path, path: str) -> None:
    assert called(survey(tmp_path, path), "mend") == [path]


@pytest.mark.parametrize(
    "paths",
    [
        (MEND, "skills/mend/SKILL.md"),
        (MEND, ".github/skills/mend/SKILL.md", "skills/mend/SKILL.md"),
        (".claude/skills/a/SKILL.md", ".claude/skills/b/SKILL.md"),
        ("plugins/p/skills/mend/SKILL.md", "plugins/q/skills/mend/SKILL.md"),
        (".claude/agents/mend.md", "agents/mend.md"),
    ],
)
def test_those_that_nothing_tells_apart_are_all_named(
    tmp_path: Path, paths: tuple[str, ...]
) -> None:
    found = survey(tmp_path, *paths)

    assert called(found, "mend") == sorted(paths)
    (told,) = [one for each in found.artifacts for one in each.problems]
    assert (told.rule, told.path) == ("artifact/same-name", max(paths))
    assert all(f"`{path}`" in told.message for path in sorted(paths)[:-1])
