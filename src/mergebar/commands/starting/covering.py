"""Paths in, the fewest globs out that select these files below a folder, and no others there."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from mergebar.commands.starting import scalars
from mergebar.suites import discovery

Offer: TypeAlias = Callable[[PurePosixPath], Iterable[str]]
"""Patterns that may select a file together with its like, the widest first."""


def globs(root: Path, paths: Iterable[str], offer: Offer) -> tuple[str, ...]:
    """A pattern that would select anything else isn't taken: the file itself is named then.

    A path may be one that isn't there yet.
    """
    wanted = frozenset(paths)
    covered: set[str] = set()
    chosen = []
    for path in sorted(wanted):
        if path in covered:
            continue
        covered.add(path)
        chosen.append(scalars.glob(path))
        there = {path} if os.path.lexists(root / path) else set()
        for pattern in offer(PurePosixPath(path)):
            found = frozenset(discovery.find(root, (pattern,)))
            if there <= found <= wanted:
                chosen[-1] = pattern
                covered |= found
                break
    return tuple(chosen)


def documents(path: PurePosixPath) -> Iterator[str]:
    """All of a folder for evals, else of the folder that the document is in."""
    yield from _folder(path, {"evals", ".evals"})


def traces(path: PurePosixPath) -> Iterator[str]:
    """All of a folder for traces, else of the folder that the trace is in."""
    yield from _folder(path, {"traces", "sessions", "transcripts"})


def artifacts(path: PurePosixPath) -> Iterator[str]:
    """All skills of a host; else what lies in the same folder and ends alike."""
    if path.name == "SKILL.md" and len(path.parts) > 2:  # noqa: PLR2004 - skills/<name>/SKILL.md
        yield f"{scalars.glob(f'{path.parent.parent}/')}*/SKILL.md"
    elif len(path.parts) > 1:
        ending = "".join(path.suffixes[-2:])
        yield f"{scalars.glob(f'{path.parent}/')}*{scalars.glob(ending).removeprefix('/')}"


def _folder(path: PurePosixPath, names: set[str]) -> Iterator[str]:
    ending = scalars.glob(path.suffix).removeprefix("/")
    for index, part in enumerate(path.parts[:-1]):
        if part in names:
            folder = "/".join(path.parts[: index + 1])
            yield f"{scalars.glob(f'{folder}/')}**/*{ending}"
            break
    if len(path.parts) > 1:
        yield f"{scalars.glob(f'{path.parent}/')}*{ending}"
