"""A repository's root in; the bytes and the sidecars of its artifacts out, each file read once."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mergebar.model.problems import Level, Problem
from mergebar.reading import files, front_matter
from mergebar.reading.sentences import quoted
from mergebar.suites.artifacts import collections, sidecars
from mergebar.suites.artifacts.collections import Collections, Manifest
from mergebar.suites.artifacts.declarations import Source
from mergebar.suites.artifacts.discovery import SIDECAR
from mergebar.suites.artifacts.entries import texts
from mergebar.suites.artifacts.sidecars import Sidecar

UNREADABLE = "artifact/unreadable"
MAX_BYTES = max(front_matter.MAX_FILE_BYTES, sidecars.MAX_BYTES)

Read = Callable[[str], bytes | Problem]
"""A path in, at most `MAX_BYTES` of the file out, or why it can't be had."""


def reader(root: Path) -> Read:
    """Reads what lies below a root."""
    return lambda path: files.read(root, path, limit=MAX_BYTES, rule=UNREADABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What was found of one artifact; `problems` are those of its own sidecar, `shared` those of
    sidecars that it shares with others.
    """

    data: bytes
    sources: tuple[Source, ...]
    problems: tuple[Problem, ...] = ()
    shared: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where files are read. `shared` are sidecars for many artifacts, with the keys looked up."""

    root: Path
    known: Collections
    read: Read
    opened: dict[str, Sidecar | None] = field(default_factory=dict)
    shared: dict[str, set[str]] = field(default_factory=dict)

    def gather(self, path: str) -> Gathered | Problem:
        """Read an artifact; a `Problem` where it can't be had."""
        data = self.read(path)
        if isinstance(data, Problem):
            return data
        sources: list[Source] = []
        problems: list[Problem] = []
        shared: list[Problem] = []
        own = f"{os.path.splitext(path)[0]}{SIDECAR}"  # noqa: PTH122 - text only
        names = self._names(path)
        beside = self._open(own)
        if beside is not None:
            problems += beside.problems
            source = beside.source(names, beside=True)
            sources += [source] if source is not None else []
            if not beside.is_bare:
                problems += beside.orphans(names)
        for manifest in self._manifests(path, data):
            file = manifest.path(path, base=self.known.base)
            if file != own:
                found, told = self._shared(file, manifest, path, data)
                sources += [found] if found is not None else []
                shared += told
        return Gathered(
            data=data, sources=tuple(sources), problems=tuple(problems), shared=tuple(shared)
        )

    def orphans(self, paths: Iterable[str]) -> Iterator[Problem]:
        """Entries of shared sidecars for what doesn't exist, or nobody asked for."""
        everything = {name for path in paths for name in self._names(path)}
        for file, asked in self.shared.items():
            sidecar = self.opened.get(file)
            if sidecar is not None:
                present = {key for key in sidecar.value if self._exists(key)}
                yield from sidecar.orphans({*asked, *everything, *present})
        for file, _ in self.known.shared():
            sidecar = self._open(file)
            for key in () if sidecar is None else sidecar.value:
                if sidecar is not None and self._exists(key) and not self._is_asked(file, key):
                    yield sidecar.outside(key, collections.FILE)

    def _is_asked(self, file: str, key: str) -> bool:
        """Whether a collection says that an artifact's `metadata` is in a sidecar."""
        path = f"{self.known.base}/{key}" if self.known.base else key
        manifests = self.known.manifests(path, names_vocabulary=True)
        return any(one.path(path, base=self.known.base) == file for one in manifests)

    def _exists(self, key: str) -> bool:
        return os.path.lexists(self.root / self.known.base / key)

    def _names(self, path: str) -> tuple[str, ...]:
        """How sidecars call an artifact: by its path from the configuration, or from the root."""
        key = self.known.key(path)
        return (path,) if key is None or key == path else (key, path)

    def _manifests(self, path: str, data: bytes) -> tuple[Manifest, ...]:
        if not self.known.all:
            return ()
        named = any(collections.is_vocabulary(name) for name in _schemas(data, path))
        return self.known.manifests(path, names_vocabulary=named)

    def _shared(
        self, file: str, manifest: Manifest, path: str, data: bytes
    ) -> tuple[Source | None, tuple[Problem, ...]]:
        sidecar = self._open(file)
        if sidecar is None:
            return None, (() if manifest.per_page else (_missing(file, path),))
        names = self._names(path)
        if manifest.join is not None:
            value = (front_matter.read(data, path=path).value or {}).get(manifest.join)
            names = texts(value)
        if not manifest.per_page:
            self.shared.setdefault(file, set()).update(names)
        return sidecar.source(names, beside=False), sidecar.problems

    def _open(self, file: str) -> Sidecar | None:
        """A sidecar, or `None` where there is none."""
        if file not in self.opened:
            self.opened[file] = self._read(file)
        return self.opened[file]

    def _read(self, file: str) -> Sidecar | None:
        if not os.path.lexists(self.root / file):
            return None
        data = self.read(file)
        if isinstance(data, Problem):
            return sidecars.broken(file, data)
        return sidecars.parse(data, path=file)


def find_collections(root: Path, folder: str) -> Collections:
    """The nearest manni.config.yaml, from a folder up to the root."""
    at = folder.strip("/").removesuffix(".")
    while True:
        path = f"{at}/{collections.FILE}" if at else collections.FILE
        if os.path.lexists(root / path):
            data = reader(root)(path)
            if isinstance(data, Problem):
                return Collections(base=at, problems=(data,))
            return collections.parse(data, path=path)
        if not at:
            return Collections()
        at = at.rpartition("/")[0]


def _schemas(data: bytes, path: str) -> tuple[str, ...]:
    if b"$schema" not in data:
        return ()
    return texts((front_matter.read(data, path=path).value or {}).get("$schema"))


def _missing(file: str, path: str) -> Problem:
    return Problem(
        level=Level.ERROR,
        rule="artifact/sidecar",
        message=(
            f"{quoted(file)} should hold the `metadata` of this artifact, as `{collections.FILE}` "
            "says, and doesn't exist: add it, or correct the configuration"
        ),
        path=path,
    )
