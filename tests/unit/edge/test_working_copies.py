"""Copies of repositories: real folders, real git, links, pipes and tokens."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mergebar.edge import working_copies
from mergebar.processes import trees
from support import repositories


def test_a_copy_holds_the_files_and_goes_away(tmp_path: Path) -> None:
    here = repositories.start(tmp_path / "shop", {"a/b.txt": "1"})
    here.write("new.txt", "2")

    with working_copies.copied(here.path) as copy:
        assert copy.name == "shop"
        assert (copy / "a/b.txt").read_text() == "1"
        assert (copy / "new.txt").read_text() == "2"
        (copy / "a/b.txt").write_text("changed")

    assert not copy.exists()
    assert (here.path / "a/b.txt").read_text() == "1"


def test_it_has_the_history_and_can_be_committed_to(tmp_path: Path) -> None:
    here = repositories.start(tmp_path / "shop", {"a.txt": "1"})

    with working_copies.copied(here.path) as copy:
        other = repositories.Repository(copy)
        assert other.head() == here.head()
        assert other.git("status", "--porcelain") == ""
        other.commit({"a.txt": "2"})

    assert here.git("status", "--porcelain") == ""
    assert here.git("rev-list", "--count", "--all") == "1"


def test_a_shallow_checkout_can_be_copied(tmp_path: Path) -> None:
    here = repositories.start(tmp_path / "shop", {"a.txt": "1"})
    here.commit({"a.txt": "2"})
    shallow = here.clone(tmp_path / "clone", ref="refs/heads/main", depth=1)

    with working_copies.copied(shallow.path) as copy:
        assert repositories.Repository(copy).git("log", "--format=%s") == "change"


def test_nothing_of_the_configuration_is_in_it(tmp_path: Path) -> None:
    here = repositories.start(tmp_path / "shop", {"a.txt": "1"})
    here.git("config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic dG9rZW4=")
    here.git("remote", "add", "origin", "https://x-access-token:dG9rZW4=@example.org/shop")
    kept = tmp_path / "git-credentials-1.config"
    kept.write_text('[http "https://github.com/"]\n\textraheader = X: dG9rZW4=\n')
    here.git("config", "includeIf.gitdir:**/.git.path", str(kept))
    assert "dG9rZW4=" in here.git("config", "--list", "--includes")
    (here.path / ".git/FETCH_HEAD").write_text("dG9rZW4=")
    here.write(".git/hooks/post-checkout", "#!/bin/sh\nexit 1\n")

    with working_copies.copied(here.path) as copy:
        found = [
            path.relative_to(copy).as_posix()
            for path in copy.rglob("*")
            if path.is_file() and b"dG9rZW4=" in path.read_bytes()
        ]
        assert found == []
        assert "dG9rZW4=" not in repositories.Repository(copy).git("config", "--list", "--includes")
        assert not (copy / ".git/hooks").exists()


def test_links_stay_links_and_pipes_are_left_out(tmp_path: Path) -> None:
    here = tmp_path / "shop"
    here.mkdir()
    (here / "a.txt").write_text("1")
    (here / "link").symlink_to("a.txt")
    (here / "broken").symlink_to("gone")
    (here / "loop").symlink_to(".")
    os.mkfifo(here / "pipe")

    with working_copies.copied(here) as copy:
        assert sorted(path.name for path in copy.iterdir()) == ["a.txt", "broken", "link", "loop"]
        assert (copy / "link").is_symlink()


def test_what_is_installed_and_what_is_named_stays_out(tmp_path: Path) -> None:
    here = tmp_path / "shop"
    for name in ("node_modules/x", ".venv/y", "sub/.mergebar/report", "sub/kept"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text("1")

    with working_copies.copied(here, without=["sub/.mergebar"]) as copy:
        files = [path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()]
        assert files == ["sub/kept"]


def worktree(tmp_path: Path) -> repositories.Repository:
    here = repositories.start(tmp_path / "shop", {"a.txt": "1"})
    here.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "-b", "other")
    return repositories.Repository(tmp_path / "tree")


def submodule(tmp_path: Path) -> repositories.Repository:
    return repositories.Repository(superproject(tmp_path).path / "parts/shop")


def superproject(tmp_path: Path) -> repositories.Repository:
    inner = repositories.start(tmp_path / "inner", {"a.txt": "1"})
    outer = repositories.start(tmp_path / "outer", {"b.txt": "1"})
    allow = ("-c", "protocol.file.allow=always")
    outer.git(*allow, "submodule", "--quiet", "add", inner.path.as_uri(), "parts/shop")
    outer.commit(message="with parts")
    return outer


def separate(tmp_path: Path) -> repositories.Repository:
    """As `git init --separate-git-dir` leaves it."""
    here = repositories.start(tmp_path / "shop", {"a.txt": "1"})
    here.git("init", "--quiet", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    return here


def borrowing(tmp_path: Path) -> repositories.Repository:
    """It reads the objects of another one."""
    other = repositories.start(tmp_path / "other", {"a.txt": "1"})
    other.git("clone", "--quiet", "--shared", str(other.path), str(tmp_path / "shop"))
    here = repositories.Repository(tmp_path / "shop")
    own = here.path / ".git/objects/info/alternates"
    own.write_text("../../../other/.git/objects\n")
    return here


def worktree_of_a_borrower(tmp_path: Path) -> repositories.Repository:
    here = borrowing(tmp_path)
    here.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "-b", "other")
    return repositories.Repository(tmp_path / "tree")


def sha256(tmp_path: Path) -> repositories.Repository:
    (tmp_path / "shop").mkdir()
    here = repositories.Repository(tmp_path / "shop")
    here.git("init", "--quiet", "--object-format=sha256")
    here.commit({"a.txt": "1"})
    return here


def worktree_of_a_worktree(tmp_path: Path) -> repositories.Repository:
    here = worktree(tmp_path)
    here.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "second"))
    return repositories.Repository(tmp_path / "second")


FORMS = [
    worktree,
    worktree_of_a_worktree,
    worktree_of_a_borrower,
    submodule,
    superproject,
    separate,
    borrowing,
    sha256,
]


@pytest.mark.parametrize("make", FORMS)
def test_every_form_of_a_checkout_is_copied_with_its_history(
    tmp_path: Path, make: Callable[[Path], repositories.Repository]
) -> None:
    here = make(tmp_path)
    commits = here.git("rev-list", "--count", "--all")
    here.write("new.txt", "2")
    here.git("add", "new.txt")
    header = "AUTHORIZATION: basic dG9rZW4="
    here.git("config", "http.https://example.org/.extraheader", header)
    here.git("config", "include.path", "/nonexistent/dG9rZW4=")

    with working_copies.copied(here.path) as copy:
        other = repositories.Repository(copy)
        assert other.head() == here.head()
        assert other.git("status", "--porcelain") == here.git("status", "--porcelain")
        assert other.git("rev-parse", "--absolute-git-dir") == str(copy / ".git")
        assert "dG9rZW4=" not in other.git("config", "--list")
        other.commit({"a.txt": "3"})
        assert other.git("fsck", "--no-progress") == ""

    assert here.git("status", "--porcelain") == "A  new.txt"
    assert here.git("rev-list", "--count", "--all") == commits


def test_a_submodule_keeps_its_own_history_in_a_copy_of_the_whole(tmp_path: Path) -> None:
    outer = superproject(tmp_path)
    inner = repositories.Repository(outer.path / "parts/shop")
    inner.git("config", "http.extraheader", "AUTHORIZATION: basic dG9rZW4=")

    with working_copies.copied(outer.path) as copy:
        own = repositories.Repository(copy / "parts/shop")
        assert own.head() == inner.head() != outer.head()
        assert "dG9rZW4=" not in own.git("config", "--list")
        own.commit({"a.txt": "3"})
        assert repositories.Repository(copy).git("status", "--porcelain") == " M parts/shop"

    assert outer.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    "text", ["", "gitdir: nowhere\n", "gitdir: ..\n", "hello\n", "gitdir: " + "x" * 5000]
)
def test_a_git_file_that_leads_to_no_repository_leaves_the_files_alone(
    tmp_path: Path, text: str
) -> None:
    here = tmp_path / "shop"
    here.mkdir()
    (here / ".git").write_text(text)
    (here / "a.txt").write_text("1")

    with working_copies.copied(here) as copy:
        assert sorted(path.name for path in copy.iterdir()) == ["a.txt"]


def test_git_sees_a_repository_that_is_whole(tmp_path: Path) -> None:
    here = repositories.start(tmp_path / "shop", {"a.txt": "1"})

    with working_copies.copied(here.path) as copy:
        done = subprocess.run(
            ["git", "fsck", "--no-progress"], cwd=copy, env=repositories.ENVIRON, check=False
        )

    assert done.returncode == 0


def test_a_repository_that_is_too_deep_for_a_copy_is_a_value_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))
    (tmp_path / "copies").mkdir()
    here = tmp_path / "here"
    here.mkdir()
    subprocess.run(
        [sys.executable, "-c", "import os\nfor _ in range(1500): os.mkdir('a'); os.chdir('a')"],
        cwd=here,
        check=True,
    )
    try:
        with pytest.raises(OSError, match=r"deep|long"), working_copies.copied(here):
            pass
    finally:
        trees.remove(str(here))  # pytest couldn't

    assert list((tmp_path / "copies").iterdir()) == []
