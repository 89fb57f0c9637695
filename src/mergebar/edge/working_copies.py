"""A repository's folder in, a fresh copy of it out, for a session to do with as it likes.

A copy has the history too, but nothing of the repository's own configuration: a checkout may have
left a token there.
"""

import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mergebar.processes import trees

_LEFT = frozenset({".git", ".hg", ".svn", ".venv", "venv", ".tox", "node_modules"})
_OWN = ("HEAD", "index")
_SHARED = ("packed-refs", "shallow")
_REFS = ("refs", "reftable")
_POINTER = re.compile(rb"gitdir:[ ]*([^\r\n]+)[\r\n]*")
_EXTENSION = re.compile(r"(?im)^[ \t]*(objectformat|refstorage)[ \t]*=[ \t]*\"?(\w+)")
_CONFIG = "[core]\n\trepositoryformatversion = {version}\n\tbare = false\n"
_SMALL = 4096
_CONFIG_SIZE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class _Repository:
    """Where git keeps what: `own` belongs to one worktree, `shared` to all of a repository."""

    own: Path
    shared: Path


@contextmanager
def copied(top: Path, *, without: Iterable[str] = ()) -> Iterator[Path]:
    """A copy that is removed at the end. `without` are further folders, relative to `top`.

    Raises OSError where something can't be copied.
    """
    made = tempfile.mkdtemp(prefix="mergebar-")
    try:
        # Resolved, so that what a session records as its folder is where its files are.
        folder = Path(made).resolve() / (top.name or "repository")
        copy(top, folder, without=without)
        yield folder
    finally:
        trees.remove(made)


def copy(top: Path, folder: Path, *, without: Iterable[str] = ()) -> None:
    """Copy the files, links as links, and the history: that of submodules too."""
    left = {os.path.normpath(path) for path in without}
    found: list[Path] = []

    def ignored(at: str, names: list[str]) -> set[str]:
        if ".git" in names:
            found.append(Path(at))
        return {
            name
            for name in names
            if name in _LEFT or _relative(at, name, top) in left or _is_special(Path(at, name))
        }

    try:
        shutil.copytree(top, folder, symlinks=True, ignore=ignored)
    except RecursionError as error:
        raise OSError(errno.ENAMETOOLONG, "folders are nested too deeply") from error
    for place in found:
        repository = _repository(place / ".git")
        if repository is not None:
            _history(repository, folder / place.relative_to(top) / ".git")


def _relative(at: str, name: str, top: Path) -> str:
    return os.path.normpath(os.path.relpath(os.path.join(at, name), top))  # noqa: PTH118 - text


def _is_special(path: Path) -> bool:
    """A pipe or a socket: reading it might never end."""
    mode = path.lstat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))


def _repository(entry: Path) -> _Repository | None:
    """What a `.git` is: a folder, or in a worktree or submodule a file that says where it is."""
    own = entry if entry.is_dir() else _pointed(entry, _POINTER)
    if own is None or not (own / "HEAD").is_file():
        return None
    shared = _pointed(own / "commondir", re.compile(rb"([^\r\n]+)[\r\n]*")) or own
    return _Repository(own=own, shared=shared) if (shared / "objects").is_dir() else None


def _pointed(file: Path, form: re.Pattern[bytes]) -> Path | None:
    """The folder that a small file names, relative to where the file is."""
    if not file.is_file() or file.stat().st_size > _SMALL:
        return None
    match = form.fullmatch(file.read_bytes())
    return None if match is None else file.parent / os.fsdecode(match[1])


def _history(repository: _Repository, copy_: Path) -> None:
    """A repository of its own that reads the objects of the other one."""
    copy_.mkdir()
    (copy_ / "config").write_text(_configuration(repository.shared), encoding="utf-8")
    for folder, names in ((repository.own, _OWN), (repository.shared, _SHARED)):
        for name in names:
            if (folder / name).is_file():
                shutil.copy2(folder / name, copy_ / name)
    for name in _REFS:
        if (repository.shared / name).is_dir():
            shutil.copytree(repository.shared / name, copy_ / name, symlinks=True)
    information = copy_ / "objects" / "info"
    information.mkdir(parents=True)
    lines = "".join(f"{folder}\n" for folder in _objects(repository.shared / "objects"))
    (information / "alternates").write_text(lines, encoding="utf-8")


def _objects(own: Path) -> Iterator[str]:
    """The folders of objects: git finds those that are relative to others only one step away."""
    yield os.path.realpath(own)
    others = own / "info" / "alternates"
    if others.is_file():
        for line in others.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
            if line and not line.startswith("#"):
                yield os.path.realpath(own / line)


def _configuration(shared: Path) -> str:
    """How the files of git are written, which has to be known, and nothing else."""
    own = shared / "config"
    if not own.is_file() or own.stat().st_size > _CONFIG_SIZE:
        return _CONFIG.format(version=0)
    text = own.read_text(encoding="utf-8", errors="replace")
    found = {key.lower(): value for key, value in _EXTENSION.findall(text)}
    if not found:
        return _CONFIG.format(version=0)
    lines = "".join(f"\t{key} = {value}\n" for key, value in found.items())
    return f"{_CONFIG.format(version=1)}[extensions]\n{lines}"
