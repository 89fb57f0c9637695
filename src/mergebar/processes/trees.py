"""A folder in; each thing below it, by its name and a handle of the folder that it is in, out.

Code of the repository may be at work in there. No link is followed, no path is looked up as a
whole, and however deep it goes, three handles are open at most. What can't be looked into is
passed over.
"""

import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from itertools import count

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_UP = ".mergebar-removed-"

Identity = tuple[int, int]
"""Of a file or folder, as long as it exists: the device and the number there."""


def walk(top: int) -> Iterator[tuple[int, str, os.stat_result]]:
    """Everything below an open folder, which stays open. Links are things, not ways.

    The handle that comes with a name is open until the next one is asked for.
    """
    at = os.dup(top)
    way: list[tuple[Identity, list[str]]] = []
    try:
        names = yield from _level(at)
        while names or way:
            if names:
                inner = _opened(names.pop(), at)
                if inner is not None:
                    way.append((identity(os.fstat(at)), names))
                    at = _instead_of(at, inner)
                    names = yield from _level(at)
                continue
            expected, names = way.pop()
            outer = _opened("..", at)
            if outer is None:
                return
            at = _instead_of(at, outer)
            if identity(os.fstat(at)) != expected:  # moved meanwhile: it leads somewhere else
                return
    finally:
        os.close(at)


def identity(found: os.stat_result) -> Identity:
    """What tells one from another, whatever it is called."""
    return found.st_dev, found.st_ino


def give(
    folder: int, name: str, to: tuple[int, int], *, if_: Callable[[os.stat_result], bool]
) -> None:
    """Make it somebody's if it, and not what bears its name by then, is as it should be.

    Of a link it is the link itself. Raises OSError.
    """
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if if_(os.fstat(handle)):
            os.chown(f"/proc/self/fd/{handle}", *to)
    finally:
        os.close(handle)


def remove(path: str) -> None:
    """Remove a folder with all that is in it, as far as that is possible.

    What is deeper comes up to the first level, so that a deep tree needs no more than a flat one.
    """
    try:
        top = os.open(path, FOLDER)
    except OSError:
        return
    numbers = count()
    try:
        before: set[str] | None = None
        while (names := set(_names(top))) and names != before:
            for name in names:
                _removed(name, top, numbers)
            before = names
    finally:
        os.close(top)
    with suppress(OSError):
        os.rmdir(path)  # noqa: PTH106 - pathlib would be loaded for it


def _removed(name: str, top: int, numbers: Iterator[int]) -> None:
    if _unlinked(name, top):
        return
    _unlock(name, top)
    inner = _opened(name, top)
    if inner is None:
        return
    try:
        for each in _names(inner):
            if not _unlinked(each, inner):
                _unlock(each, inner)
                with suppress(OSError):
                    up = f"{_UP}{next(numbers)}"
                    os.rename(each, up, src_dir_fd=inner, dst_dir_fd=top)
    finally:
        os.close(inner)
    with suppress(OSError):
        os.rmdir(name, dir_fd=top)


def _unlinked(name: str, folder: int) -> bool:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _unlock(name: str, folder: int) -> None:
    """A folder that its own owner may not write to; nobody keeps root out."""
    if os.geteuid() != 0:
        with suppress(OSError):
            os.chmod(name, 0o700, dir_fd=folder)


def _level(at: int) -> Generator[tuple[int, str, os.stat_result], None, list[str]]:
    """What is in one folder; which of it are folders is the result."""
    folders = []
    for name in _names(at):
        try:
            found = os.stat(name, dir_fd=at, follow_symlinks=False)
        except OSError:  # it is gone
            continue
        yield at, name, found
        if stat.S_ISDIR(found.st_mode):
            folders.append(name)
    return folders


def _names(at: int) -> list[str]:
    try:
        return os.listdir(at)
    except OSError:
        return []


def _opened(name: str, folder: int) -> int | None:
    try:
        return os.open(name, FOLDER, dir_fd=folder)
    except OSError:
        return None


def _instead_of(old: int, new: int) -> int:
    os.close(old)
    return new
