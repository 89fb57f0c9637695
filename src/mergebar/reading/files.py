"""A path below a root in, the bytes of a file out, or why they can't be had."""

import os
import stat
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mergebar.model.problems import Level, Problem
from mergebar.reading.limits import MAX_BYTES, too_large
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import quoted

_MOST_SIBLINGS = 10_000
_KINDS = (
    (stat.S_ISDIR, "a directory, and a file is wanted"),
    (stat.S_ISFIFO, "a named pipe, not a regular file"),
    (stat.S_ISSOCK, "a socket, not a regular file"),
    (stat.S_ISCHR, "a device, not a regular file"),
    (stat.S_ISBLK, "a device, not a regular file"),
)


def read(
    root: Path, path: str, *, limit: int = MAX_BYTES, rule: str = "document/unreadable"
) -> bytes | Problem:
    """Read a regular file that lies below `root`, never more than `limit` bytes of it.

    Never waits for a pipe or device. A file that is too large has a rule of its own,
    `too-large` of the same family as `rule`.
    """
    try:
        found = _found(root, path)
        if isinstance(found, str):
            return _problem(path, rule, found)
        # What is far too large isn't read first.
        data = b"" if found.size > limit else _read(found.real, limit + 1)
    except (OSError, ValueError) as error:
        return _problem(path, rule, _failure(root, path, error))
    size = max(len(data), found.size)
    if size <= limit:
        return data
    return too_large(size, limit=limit, path=path, rule=f"{rule.partition('/')[0]}/too-large")


def refusal(root: Path, path: str, *, rule: str) -> Problem | None:
    """Why a file can't be had, without reading it."""
    try:
        found = _found(root, path)
    except (OSError, ValueError) as error:
        found = _failure(root, path, error)
    return _problem(path, rule, found) if isinstance(found, str) else None


class _File(NamedTuple):
    real: str
    size: int


def _found(root: Path, path: str) -> _File | str:
    """Where a regular file really is, or why there is none below the root."""
    real = os.path.realpath(root / path)
    if not Path(real).is_relative_to(os.path.realpath(root)):
        return _outside(root, path)
    status = os.stat(real)  # noqa: PTH116 -- what realpath gave is a string
    if not stat.S_ISREG(status.st_mode):
        return _kind(status.st_mode)
    return _File(real, status.st_size)


def _read(real: str, most: int) -> bytes:
    """Without waiting: what was a regular file a moment ago may be a pipe by now."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
    with open(os.open(real, flags), "rb") as file:  # noqa: PTH123 -- a descriptor has no path
        return file.read(most)


def _failure(root: Path, path: str, error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return _missing(root, path)
    if isinstance(error, NotADirectoryError):
        return "does not exist: a file stands where a folder is named"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"can't be read: {reason.lower()}"


def _problem(path: str, rule: str, message: str) -> Problem:
    return Problem(level=Level.ERROR, rule=rule, message=f"{quoted(path)} {message}", path=path)


def _kind(mode: int) -> str:
    for is_kind, name in _KINDS:
        if is_kind(mode):
            return f"is {name}"
    return "is not a regular file"


def _outside(root: Path, path: str) -> str:
    if os.path.normpath(path).startswith("..") or os.path.isabs(path):  # noqa: PTH117 -- text only
        return "lies outside the repository: name a file within it"
    linked = next(
        (
            parent
            for parent in [path, *map(str, Path(path).parents)]
            if (root / parent).is_symlink()
        ),
        path,
    )
    return f"leads out of the repository through the symbolic link {quoted(linked)}"


def _missing(root: Path, path: str) -> str:
    """Names what does exist and looks like the first step that doesn't."""
    if (root / path).is_symlink():
        return "is a symbolic link to nothing"
    parents = [*reversed(Path(path).parents), Path(path)]
    absent = next((step for step in parents if not (root / step).exists()), Path(path))
    folders = absent != Path(path)
    near = nearest(absent.name, _siblings(root / absent.parent, folders=folders))
    hint = f"; did you mean {quoted(str(absent.parent / near))}?" if near else ""
    folder = f": there is no folder {quoted(str(absent))}" if folders else ""
    return f"does not exist{folder}{hint}"


def _siblings(folder: Path, *, folders: bool) -> list[str]:
    """Names for a hint, where one is wanted only those of folders; none if it can't be listed."""
    try:
        with os.scandir(folder) as entries:
            some = islice(entries, _MOST_SIBLINGS)
            return sorted(one.name for one in some if not folders or Path(one).is_dir())
    except OSError:
        return []
