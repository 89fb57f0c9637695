"""A configuration and what changed in; its artifacts as the plan wants to know them out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mergebar import plugins
from mergebar.commands import workspace
from mergebar.commands.artifacts import prompt_audiences, repeated_traces, scenarios, unused_traces
from mergebar.commands.artifacts.ties import Tying
from mergebar.commands.watching import uncovered_artifacts
from mergebar.commands.workspace import Place
from mergebar.model.artifacts import Artifact
from mergebar.model.changes import Changes
from mergebar.model.configuration import ArtifactGroup, Config
from mergebar.model.problems import Level, Problem
from mergebar.model.scenarios import Tie
from mergebar.planning import Declaring
from mergebar.suites import artifact_hints, artifacts, groups
from mergebar.suites.artifacts import Survey, remarks

_SIDECARS = (".yaml", ".yml")
_TWICE = 2

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


def _nothing_ignored() -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked for: `paths` as given, `runs` for each case. `before` is `None` where no base
    is known. `ignored` says what git doesn't watch.
    """

    changes: Changes
    paths: tuple[str, ...] = ()
    before: Before | None = None
    runs: int | None = None
    ignored: Callable[[], frozenset[str]] = _nothing_ignored


def find(place: Place, config: Config, asked: Asked) -> Found:
    """The configured artifacts, or those that were asked for; without a configuration, all."""
    named = [group for group in config.artifacts if not group.implied]
    grouped = groups.resolve_artifacts(place.cwd, named)
    members = {
        place.reported(path): index for index, paths in enumerate(grouped.files) for path in paths
    }
    surveyed, wanted = _surveyed(place, config, asked, tuple(members))
    evidence = [scenarios.find(place, group, index=index) for index, group in enumerate(named)]
    tying = Tying(place, asked.ignored)
    declaring = [
        _tied(_declared(artifact, members.get(artifact.path), named, evidence), tying)
        for artifact in surveyed.artifacts
        if artifact.is_suite
    ]
    listed = [artifact for artifact in surveyed.artifacts if artifact.path in wanted]
    problems = (
        *(() if asked.paths else grouped.problems),
        *surveyed.problems,
        *(problem for each in evidence for problem in each.problems),
        *(_mild(problem) for each in evidence for problem in each.spoiled),
        *(problem for artifact in listed for problem in remarks.of(artifact)),
        *_audiences(place, evidence, surveyed, members),
        *_unrepeatable(declaring, asked.runs),
        *(() if asked.paths else uncovered_artifacts.find(place, config, frozenset(members))),
    )
    return Found(declaring=since(declaring, place, asked), problems=tuple(dict.fromkeys(problems)))


def _surveyed(
    place: Place, config: Config, asked: Asked, configured: tuple[str, ...]
) -> tuple[Survey, frozenset[str]]:
    """What was found, and those of it that somebody names; folders are looked through."""
    wanted = workspace.artifacts_asked(place, asked.paths, configured)
    folders = [place.reported(path) for path in asked.paths if (place.cwd / path).is_dir()]
    if _is_bare(config) and not asked.paths:
        folders = [place.prefix or "."]
    surveys = [
        artifacts.everything(
            place.top,
            folder=inside,
            also=wanted,
            explain=plugins.explain,
            installed=plugins.graders_installed,
        )
        for inside in ("" if folder == "." else folder for folder in folders)
        if artifact_hints.may_hold(place.top, inside)
    ]
    if not surveys:
        whole = bool(configured) and not asked.paths
        surveys = [
            artifacts.survey(
                place.top,
                wanted,
                explain=plugins.explain,
                installed=plugins.graders_installed,
                folder=place.prefix,
                whole=whole,
            )
        ]
    found = {artifact.path: artifact for each in surveys for artifact in each.artifacts}
    problems = dict.fromkeys(problem for each in surveys for problem in each.problems)
    every = tuple(found[path] for path in sorted(found))
    return Survey(artifacts=every, problems=tuple(problems)), frozenset(wanted)


def _is_bare(config: Config) -> bool:
    """Whether nobody configured anything: then the artifacts are those that `check` finds."""
    return config.path is None and any(group.implied for group in config.artifacts)


def _audiences(
    place: Place,
    evidence: Sequence[scenarios.Found],
    surveyed: Survey,
    members: Mapping[str, int],
) -> Iterator[Problem]:
    for index, each in enumerate(evidence):
        own = [one for one in surveyed.artifacts if members.get(one.path) == index]
        if len(own) == sum(at == index for at in members.values()):  # else not all were read
            yield from prompt_audiences.check(place, each.scenarios, own)


def _mild(problem: Problem) -> Problem:
    """Only the checks on this one session can't be measured, and they say so."""
    return replace(problem, level=Level.WARNING)


def _unrepeatable(declaring: Sequence[Declaring], runs: int | None) -> Iterator[Problem]:
    """Said, because whoever asks for repeats would take one for many."""
    recorded = {scenario.trace for one in declaring for scenario in one.scenarios if scenario.trace}
    if runs is None or runs < _TWICE or not recorded:
        return
    many = f"{len(recorded)} recorded sessions" if len(recorded) > 1 else "the recorded session"
    yield Problem(
        level=Level.NOTICE,
        rule="config/not-repeated",
        message=f"{many} can't be repeated, whatever `--runs` says: each is graded once",
    )


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


def _tied(one: Declaring, tying: Tying) -> Declaring:
    """What it is made of now, where a session is tied to that, or will be."""
    if not any(each.ties is not None or each.prompt is not None for each in one.scenarios):
        return one
    return replace(one, tie=tying.of(one.artifact, one.group))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Past:
    """What artifacts were before a change, and which sessions used them."""

    place: Place
    asked: Asked

    def narrowed(self, declaring: list[Declaring]) -> tuple[Declaring, ...]:
        """Without those traces that have nothing to do with an artifact."""
        changes = self.asked.changes
        unused = unused_traces.find(declaring, changes=changes, place=self.place)
        traces = frozenset(
            trace for one in declaring for trace in unused_traces.changed(one, changes)
        )
        repeated = self._repeated(declaring, traces)
        return tuple(replace(one, unused=unused[one.path], repeated=repeated) for one in declaring)

    def _repeated(self, declaring: list[Declaring], changed: frozenset[str]) -> frozenset[str]:
        """Those changed traces that show what one of the base does."""
        before = self.asked.before
        if before is None or not changed:
            return frozenset()
        every = {
            one.trace
            for each in declaring
            for one in each.scenarios
            if one.trace is not None and one.fault is None
        }
        return repeated_traces.find(
            self.place.top, changed, kept=every - changed, changes=self.asked.changes, before=before
        )

    def before(self, artifact: Artifact) -> Artifact | None:
        """The artifact as of the base, where it, or what declares for it, changed."""
        before = self.asked.before
        if before is None or not unused_traces.touches(
            self.asked.changes, (artifact.path, *artifact.sidecars)
        ):
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
            self.place.top,
            [was],
            explain=plugins.explain,
            installed=plugins.graders_installed,
            folder=self.place.prefix,
            read=read,
        )
        return found.artifacts[0]


def _gone(path: str) -> Problem:
    return Problem(
        level=Level.ERROR,
        rule="artifact/unreadable",
        message="the base has no such file",
        path=path,
    )


def ties(declaring: tuple[Declaring, ...]) -> Mapping[int, Mapping[str, Tie]]:
    """What a session of each group is tied to, by the paths of artifacts."""
    found: dict[int, dict[str, Tie]] = {}
    for one in declaring:
        for scenario in one.scenarios:
            if one.tie is not None:
                found.setdefault(scenario.group, {})[one.path] = one.tie
    return found
