"""A configuration and what changed in; its artifacts as the plan wants to know them out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mergebar import plugins, sessions, traces
from mergebar.commands import scenarios, workspace
from mergebar.commands.workspace import Place
from mergebar.model.artifacts import Artifact
from mergebar.model.changes import Changes
from mergebar.model.configuration import ArtifactGroup, Config
from mergebar.model.problems import Level, Problem
from mergebar.model.sessions import Session
from mergebar.planning import Declaring
from mergebar.suites import artifact_hints, artifacts, groups
from mergebar.suites.artifacts import Survey, remarks

_SIDECARS = (".yaml", ".yml")

Before: TypeAlias = Callable[[str], bytes | None]
"""A repository-relative path in; the file's bytes as of the base, `None` where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The artifacts that may be measured, and all problems of no suite, warnings included."""

    declaring: tuple[Declaring, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Their paths."""
        return tuple(one.path for one in self.declaring)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked for: `paths` as given. `before` is `None` where no base is known."""

    changes: Changes
    paths: tuple[str, ...] = ()
    before: Before | None = None


def find(place: Place, config: Config, asked: Asked) -> Found:
    """The configured artifacts, or those that were asked for."""
    named = [group for group in config.artifacts if not group.implied]
    grouped = groups.resolve_artifacts(place.cwd, named)
    members = {
        place.reported(path): index for index, paths in enumerate(grouped.files) for path in paths
    }
    wanted = workspace.artifacts_asked(place, asked.paths, tuple(members))
    surveyed = artifacts.survey(
        place.top,
        wanted,
        explain=plugins.explain,
        folder=place.prefix,
        whole=bool(named) and not asked.paths,
    )
    evidence = [scenarios.find(place, group, index=index) for index, group in enumerate(named)]
    declaring = [
        _declared(artifact, members.get(artifact.path), named, evidence)
        for artifact in surveyed.artifacts
        if artifact.is_suite
    ]
    problems = (
        *(() if asked.paths else grouped.problems),
        *surveyed.problems,
        *(problem for each in evidence for problem in each.problems),
        *(problem for artifact in surveyed.artifacts for problem in remarks.of(artifact)),
        *(() if named or asked.paths else _unmeasured(place, config)),
    )
    return Found(declaring=since(declaring, place, asked), problems=tuple(dict.fromkeys(problems)))


def since(declaring: Sequence[Declaring], place: Place, asked: Asked) -> tuple[Declaring, ...]:
    """The same artifacts with what they were at another commit: that of `asked.before`."""
    past = _Past(place=place, asked=asked)
    return past.narrowed(
        [replace(one, before=past.before(one.artifact), unused=frozenset()) for one in declaring]
    )


def _declared(
    artifact: Artifact,
    index: int | None,
    named: Sequence[ArtifactGroup],
    evidence: Sequence[scenarios.Found],
) -> Declaring:
    """An artifact with its group and its sessions; a group that it doesn't have is implied."""
    if index is None:
        return Declaring(artifact=artifact, group=workspace.implied_group(artifact.path))
    return Declaring(artifact=artifact, group=named[index], scenarios=evidence[index].of(artifact))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Past:
    """What artifacts were before a change, and which changed sessions used them."""

    place: Place
    asked: Asked

    def narrowed(self, declaring: list[Declaring]) -> tuple[Declaring, ...]:
        """Without those changed traces that have nothing to do with an artifact.

        Each is read once, for all artifacts, and only one is held at a time.
        """
        traces_of = {trace for one in declaring for trace in self._changed(one)}
        unused: dict[str, set[str]] = {}
        for trace in sorted(traces_of):
            session = traces.read(self.place.top / trace, name=trace)
            for one in declaring:
                if isinstance(session, Session) and not linked(session, one.artifact, self.place):
                    unused.setdefault(one.path, set()).add(trace)
        return tuple(replace(one, unused=frozenset(unused.get(one.path, ()))) for one in declaring)

    def _changed(self, one: Declaring) -> Iterator[str]:
        named = (scenario.trace for scenario in one.scenarios if scenario.trace is not None)
        return (trace for trace in named if _touches(self.asked.changes, (trace,)))

    def before(self, artifact: Artifact) -> Artifact | None:
        """The artifact as of the base, where it, or what declares for it, changed."""
        before = self.asked.before
        if before is None or not _touches(self.asked.changes, (artifact.path, *artifact.sidecars)):
            return None
        was = next(
            (
                change.old_path
                for change in self.asked.changes.files
                if change.path == artifact.path and change.old_path is not None
            ),
            artifact.path,
        )

        def read(path: str) -> bytes | Problem:
            data = before(path)
            if data is None and path.endswith(_SIDECARS):
                return b"{}"  # a sidecar that is new declared nothing
            return _gone(path) if data is None else data

        found = artifacts.survey(
            self.place.top, [was], explain=plugins.explain, folder=self.place.prefix, read=read
        )
        return found.artifacts[0]


def linked(session: Session, artifact: Artifact, place: Place) -> bool:
    """Whether a session used an artifact."""
    return sessions.link(session, place.local(artifact)).used


def _touches(changes: Changes, paths: tuple[str, ...]) -> bool:
    return any(change.path in paths or change.old_path in paths for change in changes.files)


def _gone(path: str) -> Problem:
    return Problem(
        level=Level.ERROR,
        rule="artifact/unreadable",
        message="the base has no such file",
        path=path,
    )


def _unmeasured(place: Place, config: Config) -> Iterator[Problem]:
    """Evals that nobody configured sessions for: said, because a gate would pass over them."""
    folder = place.prefix or "."
    if not any(group.implied for group in config.artifacts):
        return
    if not artifact_hints.may_hold(place.top, folder):
        return
    found: Survey = artifacts.everything(place.top, folder=place.prefix, explain=plugins.explain)
    for artifact in found.artifacts:
        if artifact.is_suite:
            yield Problem(
                level=Level.WARNING,
                rule="artifact/not-configured",
                message=(
                    "this artifact declares evals, and nothing measures them: name it under "
                    "`artifacts` in `mergebar.yml`, with `traces` or `sessions`"
                ),
                path=artifact.path,
            )


Bodies: TypeAlias = Mapping[str, str]
"""The digest of each artifact's text, by its path."""


def bodies(declaring: tuple[Declaring, ...]) -> Mapping[int, Bodies]:
    """The digests that a session of each group is tied to."""
    found: dict[int, dict[str, str]] = {}
    for one in declaring:
        for scenario in one.scenarios:
            found.setdefault(scenario.group, {})[one.path] = one.artifact.body_digest
    return found
