"""Changed files in; the same, and what reaches them through symbolic links of the repository, out.

Git lists a link itself, and not that what it leads to is another file now.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mergebar.model.changes import Change, Changes, Status

SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", ".tox"})
"""Folders that are not looked through for links."""

_ROUNDS = 8
_MOST = 100_000
_HOPS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link, and the paths that it leads through, its last target included."""

    path: str
    through: tuple[str, ...]


def followed(changes: Changes, top: Path) -> Changes:
    """Add each changed file under every name that a link gives it, too."""
    if not changes.files:
        return changes
    root = Path(os.path.realpath(top))
    links = tuple(find(root))
    files = {change.path: change for change in changes.files}
    news: Sequence[Change] = changes.files
    for _ in range(_ROUNDS):
        named = [*_names(news, links), *_behind(news, links, root)]
        news = [change for change in named if change.path not in files]
        files.update((change.path, change) for change in news)
        if not news:
            return replace(changes, files=tuple(files[path] for path in sorted(files)))
        if len(files) > _MOST:
            break
    reason = changes.reason if changes.everything else "links give what changed too many names"
    return replace(changes, everything=True, reason=reason)


def find(root: Path) -> Iterator[Link]:
    """Every symbolic link below a folder that leads to something inside it, or would."""
    waiting = [str(root)]
    while waiting:
        for entry in _entries(waiting.pop()):
            if entry.is_symlink():
                path = Path(entry.path).relative_to(root).as_posix()
                through = _through(root, path)
                if through:
                    yield Link(path=path, through=through)
            elif entry.name not in SKIPPED and _is_folder(entry):
                waiting.append(entry.path)


def _names(changes: Sequence[Change], links: Sequence[Link]) -> Iterator[Change]:
    """What changed, as the links name it. What a link has named once, it doesn't name again."""
    for change in changes:
        for path in filter(None, (change.path, change.old_path)):
            for link in links:
                if path.startswith(f"{link.path}/"):
                    continue
                for target in link.through:
                    name = _name(path, target, link.path)
                    if name is not None:
                        yield Change(path=name, status=Status.MODIFIED)


def _name(path: str, target: str, link: str) -> str | None:
    if path == target or target.startswith(f"{path}/"):
        return link
    if target == "" or path.startswith(f"{target}/"):
        return f"{link}/{path.removeprefix(target).lstrip('/')}"
    return None


def _behind(changes: Sequence[Change], links: Sequence[Link], root: Path) -> Iterator[Change]:
    """A link that leads to another folder now changes all that is in it."""
    folders = {link.path for link in links}
    for change in changes:
        if change.path not in folders:
            continue
        where = root / change.path
        for at, _, names in os.walk(where):
            for name in names:
                inner = Path(at, name).relative_to(root).as_posix()
                yield Change(path=inner, status=Status.MODIFIED)


def _through(root: Path, path: str) -> tuple[str, ...]:
    """The paths that lead from a link to what it means, as far as they are inside."""
    found: dict[str, None] = {}
    where = root / path
    for _ in range(_HOPS):
        try:
            target = where.readlink()
        except OSError:
            break
        # Both as it is written and where its folder really is: either may be what changed.
        written = Path(os.path.normpath(where.parent / target))
        real = Path(os.path.realpath(where.parent / target.parent)) / target.name
        for one in (written, real):
            inside = _inside(one, root)
            if inside is not None:
                found[inside] = None
        where = real
    last = _inside(Path(os.path.realpath(root / path)), root)
    return tuple(dict.fromkeys((*found, *(() if last is None else (last,)))))


def _inside(where: Path, root: Path) -> str | None:
    if where == root:
        return ""
    return where.relative_to(root).as_posix() if where.is_relative_to(root) else None


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
