"""The paths and folders of artifacts in, each artifact with its problems out; nothing is run.

Loaded by name, and only where there may be artifacts: reading them costs half of a small check.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mergebar import plugins
from mergebar.commands.artifacts import prompt_audiences, scenarios
from mergebar.commands.checking.artifact_requests import Asked, CheckedArtifacts
from mergebar.commands.workspace import Place
from mergebar.model.artifacts import Artifact
from mergebar.model.configuration import ArtifactGroup
from mergebar.model.problems import Level, Problem
from mergebar.reading import front_matter
from mergebar.report.problems import CheckedSuite
from mergebar.suites import artifacts
from mergebar.suites.artifacts import Survey, remarks
from mergebar.suites.artifacts.gathering import UNREADABLE, Read

_UNMEASURABLE = frozenset({"artifact/hash"})


def check(asked: Asked, place: Place) -> CheckedArtifacts:
    """All that was asked for, in path order, and the problems of no artifact."""
    found: dict[str, Artifact] = {}
    problems: list[Problem] = []
    for survey in _surveys(asked, place):
        found.update((artifact.path, artifact) for artifact in survey.artifacts)
        problems += survey.problems
    sessions = [
        scenarios.find(place, group, index=index) for index, group in enumerate(asked.groups)
    ]
    for index, (group, one) in enumerate(zip(asked.groups, sessions, strict=True)):
        problems += (*one.problems, *one.spoiled, *_without_sessions(group, index))
    listed = frozenset(asked.configured)
    ordered = [found[path] for path in sorted(found)]
    own = [artifact for artifact in ordered if artifact.path in listed]
    for one in sessions if listed.issubset(found) else ():
        problems += prompt_audiences.check(place, one.scenarios, own)
    return CheckedArtifacts(
        suites=tuple(
            CheckedSuite(
                path=artifact.path,
                kind="artifact",
                is_suite=artifact.is_suite,
                problems=tuple(_told(artifact, listed=artifact.path in listed)),
            )
            for artifact in ordered
        ),
        problems=tuple(dict.fromkeys(problems)),
        judged=any(remarks.asks_judge(artifact) for artifact in ordered),
        artifacts=tuple(own),
        sessions=tuple(each.key for one in sessions for each in one.scenarios),
    )


def _told(artifact: Artifact, *, listed: bool) -> dict[Problem, None]:
    """What a run takes for an error of one eval is an error here; no run loses the others by it."""
    own = (
        replace(one, level=Level.ERROR) if one.rule in _UNMEASURABLE else one
        for one in artifact.problems
    )
    return dict.fromkeys((*own, *(remarks.of(artifact) if listed else ())))


def _without_sessions(group: ArtifactGroup, index: int) -> Iterator[Problem]:
    """A group whose evals nothing could ever measure."""
    if group.traces or group.sessions is not None:
        return
    at = group.location
    yield Problem(
        level=Level.WARNING,
        rule="config/no-sessions",
        message=(
            f"`artifacts[{index}]` names neither `traces` nor `sessions`, so the evals of "
            "its artifacts can never be measured: add one of them"
        ),
        path=at.path,
        line=at.line,
        column=at.column,
    )


def _surveys(asked: Asked, place: Place) -> Iterator[Survey]:
    covered: set[str] = set()
    for folder in asked.folders:
        inside = "" if folder == "." else folder
        also = tuple(_below(inside, asked.configured))
        covered.update(also)
        yield artifacts.everything(
            place.top,
            folder=inside,
            also=also,
            explain=plugins.explain,
            installed=plugins.graders_installed,
            strict=asked.strict,
        )
    if rest := [path for path in asked.configured if path not in covered]:
        yield artifacts.survey(
            place.top,
            rest,
            folder=place.prefix,
            whole=bool(asked.groups),
            explain=plugins.explain,
            installed=plugins.graders_installed,
            strict=asked.strict,
        )
    if asked.named:
        yield artifacts.survey(
            place.top,
            asked.named,
            folder=place.prefix,
            read=_reader(place),
            explain=plugins.explain,
            installed=plugins.graders_installed,
            strict=asked.strict,
        )


def _reader(place: Place) -> Read:
    """Reads what lies outside of the repository too: somebody named it."""
    return lambda path: place.read(path, rule=UNREADABLE, limit=front_matter.MAX_FILE_BYTES)


def _below(folder: str, paths: Sequence[str]) -> Iterator[str]:
    return (path for path in paths if not folder or path.startswith(f"{folder}/"))
