"""Artifacts and what changed in; the recorded sessions that have nothing to do with them, out."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from mergebar import sessions, traces
from mergebar.commands.workspace import Place
from mergebar.model.artifacts import Artifact, ArtifactType
from mergebar.model.changes import Changes
from mergebar.model.sessions import Session
from mergebar.patterns import GlobSet
from mergebar.planning import Declaring, relative


def find(
    declaring: Sequence[Declaring], *, changes: Changes, place: Place
) -> Mapping[str, frozenset[str]]:
    """By the path of the artifact. Each trace is read once, and only one is held at a time.

    Sessions are looked at that changed, and all of an artifact whose text did: only one that used
    it can be out of date.
    """
    asked = {one.path: frozenset(_asked(one, changes, place)) for one in declaring}
    unused: dict[str, set[str]] = {one.path: set() for one in declaring}
    for trace in sorted(frozenset().union(*asked.values())):
        session = traces.read(place.top / trace, name=trace)
        if not isinstance(session, Session):
            continue
        for one in declaring:
            if trace in asked[one.path] and not _linked(session, one.artifact, place):
                unused[one.path].add(trace)
    return {path: frozenset(found) for path, found in unused.items()}


def changed(one: Declaring, changes: Changes) -> Iterator[str]:
    """Its sessions whose trace changed."""
    return (trace for trace in _traces(one) if touches(changes, (trace,)))


def touches(changes: Changes, paths: tuple[str, ...]) -> bool:
    """Whether one of these files changed, under either name."""
    return any(change.path in paths or change.old_path in paths for change in changes.files)


def _asked(one: Declaring, changes: Changes, place: Place) -> Iterator[str]:
    return _traces(one) if _is_rewritten(one, changes, place) else changed(one, changes)


def _traces(one: Declaring) -> Iterator[str]:
    sound = (each for each in one.scenarios if each.fault is None)
    return (scenario.trace for scenario in sound if scenario.trace is not None)


def _is_rewritten(one: Declaring, changes: Changes, place: Place) -> bool:
    """Whether its text, the folder of a skill or a source of its group changed."""
    if touches(changes, (one.path, *one.artifact.sidecars)):
        return one.before is None or one.before.body_digest != one.artifact.body_digest
    folder = posixpath.dirname(one.path)
    is_skill = one.artifact.identity.type is ArtifactType.SKILL and folder
    sources = GlobSet(one.group.sources)
    for path in {path for change in changes.files for path in (change.path, change.old_path)}:
        local = None if path is None else relative(path, prefix=place.prefix)
        beside = path is not None and is_skill and path.startswith(f"{folder}/")
        if beside or (local is not None and sources.matches(local)):
            return True
    return False


def _linked(session: Session, artifact: Artifact, place: Place) -> bool:
    """Whether a session used an artifact; one that came to nothing has to be looked at."""
    return session.idle is not None or sessions.link(session, place.local(artifact)).used
