"""Where a command works: the working directory and the repository in; paths, files, suites out."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from mergebar import config, loading
from mergebar.config import artifact_groups
from mergebar.errors import StopError
from mergebar.model.artifacts import Artifact
from mergebar.model.configuration import ArtifactGroup, Config
from mergebar.model.problems import Level, Location, Problem
from mergebar.reading import files
from mergebar.reading.limits import MAX_BYTES
from mergebar.reading.schema_faults import Explain
from mergebar.suites import artifact_hints, discovery, groups

MAX_CONFIG_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The working directory, and the repository's top folder: both real paths."""

    cwd: Path
    top: Path

    @property
    def prefix(self) -> str:
        """The working directory relative to the top, posix; empty at the top."""
        relative = self.cwd.relative_to(self.top).as_posix()
        return "" if relative == "." else relative

    def reported(self, path: str) -> str:
        """Repository-relative and posix, for a path that is absolute or relative to `cwd`.

        What lies outside the repository keeps the path that was given.
        """
        absolute = os.path.normpath(self.cwd / path)
        for candidate in (absolute, os.path.realpath(absolute)):
            if Path(candidate).is_relative_to(self.top):
                return Path(candidate).relative_to(self.top).as_posix()
        return Path(path).as_posix()

    def local(self, artifact: Artifact) -> Artifact:
        """The artifact as sessions that work in this directory know it."""
        prefix = f"{self.prefix}/" if self.prefix else ""
        return replace(artifact, path=artifact.path.removeprefix(prefix))

    def read(
        self, path: str, *, rule: str = "document/unreadable", limit: int = MAX_BYTES
    ) -> bytes | Problem:
        """The bytes of a file by its reported path."""
        where = Path(path)
        if not where.is_absolute() and ".." not in where.parts:
            return files.read(self.top, path, limit=limit, rule=rule)
        outside = self.cwd / where
        data = files.read(outside.parent, outside.name, limit=limit, rule=rule)
        return replace(data, path=path) if isinstance(data, Problem) else data


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Reported paths of suites, and what is wrong with how they were asked for."""

    paths: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The configuration that holds. `config` is `None` where there is one and it is wrong."""

    config: Config | None
    problems: tuple[Problem, ...] = ()


def current() -> Path:
    """The working directory; stops where somebody removed it meanwhile."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise StopError(
            "the working directory doesn't exist any more: change to one that does"
        ) from None


def here(cwd: Path | None = None) -> Place:
    """The place around a working directory: the nearest folder above with a `.git`, else it."""
    real = (cwd or current()).resolve()
    tops = (at for at in (real, *real.parents) if os.path.lexists(at / ".git"))
    return Place(cwd=real, top=next(tops, real))


def settle(place: Place, name: str | None, explain: Explain) -> Settled:
    """The configuration that is named, else the one that is found, else the defaults."""
    overlooked = config.overlooked(place.cwd, named=name)
    found = name or config.locate(place.cwd)
    if found is None:
        return Settled(config=config.default(), problems=overlooked)
    settled = read_config(place, found, explain)
    return replace(settled, problems=(*overlooked, *settled.problems))


def read_config(place: Place, name: str, explain: Explain) -> Settled:
    """One configuration file."""
    path = place.reported(name)
    data = place.read(path, rule="config/unreadable", limit=MAX_CONFIG_BYTES)
    if isinstance(data, Problem):
        return Settled(config=None, problems=(data,))
    faults = partial(loading.entry_faults, root=place.cwd)
    parsed = config.parse(
        data, path=path, explain=explain, entry_faults=faults, installed=loading.installed
    )
    return Settled(config=parsed.config, problems=parsed.problems)


def every_suite(place: Place, settings: Config) -> Found:
    """What the configuration names; by default, the documents at the usual places."""
    grouped = groups.resolve(place.cwd, settings.documents)
    named = {place.reported(path) for paths in grouped.files for path in paths}
    return Found(paths=tuple(sorted(named)), problems=grouped.problems)


def every_artifact(place: Place, settings: Config | None) -> Found:
    """The artifacts that the configuration names; none where the group is implied."""
    named = [] if settings is None else [one for one in settings.artifacts if not one.implied]
    if not named:
        return Found()
    grouped = groups.resolve_artifacts(place.cwd, named)
    paths = {place.reported(path) for paths in grouped.files for path in paths}
    return Found(paths=tuple(sorted(paths)), problems=grouped.problems)


def artifacts_asked(
    place: Place, paths: Sequence[str], configured: Sequence[str]
) -> tuple[str, ...]:
    """The configured artifacts; with paths, the files that these name and what is below folders."""
    if not paths:
        return tuple(sorted(configured))
    wanted: set[str] = set()
    for path in paths:
        reported = place.reported(path)
        if (place.cwd / path).is_dir():
            wanted |= {one for one in configured if _is_below(one, reported)}
        elif reported in configured or names_artifact(path):
            wanted.add(reported)
    return tuple(sorted(wanted))


def implied_group(path: str) -> ArtifactGroup:
    """The group of an artifact that no group of the configuration has."""
    return artifact_groups.implied(Location(path=path))


def _is_below(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


def names_artifact(path: str) -> bool:
    """Whether a file that somebody names is an artifact, by its name alone."""
    if Path(path).suffix in artifact_hints.SUFFIXES:
        return True
    return path.endswith(".toml") and artifact_hints.may_be(path, within="commands/" in path)


def below(place: Place, folder: str, settings: Config | None) -> Iterator[str]:
    """Every suite of the configuration below a folder, and every other eval document there."""
    root = place.cwd / folder
    for path in discovery.find(root, discovery.EVERY_JSON):
        if discovery.looks_like_document(root / path):
            yield place.reported(os.path.join(folder, path))  # noqa: PTH118 - thousands of paths
    if settings is None:
        return
    prefix = place.reported(folder)
    for group in settings.documents:
        for path in discovery.find(place.cwd, group.paths):
            reported = place.reported(path)
            if prefix == "." or reported.startswith(f"{prefix}/"):
                yield reported


def asked(
    place: Place, paths: Sequence[str], settings: Config | None, artifacts: Sequence[str] = ()
) -> Found:
    """The documents that paths name: a folder means all below it, a file is taken at its word.

    `artifacts` are those that the same paths name: a folder with one isn't empty.
    """
    named: set[str] = set()
    problems: list[Problem] = []
    for path in paths:
        if not (place.cwd / path).is_dir():
            if place.reported(path) not in artifacts:
                named.add(place.reported(path))
            continue
        inside = set(below(place, path, settings))
        named |= inside
        if not inside and not any(_is_below(one, place.reported(path)) for one in artifacts):
            problems.append(_none(f"no eval documents found below `{place.reported(path)}`"))
    return Found(paths=tuple(sorted(named)), problems=tuple(dict.fromkeys(problems)))


def _none(message: str) -> Problem:
    return Problem(level=Level.NOTICE, rule="document/none-found", message=message)
