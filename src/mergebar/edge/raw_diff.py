"""What `git diff --raw -z` and `git ls-files -z` print in, changed files and entries out."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mergebar.model.changes import Change, Status

SUBMODULE = "160000"
_IDENTICAL = "R100"
_STATUSES = {"A": Status.ADDED, "D": Status.DELETED, "R": Status.RENAMED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What changed, in path order. What changed inside one of `submodules` is not known."""

    files: tuple[Change, ...]
    submodules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of the index. `hidden`: git was told not to look whether the file changed."""

    path: str
    mode: str
    blob: str
    hidden: bool


def names(output: bytes) -> tuple[str, ...]:
    """The names in NUL-separated output, as Python names files: with lone surrogates for bytes
    that aren't UTF-8.
    """
    return tuple(output.decode("utf-8", "surrogateescape").split("\0")[:-1])


def entries(output: bytes) -> tuple[Entry, ...]:
    """The submodules and the hidden files in what `ls-files -z -v --stage` prints.

    A lower-case tag is `assume-unchanged`, an `S` is `skip-worktree`.
    """
    found = []
    for line in names(output):
        header, _, path = line.partition("\t")
        tag, mode, blob, _ = header.split(" ")
        hidden = tag.islower() or tag == "S"
        if hidden or mode == SUBMODULE:
            found.append(Entry(path=path, mode=mode, blob=blob, hidden=hidden))
    return tuple(found)


def parse(output: bytes) -> Diff:
    """Read raw output: `:<mode> <mode> <id> <id> <status>`, then the path, both for a rename.

    A path that is listed twice (an unmerged one) is one modified file.
    """
    found: dict[str, Change] = {}
    submodules = set()
    fields = iter(names(output))
    for header in fields:
        old_mode, new_mode, _, _, status = header.removeprefix(":").split(" ")
        change = _change(status if old_mode == new_mode else status[:1], fields)
        if SUBMODULE in {old_mode, new_mode}:
            submodules.add(change.path)
        known = change.path in found
        found[change.path] = replace(change, status=Status.MODIFIED) if known else change
    return Diff(files=_sorted(found), submodules=tuple(sorted(submodules)))


def with_untracked(diff: Diff, paths: tuple[str, ...]) -> Diff:
    """Add the files that git doesn't know. One that the base has is modified, not deleted.

    git lists a repository inside this one as a folder: what is in it belongs to the other one.
    """
    found = {change.path: change for change in diff.files}
    for path in paths:
        if not path.endswith("/"):
            status = Status.MODIFIED if path in found else Status.ADDED
            found[path] = Change(path=path, status=status, untracked=True)
    return replace(diff, files=_sorted(found))


def _change(status: str, fields: Iterator[str]) -> Change:
    path = next(fields)
    if status[:1] == "R":
        moved = status == _IDENTICAL
        return Change(path=next(fields), status=Status.RENAMED, old_path=path, moved=moved)
    return Change(path=path, status=_STATUSES.get(status[:1], Status.MODIFIED))


def _sorted(found: dict[str, Change]) -> tuple[Change, ...]:
    return tuple(found[path] for path in sorted(found))
