"""A repository in, the paths of its artifacts out: where hosts look for them, and nowhere else."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from mergebar.suites.artifacts import bundles, places
from mergebar.suites.walking import SKIPPED, Entries, Walk

SIDECAR = ".meta.yaml"

_BUILT = frozenset({"vendor", "dist", "build"})
_MARKERS = frozenset(
    {"skills", "agents", "commands", "prompts", "rules", "instructions", "steering", "plugins"}
)
"""Below these, a folder may have any name: a skill called `build` is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Paths relative to the root, posix, sorted. `orphans` are sidecars without an artifact.

    `lost` are links where artifacts would be, and that can't be followed.
    """

    paths: tuple[str, ...]
    orphans: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def find(root: Path, *, folder: str = "", skip: Iterable[str] = ()) -> Found:
    """Artifacts below `folder`, which is relative to `root` like all of `skip`.

    A link is followed only within the root, and what it leads to is told once, by its own path
    if an artifact lives there.
    """
    walk = Walk(
        root=os.path.realpath(root),
        skips=partial(_is_skipped, frozenset(skip)),
        enters=_is_no_environment,
    )
    sorted_ = _Sorted()
    for path, real in walk.files(folder.strip("/").removeprefix("./").removesuffix(".")):
        sorted_.take(path, real)
    found = sorted_.found()
    known = found | set(sorted_.linked)
    orphans = (path for path in sorted_.sidecars if not _has_artifact(path, known))
    return Found(
        paths=tuple(sorted(found)),
        orphans=tuple(sorted(orphans)),
        lost=tuple(_told(walk.lost)),
    )


@dataclass(slots=True)
class _Sorted:
    """Files by what they may be. `bundled` are artifacts if one of their folders is a plug-in's."""

    own: set[str] = field(default_factory=set)
    linked: dict[str, str] = field(default_factory=dict)
    sidecars: list[str] = field(default_factory=list)
    plugins: set[str] = field(default_factory=set)
    bundled: list[tuple[str, set[str]]] = field(default_factory=list)

    def take(self, path: str, real: str | None) -> None:
        """The next file, and where a link leads to it, its own path."""
        if path.endswith(SIDECAR):
            self.sidecars += [path] if _is_beside_an_artifact(path) else []
        elif places.recognise(path) is not None:
            if real is None:
                self.own.add(path)
            else:
                self.linked[path] = real
        elif path.endswith(bundles.MANIFEST):
            self.plugins.add(path.removesuffix(bundles.MANIFEST).strip("/"))
        elif real is None and (folders := bundles.might_hold(path)):
            self.bundled.append((path, folders))

    def found(self) -> set[str]:
        """The artifacts, each once."""
        paths = self.own | {path for path, folders in self.bundled if folders & self.plugins}
        reached = set(paths)
        for path, real in sorted(self.linked.items()):
            if real not in reached:
                reached.add(real)
                paths.add(path)
        return paths


def _told(lost: Iterable[str]) -> list[str]:
    """Only where an artifact would be: other links are nobody's business here."""
    return sorted(
        path for path in lost if places.recognise(path) or places.recognise(f"{path}/SKILL.md")
    )


def _is_beside_an_artifact(sidecar: str) -> bool:
    stem = sidecar.removesuffix(SIDECAR)
    return places.recognise(f"{stem}.md") is not None or places.recognise(f"{stem}.mdc") is not None


def _has_artifact(sidecar: str, paths: Iterable[str]) -> bool:
    stem = sidecar.removesuffix(SIDECAR)
    return any(f"{stem}{suffix}" in paths for suffix in (".md", ".mdc", ".toml"))


def _is_no_environment(entries: Entries) -> bool:
    return not any(entry.name == "pyvenv.cfg" for entry in entries)


def _is_skipped(skipped: frozenset[str], path: str) -> bool:
    *parents, name = path.split("/")
    if path in skipped or name in SKIPPED:
        return True
    return name in _BUILT and _MARKERS.isdisjoint(parents)
