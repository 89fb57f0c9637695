"""The path of an artifact in; files beside it that look like its sidecar, and aren't read, out."""

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mergebar.model.problems import Level, Problem
from mergebar.suites.artifacts.discovery import SIDECAR

_ENDINGS = (SIDECAR, ".meta.yml", ".meta.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Looks into each folder below the root once."""

    root: Path
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def misnamed(self, artifact: str, *, read: Collection[str]) -> Iterator[Problem]:
        """`read` are the sidecars that are read under whatever name."""
        folder, _, file = artifact.rpartition("/")
        stem, ending = os.path.splitext(file)  # noqa: PTH122 - text only
        near = {f"{stem}{more}{one}".casefold() for more in ("", ending) for one in _ENDINGS}
        for name in self._sidecars(folder):
            path = f"{folder}/{name}" if folder else name
            if name.casefold() in near and name != f"{stem}{SIDECAR}" and path not in read:
                yield Problem(
                    level=Level.WARNING,
                    rule="artifact/sidecar-name",
                    message=(
                        f"this is not read: the sidecar of `{artifact}` is called "
                        f"`{stem}{SIDECAR}`; rename it"
                    ),
                    path=path,
                )

    def _sidecars(self, folder: str) -> tuple[str, ...]:
        if folder not in self.names:
            try:
                entries = sorted(os.listdir(self.root / folder))  # noqa: PTH208 - names alone
            except OSError:
                entries = []
            self.names[folder] = tuple(one for one in entries if ".meta." in one.casefold())
        return self.names[folder]
