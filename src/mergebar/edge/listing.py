"""The paths that `--changed` names in; the changed files that they mean, or what is wrong with one.

A folder means all that is in it. A name that nobody knows is a mistake: taken at its word it would
change nothing, and a run that measures nothing would pass.
"""

import os
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mergebar.edge.git import Git, GitTrouble
from mergebar.model.changes import Change, Changes, Status
from mergebar.model.problems import Level, Problem
from mergebar.reading.nearest import nearest

_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", ".tox"})
_MOST = 50_000


def read(git: Git, paths: Sequence[str], *, base: str | None) -> Changes | Problem:
    """The files that the paths mean, by what is on disk, in the base, and in the index."""
    tree = _Tree(git=git, base=base)
    files: dict[str, Change] = {}
    strange: list[str] = []
    for path in paths:
        found = list(tree.meant(tree.named(path)))
        if not found:
            strange.append(path)
        files.update((change.path, change) for change in found)
    if strange:
        return _problem(strange, tree)
    return Changes(files=tuple(files.values()), reason="the changed files were listed")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tree:
    """What there is, and what there was."""

    git: Git
    base: str | None

    @property
    def top(self) -> Path:
        top = self.git.toplevel()
        return self.git.root.resolve() if isinstance(top, GitTrouble) else top

    def named(self, path: str) -> str:
        """A path as changes have it."""
        name = posixpath.normpath(path) if path else path
        return posixpath.relpath(name, self.top) if name.startswith(f"{self.top}/") else name

    def meant(self, name: str) -> Iterator[Change]:
        """The file, or all that is or was in the folder; nothing where nobody knows the name."""
        where = self.top / name
        if not name or not self._is_spelled(where):
            yield from self._gone(name)
        elif where.is_dir() and not where.is_symlink():
            yield from (Change(path=path) for path in self.below(where))
            yield from self._gone(name)
        else:
            yield Change(path=name, status=Status.MODIFIED)

    def below(self, folder: Path) -> Iterator[str]:
        for at, folders, names in os.walk(folder):
            folders[:] = sorted(set(folders) - _SKIPPED)
            for name in sorted(names):
                yield Path(at, name).relative_to(self.top).as_posix()

    def known(self) -> frozenset[str]:
        """What git knows of; nothing outside a repository."""
        head = self.git.head()
        found: set[str] = set()
        for commit in {self.base, None if isinstance(head, GitTrouble) else head} - {None}:
            known = self.git.known(commit) if commit else frozenset()
            found |= frozenset() if isinstance(known, GitTrouble) else known
        return frozenset(found)

    def _gone(self, name: str) -> Iterator[Change]:
        for path in sorted(self.known()):
            inside = path == name or path.startswith(f"{name}/") or name == "."
            if inside and not os.path.lexists(self.top / path):
                yield Change(path=path, status=Status.DELETED)

    def _is_spelled(self, where: Path) -> bool:
        """Whether it is there under this very name: some file systems take any case for it."""
        if not os.path.lexists(where):
            return False
        try:
            return where == self.top or where.name in os.listdir(where.parent)  # noqa: PTH208
        except OSError:
            return True


def _problem(strange: Sequence[str], tree: _Tree) -> Problem:
    there = (path for _, path in zip(range(_MOST), tree.below(tree.top), strict=False))
    known = sorted({*tree.known(), *there})
    folders = {str(Path(path).parent) for path in known} - {"."}
    said = []
    for path in strange:
        near = nearest(path.replace("\\", "/"), [*known, *sorted(folders)])
        hint = f"; did you mean `{near}`?" if near else ""
        said.append(f"`{path}` is neither here nor known to git{hint}")
    return Problem(
        level=Level.ERROR,
        rule="config/changed",
        message=f"can't tell what `--changed` means: {'; '.join(said)}",
    )
