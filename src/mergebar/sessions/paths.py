"""Paths as hosts record them in, posix paths below the session's folder out."""

import posixpath
import re
from collections.abc import Iterator

from mergebar.model.sessions import Session

_DRIVE = re.compile(r"[A-Za-z]:(?=/|\Z)")


def posix(path: str) -> str:
    r"""A path with `/` for separators and without `.` and `..` where they can be resolved.

    Only a path of Windows has backslashes for separators: one with a drive, or with no `/` at all.
    """
    if "\\" in path and ("/" not in path or _DRIVE.match(path.replace("\\", "/"))):
        path = path.replace("\\", "/")
    # POSIX leaves two slashes at the start alone, as they may mean something; to hosts they don't.
    return posixpath.normpath(re.sub("^//+", "/", path)) if path else ""


def relative(path: str, cwd: str | None) -> str | None:
    """A recorded path as it stands below `cwd`; `None` if it lies outside, or can't be told."""
    named = posix(path)
    if not is_absolute(named):
        return None if named in {"", "."} or named.startswith("../") or named == ".." else named
    if not cwd:
        return None
    base = posix(cwd).rstrip("/")
    # Windows doesn't tell upper from lower case.
    fold = str.casefold if _DRIVE.match(base) else str
    if not fold(named).startswith(fold(base) + "/"):
        return None
    return named[len(base) + 1 :] or None


def touched(session: Session) -> Iterator[str]:
    """Each path that a tool touched, once: below the session's folder, or as recorded."""
    seen: set[str] = set()
    for operation in session.files:
        if operation.path not in seen:
            seen.add(operation.path)
            yield relative(operation.path, session.cwd) or posix(operation.path)


def ends_with(path: str, tail: str) -> bool:
    """Whether a path is `tail`, or leads to it in some folder."""
    named = posix(path)
    return named == tail or named.endswith("/" + tail)


def is_absolute(path: str) -> bool:
    """Whether a posix path begins at a root or a drive."""
    return path.startswith("/") or _DRIVE.match(path) is not None
