"""Where artifacts are looked for in a repository, and which links are followed."""

from pathlib import Path

from mergebar.suites.artifacts import discovery
from support.artifacts import text, write


def test_every_well_known_place_is_found_at_any_depth(tmp_path: Path) -> None:
    wanted = (
        ".claude/agents/a.md",
        ".claude/skills/build/SKILL.md",
        ".gemini/commands/x.toml",
        "AGENTS.md",
        "packages/web/.cursor/rules/x.mdc",
        "packages/web/CLAUDE.md",
    )
    others = ("README.md", "docs/agents/a.md", "node_modules/p/AGENTS.md", "vendor/p/AGENTS.md",
              "dist/AGENTS.md", "packages/web/build/skills/a/SKILL.md", "env/AGENTS.md", ".git/AGENTS.md")  # fmt: skip
    write(tmp_path, dict.fromkeys((*wanted, *others), "text"))
    (tmp_path / "env/pyvenv.cfg").touch()

    assert discovery.find(tmp_path).paths == wanted


def test_only_the_folder_that_is_asked_for_is_searched(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(("AGENTS.md", "a/AGENTS.md", "a/b/AGENTS.md", "c/AGENTS.md"), ""))

    assert discovery.find(tmp_path, folder="a").paths == ("a/AGENTS.md", "a/b/AGENTS.md")
    assert discovery.find(tmp_path, folder="./a/").paths == ("a/AGENTS.md", "a/b/AGENTS.md")
    assert discovery.find(tmp_path, folder=".", skip=["a"]).paths == ("AGENTS.md", "c/AGENTS.md")
    assert discovery.find(tmp_path, folder="nothing").paths == ()


def test_a_link_within_the_repository_is_told_once(tmp_path: Path) -> None:
    write(tmp_path, {"AGENTS.md": "", "notes/how.md": "", "skills/mend/SKILL.md": ""})
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    (tmp_path / "GEMINI.md").symlink_to("notes/how.md")
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages/GEMINI.md").symlink_to("../notes/how.md")
    (tmp_path / ".claude").symlink_to(".")
    (tmp_path / ".agents").mkdir()
    (tmp_path / ".agents/skills").symlink_to("../skills")

    assert discovery.find(tmp_path).paths == ("AGENTS.md", "GEMINI.md", "skills/mend/SKILL.md")


def test_a_link_that_is_not_followed_is_told_of_where_an_artifact_would_be(
    tmp_path: Path,
) -> None:
    outside = tmp_path / "outside"
    write(outside, {"mend/SKILL.md": "", "AGENTS.md": ""})
    root = tmp_path / "root"
    write(root, {"skills/own/SKILL.md": ""})
    (root / "AGENTS.md").symlink_to(outside / "AGENTS.md")
    (root / "skills/mend").symlink_to(outside / "mend")
    (root / "data").symlink_to(outside)
    (root / "CLAUDE.md").symlink_to("nothing")

    found = discovery.find(root)

    assert found.paths == ("skills/own/SKILL.md",)
    assert found.lost == ("AGENTS.md", "CLAUDE.md", "skills/mend")


def test_circles_end(tmp_path: Path) -> None:
    write(tmp_path, {"a/AGENTS.md": "", "skills/x/SKILL.md": ""})
    (tmp_path / "a/up").symlink_to("..")
    (tmp_path / "skills/x/again").symlink_to("../..")
    (tmp_path / "skills/loop").symlink_to("loop")

    found = discovery.find(tmp_path)

    assert found.paths == ("a/AGENTS.md", "skills/x/SKILL.md")
    assert found.lost == ("skills/loop",)


def test_a_folder_with_the_name_of_a_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "skills/mend/SKILL.md").mkdir(parents=True)
    write(tmp_path, {"skills/mend/SKILL.md/AGENTS.md": ""})

    assert discovery.find(tmp_path).paths == ("skills/mend/SKILL.md/AGENTS.md",)


def test_sidecars_without_an_artifact_are_noticed(tmp_path: Path) -> None:
    write(tmp_path, {"skills/a/SKILL.md": text(), "skills/a/SKILL.meta.yaml": "", "skills/b/SKILL.meta.yaml": "", "c.meta.yaml": ""})  # fmt: skip

    assert discovery.find(tmp_path).orphans == ("skills/b/SKILL.meta.yaml",)
