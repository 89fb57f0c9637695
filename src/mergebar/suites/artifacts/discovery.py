"""A repository in, the paths of its artifacts out: where hosts look for them, and nowhere else."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mergebar.suites.artifacts import places
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
    found: set[str] = set()
    linked: dict[str, str] = {}
    sidecars: list[str] = []
    for path, real in walk.files(folder.strip("/").removeprefix("./").removesuffix(".")):
        if path.endswith(SIDECAR):
            sidecars += [path] if _is_beside_an_artifact(path) else []
        elif places.recognise(path) is not None:
            if real is None:
                found.add(path)
            else:
                linked[path] = real
    reached = set(found)
    for path, real in sorted(linked.items()):
        if real not in reached:
            reached.add(real)
            found.add(path)
    known = found | set(linked)
    orphans = (path for path in sidecars if not _has_artifact(path, known))
    return Found(
        paths=tuple(sorted(found)),
        orphans=tuple(sorted(orphans)),
        lost=tuple(_told(walk.lost)),
    )


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
