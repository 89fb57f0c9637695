"""A repository in, the paths of its artifacts out: where hosts look for them, and nowhere else."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mergebar.model.problems import Level, Problem
from mergebar.suites.artifacts import places
from mergebar.suites.discovery import SKIPPED

SIDECAR = ".meta.yaml"

_BUILT = frozenset({"vendor", "dist", "build"})
_MARKERS = frozenset(
    {"skills", "agents", "commands", "prompts", "rules", "instructions", "steering", "plugins"}
)
"""Below these, a folder may have any name: a skill called `build` is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Paths relative to the root, posix, sorted. `orphans` are sidecars without an artifact."""

    paths: tuple[str, ...]
    orphans: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def find(root: Path, *, folder: str = "", skip: Iterable[str] = ()) -> Found:
    """Artifacts below `folder`, which is relative to `root` like all of `skip`.

    A link is followed only within the root, and what it leads to is told once, by its own path
    if an artifact lives there.
    """
    walk = _Walk(root=os.path.realpath(root), skip=frozenset(skip))
    walk.folder(folder.strip("/").removeprefix("./").removesuffix("."))
    paths = set(walk.found)
    reached = set(walk.found)
    for path, real in sorted(walk.linked.items()):
        if real not in reached:
            reached.add(real)
            paths.add(path)
    known = paths | set(walk.linked)
    orphans = (path for path in walk.sidecars if not _has_artifact(path, known))
    return Found(
        paths=tuple(sorted(paths)), orphans=tuple(sorted(orphans)), problems=tuple(walk.problems)
    )


def _has_artifact(sidecar: str, paths: Iterable[str]) -> bool:
    stem = sidecar.removesuffix(SIDECAR)
    return any(f"{stem}{suffix}" in paths for suffix in (".md", ".mdc", ".toml"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    """A folder to look into; `chain` are the real paths that led to it, to notice a circle."""

    path: str
    chain: tuple[str, ...]
    linked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    root: str
    skip: frozenset[str]
    found: list[str] = field(default_factory=list)
    linked: dict[str, str] = field(default_factory=dict)
    sidecars: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def folder(self, start: str) -> None:
        real = self._inside(os.path.join(self.root, start))  # noqa: PTH118 - strings: many paths
        if real is None:
            return
        waiting = [_Folder(path=start, chain=(real,), linked=real != start)]
        while waiting:
            waiting += self._look(waiting.pop())

    def _look(self, folder: _Folder) -> Iterator[_Folder]:
        for entry in self._entries(folder.path):
            path = f"{folder.path}/{entry.name}" if folder.path else entry.name
            linked = folder.linked or entry.is_symlink()
            real = self._inside(entry.path) if linked else path
            kind = "" if real is None else _kind(entry)
            if real is None or (not kind and entry.is_symlink()):
                self._lost(path, outside=real is None)
            elif kind == "file":
                self._file(path, real if linked else None)
            elif kind == "folder" and real not in folder.chain and not self._is_skipped(path):
                yield _Folder(path=path, chain=(*folder.chain, real), linked=linked)

    def _file(self, path: str, real: str | None) -> None:
        if path.endswith(SIDECAR):
            stem = path.removesuffix(SIDECAR)
            if places.recognise(f"{stem}.md") or places.recognise(f"{stem}.mdc"):
                self.sidecars.append(path)
        elif places.recognise(path) is None:
            return
        elif real is None:
            self.found.append(path)
        else:
            self.linked[path] = real

    def _lost(self, path: str, *, outside: bool) -> None:
        """Told only where an artifact would be: other links are nobody's business here."""
        if places.recognise(path) is None and places.recognise(f"{path}/SKILL.md") is None:
            return
        why = "leads out of the repository" if outside else "leads to nothing, or in a circle"
        self.problems.append(
            Problem(
                level=Level.ERROR,
                rule="artifact/unreadable",
                message=f"`{path}` is a symbolic link that {why}: it is not read",
                path=path,
            )
        )

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            entries = list(os.scandir(os.path.join(self.root, folder)))  # noqa: PTH118 - see above
        except OSError:
            return []
        is_environment = any(entry.name == "pyvenv.cfg" for entry in entries)
        return [] if is_environment else sorted(entries, key=lambda entry: entry.name)

    def _is_skipped(self, path: str) -> bool:
        *parents, name = path.split("/")
        if path in self.skip or name in SKIPPED:
            return True
        return name in _BUILT and _MARKERS.isdisjoint(parents)

    def _inside(self, where: str) -> str | None:
        """The real path, relative to the root; `None` when it leads out of it."""
        real = os.path.realpath(where)
        if real == self.root:
            return ""
        prefix = self.root.rstrip("/") + "/"
        return real.removeprefix(prefix) if real.startswith(prefix) else None


def _kind(entry: os.DirEntry[str]) -> str:
    """`file`, `folder` or, for a pipe, a broken link, a circle, neither."""
    try:
        if entry.is_file():
            return "file"
        return "folder" if entry.is_dir() else ""
    except OSError:
        return ""
