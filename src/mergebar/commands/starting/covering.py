"""Paths in, globs out that select these files below a folder, and new files beside them."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from mergebar.commands.starting import scalars
from mergebar.suites import discovery
from mergebar.suites.artifacts import places

Offer: TypeAlias = Callable[[PurePosixPath], Iterable[str]]
"""Patterns that may select a file together with its like, the widest first."""

_MOST_EXCEPT = 12
_EVALS = frozenset({"evals", ".evals"})
_SESSIONS = frozenset({"traces", "sessions", "transcripts"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """`patterns` select the files; those of `new` will select new files of their folder, too.

    `excluded` are patterns of what isn't to be selected, without their `!`.
    """

    patterns: tuple[str, ...] = ()
    new: frozenset[str] = frozenset()
    excluded: tuple[str, ...] = ()

    @property
    def globs(self) -> tuple[str, ...]:
        """As a group names them: of two that match a file, the last one holds."""
        return (*self.patterns, *(f"!{one}" for one in self.excluded))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """What one group wants, what it may have besides, and which new files another group takes."""

    root: Path
    wanted: frozenset[str]
    free: frozenset[str]
    taken: frozenset[str]

    def widest(self, path: str, offer: Offer) -> tuple[str, frozenset[str]] | None:
        """A pattern for a file and its like, and all that it selects."""
        there = {path} if os.path.lexists(self.root / path) else set()
        for pattern in offer(PurePosixPath(path)):
            if any(_meet(pattern, one) for one in self.taken):
                continue
            found = frozenset(discovery.find(self.root, (pattern,)))
            if there <= found and self._is_worth(pattern, found):
                return pattern, found
        return None

    def _is_worth(self, pattern: str, found: frozenset[str]) -> bool:
        """Whether little has to be excepted, and all of it can be named."""
        others = found - self.wanted
        most = _MOST_EXCEPT
        if not _is_meant_for_them(pattern):
            most = min(most, len(found & self.wanted))
        return len(others) <= most and all(map(scalars.is_text, others))


def cover(
    root: Path,
    paths: Iterable[str],
    offer: Offer,
    *,
    free: Iterable[str] = (),
    taken: frozenset[str] = frozenset(),
) -> Cover:
    """Each file by the widest pattern that leaves little to except; else by its name alone.

    A path may be one that isn't there yet. What is `free` needn't be excepted. `taken` are the
    patterns of another group for new files: none may be in both.
    """
    search = _Search(root=root, wanted=frozenset(paths), free=frozenset(free), taken=taken)
    covered: set[str] = set()
    chosen: list[str] = []
    new: set[str] = set()
    for path in sorted(search.wanted):
        if path in covered:
            continue
        covered.add(path)
        widest = search.widest(path, offer)
        chosen.append(scalars.glob(path) if widest is None else widest[0])
        if widest is not None:
            new.add(widest[0])
            covered |= widest[1]
    excluded = sorted(covered - search.wanted - search.free)
    return Cover(
        patterns=tuple(chosen), new=frozenset(new), excluded=tuple(map(scalars.glob, excluded))
    )


def documents(path: PurePosixPath) -> Iterator[str]:
    """All of a folder for evals, else of the folder that the document is in."""
    yield from _folder(path, _EVALS)


def traces(path: PurePosixPath) -> Iterator[str]:
    """All of a folder for traces, else of the folder that the trace is in."""
    yield from _folder(path, _SESSIONS)


def artifacts(path: PurePosixPath) -> Iterator[str]:
    """All skills of a host; else what lies in the same folder and ends alike."""
    if path.name == "SKILL.md" and len(path.parts) > 2:  # noqa: PLR2004 - skills/<name>/SKILL.md
        yield f"{scalars.glob(f'{path.parent.parent}/')}*/SKILL.md"
        return
    ending = "".join(path.suffixes[-2:])
    if len(path.parts) > 1 and places.recognise(f"{path.parent}/new{ending}") is not None:
        yield f"{scalars.glob(f'{path.parent}/')}*{scalars.glob(ending).removeprefix('/')}"


def _folder(path: PurePosixPath, names: frozenset[str]) -> Iterator[str]:
    ending = scalars.glob(path.suffix).removeprefix("/")
    for index, part in enumerate(path.parts[:-1]):
        if part in names:
            folder = "/".join(path.parts[: index + 1])
            yield f"{scalars.glob(f'{folder}/')}**/*{ending}"
            break
    if len(path.parts) > 1:
        yield f"{scalars.glob(f'{path.parent}/')}*{ending}"


def _is_meant_for_them(pattern: str) -> bool:
    """Whether the folder says by its name what is in it."""
    return not (_EVALS | _SESSIONS | {"skills"}).isdisjoint(pattern.split("/"))


def _meet(pattern: str, other: str) -> bool:
    """Whether a new file could be selected by both."""
    ours, theirs = _folder_of(pattern), _folder_of(other)
    return ours == theirs or any(
        "**" in wide and deep.startswith(above)
        for wide, above, deep in ((pattern, ours, theirs), (other, theirs, ours))
    )


def _folder_of(pattern: str) -> str:
    return pattern.partition("**/")[0].rpartition("/")[0] + "/"
