"""Copies of repositories: real folders, real git, links, pipes and tokens."""

import os
import subprocess
from pathlib import Path

from mergebar.edge import working_copies
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
    (here.path / ".git/FETCH_HEAD").write_text("dG9rZW4=")
    (here.path / ".git/hooks/post-checkout").write_text("#!/bin/sh\nexit 1\n")

    with working_copies.copied(here.path) as copy:
        found = [
            path.relative_to(copy).as_posix()
            for path in copy.rglob("*")
            if path.is_file() and b"dG9rZW4=" in path.read_bytes()
        ]
        assert found == []
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


def test_a_worktree_is_copied_without_history(tmp_path: Path) -> None:
    here = repositories.start(tmp_path / "shop", {"a.txt": "1"})
    here.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "-b", "other")

    with working_copies.copied(tmp_path / "tree") as copy:
        assert sorted(path.name for path in copy.iterdir()) == ["a.txt"]


def test_git_sees_a_repository_that_is_whole(tmp_path: Path) -> None:
    here = repositories.start(tmp_path / "shop", {"a.txt": "1"})

    with working_copies.copied(here.path) as copy:
        done = subprocess.run(
            ["git", "fsck", "--no-progress"], cwd=copy, env=repositories.ENVIRON, check=False
        )

    assert done.returncode == 0
