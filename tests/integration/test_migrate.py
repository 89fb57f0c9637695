"""`mergebar migrate` on files: what it shows, what it writes, and what it leaves alone."""

import stat
import subprocess
from pathlib import Path

import pytest

from support import commands
from support.repositories import Repository

LEGACY = '[\n  {"prompt": "Hi", "expected_response": "Hello"}\n]\n'
CURRENT = (
    '{\n  "schemaVersion": "1.7.0",\n  "items": [\n'
    '    {"prompt": "Hi", "expected_response": "Hello"}\n  ]\n}\n'
)
BROKEN = '{"items": [{"prompt": 7}]}\n'
DIFFERENCE = """\
--- a/evals/a.json
+++ b/evals/a.json
@@ -1,3 +1,6 @@
-[
-  {"prompt": "Hi", "expected_response": "Hello"}
-]
+{
+  "schemaVersion": "1.7.0",
+  "items": [
+    {"prompt": "Hi", "expected_response": "Hello"}
+  ]
+}
"""


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    """A repository with one legacy document, one current one, and JSON that is neither."""
    repository = Repository(tmp_path)
    repository.git("init", "--quiet")
    folder = tmp_path / "evals"
    folder.mkdir()
    (folder / "a.json").write_text(LEGACY)
    (folder / "b.json").write_text(CURRENT)
    (tmp_path / "package.json").write_text('{"name": "x"}')
    return folder


def test_it_shows_what_it_would_change_and_changes_nothing(evals: Path) -> None:
    done = commands.inside("migrate", "evals", cwd=evals.parent)

    assert (done.code, done.stdout) == (0, DIFFERENCE)
    assert "1 document would be brought to the current schema, 1 is in it already" in done.stderr
    assert "`mergebar migrate --write`" in done.stderr
    assert (evals / "a.json").read_text() == LEGACY


def test_what_is_written_is_current_and_keeps_its_mode(evals: Path) -> None:
    (evals / "a.json").chmod(0o640)

    done = commands.inside("migrate", "evals", "--write", cwd=evals.parent)

    assert (done.code, done.stdout) == (
        0,
        "evals/a.json: the array becomes `items`; `schemaVersion` is `1.7.0`\n",
    )
    assert (evals / "a.json").read_text() == CURRENT
    assert stat.S_IMODE((evals / "a.json").stat().st_mode) == 0o640
    assert sorted(one.name for one in evals.iterdir()) == ["a.json", "b.json"]
    again = commands.inside("migrate", "evals", "--write", cwd=evals.parent)
    assert (again.code, again.stdout) == (0, "")
    assert "2 are in it already" in again.stderr
    assert commands.inside("check", "evals", "--strict", cwd=evals.parent).code == 0


def test_one_that_resists_is_told_with_its_line_and_the_others_are_written(evals: Path) -> None:
    (evals / "c.json").write_text(BROKEN)

    done = commands.inside("migrate", "evals", "--write", cwd=evals.parent)

    assert done.code == 2
    assert "evals/c.json:1:23: error: " in done.stderr
    assert "1 can't be" in done.stderr
    assert (evals / "c.json").read_text() == BROKEN
    assert (evals / "a.json").read_text() == CURRENT


def test_without_paths_it_is_the_documents_of_the_configuration(evals: Path) -> None:
    (evals.parent / "mergebar.yml").write_text(
        "version: 1\nagents: {a: {type: replay}}\ndocuments:\n"
        "  - {paths: [evals/a.json], agent: a}\n"
    )

    done = commands.inside("migrate", cwd=evals.parent)

    assert (done.code, done.stdout) == (0, DIFFERENCE)


@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        (lambda folder: (folder / "mergebar.yml").write_text("version: 2\n"), "mergebar.yml:1:10"),
        (lambda folder: (folder / "evals/a.json").unlink(), "evals/a.json"),
        (lambda folder: (folder / "evals/a.json").write_bytes(b"\xff\xfe["), "UTF-16"),
        (lambda folder: (folder / "evals/a.json").write_text(""), "empty"),
    ],
)
def test_what_can_not_be_read_is_said(evals: Path, prepare: object, said: str) -> None:
    assert callable(prepare)
    prepare(evals.parent)
    paths = [] if said.startswith("mergebar.yml") else ["evals/a.json"]

    done = commands.inside("migrate", *paths, "--write", cwd=evals.parent)

    assert (done.code, done.stdout) == (2, "")
    assert said in done.stderr


def test_nothing_is_written_through_a_link_that_leads_out(
    evals: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "a.json"
    outside.write_text(LEGACY)
    (evals / "a.json").unlink()
    (evals / "a.json").symlink_to(outside)

    done = commands.inside("migrate", "evals/a.json", "--write", cwd=evals.parent)

    assert done.code == 2
    assert outside.read_text() == LEGACY


def test_a_link_inside_of_the_repository_stays_one(evals: Path) -> None:
    (evals / "a.json").rename(evals.parent / "real.json")
    (evals / "a.json").symlink_to("../real.json")

    done = commands.inside("migrate", "evals/a.json", "--write", cwd=evals.parent)

    assert done.code == 0
    assert (evals / "a.json").readlink() == Path("../real.json")
    assert (evals.parent / "real.json").read_text() == CURRENT


def test_a_text_without_an_end_of_line_is_shown_as_git_shows_it(evals: Path) -> None:
    (evals / "a.json").write_text(LEGACY.rstrip())

    done = commands.inside("migrate", "evals/a.json", cwd=evals.parent)
    patch = subprocess.run(
        ["git", "apply", "-"], cwd=evals.parent, input=done.stdout, text=True, check=False
    )

    assert done.stdout.count("\\ No newline at end of file\n") == 2
    assert patch.returncode == 0
    assert (evals / "a.json").read_text() == CURRENT.rstrip()
