"""Paths of suites in, names of files below a folder out: none leaves it, and none is in the way.

A path may lead out of the repository, and have what the artifact service or another system's file
names forbid. Its name is the path, as far as that goes.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath

_FORBIDDEN = re.compile(r'[":<>|*?\\\x00-\x1f\x7f\ud800-\udfff]')


def below(folder: str, paths: Iterable[str]) -> dict[str, str]:
    """A name for each path. Letters of another case count as the same: they are on some disks."""
    files: set[str] = set()
    folders: set[str] = set()
    names: dict[str, str] = {}
    for path in paths:
        *outer, last = _parts(path)
        name = PurePosixPath(folder)
        for part in outer:
            name = _numbered(name, part, lambda at: at in files)
            folders.add(_folded(name))
        name = _numbered(name, last, lambda at: at in files or at in folders)
        files.add(_folded(name))
        names[path] = name.as_posix()
    return names


def _parts(path: str) -> list[str]:
    parts = (part for part in path.split("/") if part not in {"", "."})
    return [_FORBIDDEN.sub("_", "_" if part == ".." else part) for part in parts] or ["_"]


def _numbered(folder: PurePosixPath, part: str, taken: Callable[[str], bool]) -> PurePosixPath:
    plain = name = folder / part
    number = 1
    while taken(_folded(name)):
        number += 1
        name = plain.with_name(f"{plain.stem}~{number}{plain.suffix}")
    return name


def _folded(name: PurePosixPath) -> str:
    return name.as_posix().casefold()
