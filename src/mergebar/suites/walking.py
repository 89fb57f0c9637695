"""A root in, the files below a folder of it out; links are followed within the root only."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", ".tox", ".mergebar"})
"""Folders that hold nobody's own suites; our output folder is among them."""

Entries = Sequence["os.DirEntry[str]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    """A folder to look into; `chain` are the real paths that led to it, to notice a circle."""

    path: str
    chain: tuple[str, ...]
    linked: bool


def _is_entered(entries: Entries) -> bool:
    del entries
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """`root` is a real path. `skips` is asked about folders below the start, by their path, and
    `enters` by what is in them. `lost` are the links on the way that can't be followed: they lead
    out of the root, nowhere or in a circle.
    """

    root: str
    skips: Callable[[str], bool]
    enters: Callable[[Entries], bool] = _is_entered
    lost: list[str] = field(default_factory=list)

    def files(self, start: str) -> Iterator[tuple[str, str | None]]:
        """Paths below `start` (or `start` itself, a file), each with the real path, relative to
        the root, where a link leads to it, else `None`.
        """
        where = os.path.join(self.root, start)  # noqa: PTH118 - strings: thousands of paths
        real = self._inside(where)
        if real is None:
            return
        if os.path.isdir(where):  # noqa: PTH112 - see above
            yield from self._below(_Folder(path=start, chain=(real,), linked=real != start))
        elif os.path.isfile(where):  # noqa: PTH113 - see above
            yield start, real if real != start else None

    def _below(self, first: _Folder) -> Iterator[tuple[str, str | None]]:
        waiting = [first]
        while waiting:
            folder = waiting.pop()
            for entry in self._entries(folder.path):
                path = f"{folder.path}/{entry.name}" if folder.path else entry.name
                linked = folder.linked or entry.is_symlink()
                real = self._inside(entry.path) if linked else path
                kind = "" if real is None else _kind(entry)
                if real is None or (not kind and entry.is_symlink()):
                    self.lost.append(path)
                elif kind == "file":
                    yield path, real if linked else None
                elif kind == "folder" and real not in folder.chain and not self.skips(path):
                    chain = (*folder.chain, real)
                    waiting.append(_Folder(path=path, chain=chain, linked=linked))

    def _entries(self, folder: str) -> Entries:
        try:
            entries = list(os.scandir(os.path.join(self.root, folder)))  # noqa: PTH118 - see above
        except OSError:
            return []
        return entries if self.enters(entries) else []

    def _inside(self, where: str) -> str | None:
        """The real path, relative to the root; `None` when it leads out of it."""
        real = os.path.realpath(where)
        if real == self.root:
            return ""
        prefix = self.root.rstrip("/") + "/"
        return real.removeprefix(prefix) if real.startswith(prefix) else None


def _kind(entry: "os.DirEntry[str]") -> str:
    """`file`, `folder` or, for a pipe, a broken link, a circle, neither."""
    try:
        if entry.is_file():
            return "file"
        return "folder" if entry.is_dir() else ""
    except OSError:
        return ""
