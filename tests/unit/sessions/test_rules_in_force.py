"""Rules files: where they are in force, and why they are not."""

from pathlib import Path

import pytest

from mergebar import sessions
from mergebar.model.artifacts import Artifact
from mergebar.sessions.rules_in_force import alternatives
from support import artifacts
from support import traces as t


def missing(tmp_path: Path, artifact: Artifact, *files: str, cwd: str = t.CWD) -> str | None:
    calls = [t.replied(t.call("Read", file, file_path=file), cwd=cwd) for file in files]
    session = t.read(tmp_path / "t", t.chained([t.said("Go.", cwd=cwd), *calls]))
    return sessions.excerpt(session, artifact).missing


@pytest.mark.parametrize(
    "path", ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", ".github/copilot-instructions.md"]
)
def test_rules_at_the_root_always_are(tmp_path: Path, path: str) -> None:
    assert missing(tmp_path, artifacts.read(path=path)) is None


def test_rules_of_a_folder_are_where_the_session_worked_or_touched_something(
    tmp_path: Path,
) -> None:
    nested = artifacts.read(path="packages/cart/AGENTS.md")

    assert "was not in force" in (missing(tmp_path, nested) or "")
    assert missing(tmp_path, nested, cwd="/home/dev/shop/packages/cart/src") is None
    assert missing(tmp_path, nested, f"{t.CWD}/packages/cart/a.py") is None
    assert missing(tmp_path, nested, "packages/cart/a.py") is None
    assert missing(tmp_path, nested, f"{t.CWD}/packages/carts/a.py") is not None
    assert missing(tmp_path, nested, f"{t.CWD}/b.py", cwd="/home/dev/xpackages/cart") is not None


@pytest.mark.parametrize(
    ("cwd", "file", "in_force"),
    [
        ("/home/dev/shop/packages", "/home/dev/shop/packages/app/a.py", True),
        ("/home/dev/shop/packages/web", "/home/dev/shop/packages/app/a.py", True),
        ("/home/dev/shop/packages", "app/a.py", True),
        ("/work", "/work/packages/app/a.py", True),
        ("/work/packages/app", "/work/b.py", True),
        ("C:\\work\\shop\\packages", "c:\\work\\shop\\packages\\app\\a.py", True),
        ("/home/dev/shop", "/home/dev/shop/old/packages/app/a.py", False),
        ("/packages/app", "/packages/app/a.py", False),
        ("/usr/packages/app", "/usr/packages/app/a.py", False),
        ("/home/packages/app", "/home/packages/app/b/a.py", False),
    ],
)
def test_a_folder_is_that_of_the_repository_and_none_of_the_same_name(
    tmp_path: Path, cwd: str, file: str, *, in_force: bool
) -> None:
    nested = artifacts.read(path="packages/app/AGENTS.md")

    assert (missing(tmp_path, nested, file, cwd=cwd) is None) is in_force


def scoped(front: str) -> Artifact:
    return artifacts.read(front, path=".github/instructions/web.instructions.md")


def test_scoped_rules_are_where_a_path_of_theirs_was_touched(tmp_path: Path) -> None:
    web = scoped('applyTo: "web/**/*.ts"\n')

    assert missing(tmp_path, web, f"{t.CWD}/web/src/a.ts") is None
    reason = missing(tmp_path, web, f"{t.CWD}/api/a.ts")
    assert reason is not None
    assert "nothing that its globs match was touched" in reason


def test_scoped_rules_for_everything_always_are(tmp_path: Path) -> None:
    assert missing(tmp_path, scoped('applyTo: "**"\n')) is None


def test_rules_that_only_a_person_asks_for_are_never_seen(tmp_path: Path) -> None:
    manual = artifacts.read("alwaysApply: false\n", path=".cursor/rules/manual.mdc")

    assert "only when somebody asks" in (missing(tmp_path, manual) or "")


def test_scoped_rules_need_to_know_of_files(tmp_path: Path) -> None:
    session = t.read(tmp_path / "t", [{"role": "user", "content": "Go."}])
    found = sessions.excerpt(session, scoped('applyTo: "web/**"\n'))

    assert found.missing == "a list of chat messages doesn't record file operations"


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("*.ts", {"*.ts"}),
        ("*.{ts,tsx}", {"*.ts", "*.tsx"}),
        ("{a,b}/*.{c, d}", {"a/*.c", "a/*.d", "b/*.c", "b/*.d"}),
        ("{a,{b,c}}.x", {"a.x", "b.x", "c.x"}),
        ("odd{", {"odd{"}),
    ],
)
def test_braces_are_alternatives(glob: str, expected: set[str]) -> None:
    assert expected <= set(alternatives(glob))


def test_a_hostile_number_of_braces_stays_small() -> None:
    assert len(alternatives("{a,b}" * 40)) <= 128
