"""Folders of others are walked through and removed however they are: real ones, real swaps."""

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mergebar.processes import trees

DEEP = 3000


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """A handle of a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def few_handles() -> Iterator[None]:
    """No more than a few beyond those that are open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(path.name) for path in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 8, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def deep(top: Path) -> None:
    """Further down than any path may be long, with a file at the end."""
    at = os.open(top, os.O_RDONLY)
    for _ in range(DEEP):
        os.mkdir("deep", dir_fd=at)
        inner = os.open("deep", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(os.open("end", os.O_CREAT, dir_fd=at))
    os.close(at)


needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="counts handles in /proc")


@needs_proc
def test_a_deep_tree_is_walked_to_its_end_and_removed_with_few_handles(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    deep(top)

    with opened(top) as handle, few_handles():
        names = [name for _, name, _ in trees.walk(handle)]
        trees.remove(str(top))

    assert len(names) == DEEP + 1
    assert names.count("end") == 1
    assert not top.exists()


def test_everything_is_found_once_and_links_are_not_followed(tmp_path: Path) -> None:
    for name in ("top/a/b", "top/a/c", "top/d", "outside"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "outside/file").touch()
    (tmp_path / "top/a/link").symlink_to(tmp_path / "outside")
    (tmp_path / "top/round").symlink_to(tmp_path / "top")
    (tmp_path / "top/d/file").touch()

    with opened(tmp_path / "top") as handle:
        found = [name for _, name, _ in trees.walk(handle)]

    assert sorted(found) == ["a", "b", "c", "d", "file", "link", "round"]


@pytest.mark.parametrize("by", ["a link", "a file", "nothing"])
def test_what_takes_the_place_of_a_folder_leads_nowhere(tmp_path: Path, by: str) -> None:
    (tmp_path / "top/a").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").touch()
    found = []
    with opened(tmp_path / "top") as handle:
        for _, name, _ in trees.walk(handle):
            found.append(name)
            (tmp_path / "top/a").rmdir()
            if by == "a link":
                (tmp_path / "top/a").symlink_to(tmp_path / "outside")
            elif by == "a file":
                (tmp_path / "top/a").touch()

    assert found == ["a"]


def test_a_folder_that_is_moved_away_leads_nowhere_either(tmp_path: Path) -> None:
    (tmp_path / "top/a/b").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").touch()
    found = []
    with opened(tmp_path / "top") as handle:
        for _, name, _ in trees.walk(handle):
            found.append(name)
            if name == "b":
                (tmp_path / "top/a").rename(tmp_path / "outside/a")

    assert found == ["a", "b"]


def test_only_what_is_removed_is_removed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    top = tmp_path / "top"
    (top / "a/closed/inner").mkdir(parents=True)
    (top / "a/link").symlink_to(outside)
    (top / "a/file").touch()
    (top / "a/closed/inner").chmod(0)
    (top / "a/closed").chmod(0o500)
    link = tmp_path / "link"
    link.symlink_to(outside)

    trees.remove(str(top))
    trees.remove(str(link))
    trees.remove(str(tmp_path / "none"))

    assert not top.exists()
    assert (outside / "kept").exists()
    assert link.is_symlink()
