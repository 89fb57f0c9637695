"""A repository's folder in, a fresh copy of it out, for a session to do with as it likes.

A copy has the history too, but nothing of the repository's own configuration: a checkout may have
left a token there.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_LEFT = frozenset({".git", ".hg", ".svn", ".venv", "venv", ".tox", "node_modules"})
_GIT_FILES = ("HEAD", "packed-refs", "shallow", "index")
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"


@contextmanager
def copied(top: Path, *, without: Iterable[str] = ()) -> Iterator[Path]:
    """A copy that is removed at the end. `without` are further folders, relative to `top`.

    Raises OSError where something can't be copied.
    """
    with tempfile.TemporaryDirectory(prefix="mergebar-", ignore_cleanup_errors=True) as made:
        # Resolved, so that what a session records as its folder is where its files are.
        folder = Path(made).resolve() / (top.name or "repository")
        copy(top, folder, without=without)
        yield folder


def copy(top: Path, folder: Path, *, without: Iterable[str] = ()) -> None:
    """Copy the files, links as links, and the history."""
    left = {os.path.normpath(path) for path in without}

    def ignored(at: str, names: list[str]) -> set[str]:
        return {
            name
            for name in names
            if name in _LEFT or _relative(at, name, top) in left or _is_special(Path(at, name))
        }

    shutil.copytree(top, folder, symlinks=True, ignore=ignored)
    if (top / ".git").is_dir():
        _history(top / ".git", folder / ".git")


def _relative(at: str, name: str, top: Path) -> str:
    return os.path.normpath(os.path.relpath(os.path.join(at, name), top))  # noqa: PTH118 - text


def _is_special(path: Path) -> bool:
    """A pipe or a socket: reading it might never end."""
    mode = path.lstat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))


def _history(own: Path, copy_: Path) -> None:
    """A repository of its own that reads the objects of the other one."""
    copy_.mkdir()
    (copy_ / "config").write_text(_CONFIG, encoding="utf-8")
    for name in _GIT_FILES:
        if (own / name).is_file():
            shutil.copy2(own / name, copy_ / name)
    if (own / "refs").is_dir():
        shutil.copytree(own / "refs", copy_ / "refs", symlinks=True)
    information = copy_ / "objects" / "info"
    information.mkdir(parents=True)
    (information / "alternates").write_text(f"{own / 'objects'}\n", encoding="utf-8")
