"""A diff with the files on disk in; the same with what git passes over in silence, out.

Git can be told not to look at a file again, and doesn't look into a submodule: what is edited there
is in no diff.
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mergebar.edge.git import LARGEST_FILE, Git, GitTrouble
from mergebar.edge.raw_diff import SUBMODULE, Diff, Entry
from mergebar.model.changes import Change, Status

_DEEPEST = 8
_SHA1 = 40  # digits


def diff_to_files(git: Git, base: str) -> Diff | GitTrouble:
    """What differs between a commit and the files on disk, whatever git was told about them."""
    diff = git.diff_to_files(base)
    return diff if isinstance(diff, GitTrouble) else _completed(git, diff, depth=0)


def _completed(git: Git, diff: Diff, *, depth: int) -> Diff | GitTrouble:
    top, entries = git.toplevel(), git.entries()
    if isinstance(top, GitTrouble):
        return top
    if isinstance(entries, GitTrouble):
        return entries
    found = {change.path: change for change in diff.files}
    unknown = set(diff.submodules)
    for entry in entries:
        if entry.mode == SUBMODULE:
            inner = _inside(git, top, entry.path, depth=depth)
            if inner is None:
                unknown.add(entry.path)
            found.update((change.path, change) for change in inner or ())
        elif entry.path not in found and (change := _edited(top, entry)) is not None:
            found[entry.path] = change
    files = tuple(found[path] for path in sorted(found))
    return replace(diff, files=files, submodules=tuple(sorted(unknown)))


def _edited(top: Path, entry: Entry) -> Change | None:
    """The change of a file whose content isn't the index's.

    One that git converts while checking out counts too. A file that isn't there was left out of
    the checkout on purpose, or deleted behind git's back: both take it away from who runs here.
    """
    where = top / entry.path
    if not os.path.lexists(where):
        return None if _is_left_out(where) else Change(path=entry.path, status=Status.DELETED)
    return None if _blob(where, entry.blob) == entry.blob else Change(path=entry.path)


def _is_left_out(where: Path) -> bool:
    """A sparse checkout leaves whole folders out."""
    return not where.parent.is_dir()


def _blob(where: Path, like: str) -> str:
    """The id that git would give to the content, empty where it can't be read."""
    try:
        if where.is_symlink():
            data = os.fsencode(os.readlink(where))  # noqa: PTH115 - its very bytes
        elif where.stat().st_size > LARGEST_FILE:
            return ""
        else:
            data = where.read_bytes()
    except OSError:
        return ""
    made = hashlib.sha1 if len(like) == _SHA1 else hashlib.sha256
    return made(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _inside(git: Git, top: Path, path: str, *, depth: int) -> tuple[Change, ...] | None:
    """What is uncommitted in a submodule, `None` where that can't be told."""
    folder = top / path
    if not os.path.lexists(folder / ".git"):
        # Not checked out; what is in it nevertheless belongs to nobody.
        return tuple(_files(folder, path))
    if depth == _DEEPEST or folder.is_symlink():
        return None
    inner = git.at(folder)
    diff = inner.uncommitted()
    if not isinstance(diff, GitTrouble):
        diff = _completed(inner, diff, depth=depth + 1)
    if isinstance(diff, GitTrouble) or diff.submodules:
        return None
    return tuple(
        replace(
            change,
            path=f"{path}/{change.path}",
            old_path=None if change.old_path is None else f"{path}/{change.old_path}",
        )
        for change in diff.files
    )


def _files(folder: Path, path: str) -> Iterator[Change]:
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            inner = (Path(at) / name).relative_to(folder).as_posix()
            yield Change(path=f"{path}/{inner}", status=Status.ADDED)
