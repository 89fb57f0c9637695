"""What was asked for and where in; the inputs and effects of a run out, or why there is none."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from mergebar import pipeline, planning, plugins, recordings
from mergebar.commands import (
    base_files,
    declared_artifacts,
    foreign,
    held_sessions,
    policies,
    remote,
    source_globs,
    workspace,
)
from mergebar.commands.adapters import REPLAY, Adapters
from mergebar.commands.base_files import Base
from mergebar.commands.references import References
from mergebar.commands.remote import NOWHERE, Remote
from mergebar.commands.workspace import Place
from mergebar.edge import changes, events
from mergebar.edge.changes import Request
from mergebar.edge.events import Event
from mergebar.edge.git import Git, GitTrouble
from mergebar.errors import StopError
from mergebar.model.changes import Changes
from mergebar.model.configuration import Config, Responses
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.model.reports import ReportRunInfo, ReportWarning
from mergebar.running import Progress
from mergebar.untrusted.redaction import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What was asked for, by the command line or by the action's inputs.

    Paths are relative to the working directory. `scope` is `auto`, `affected` or `all`.
    """

    paths: tuple[str, ...] = ()
    config: str | None = None
    scope: str = "auto"
    changed: tuple[str, ...] | None = None
    base: str | None = None
    agent: str | None = None
    tags: tuple[str, ...] = ()
    runs: int | None = None
    judge: bool = True
    replay: bool = False
    record: bool = False
    output: str = ".mergebar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where and on what occasion; `environ` is the process's environment."""

    place: Place
    event: Event
    environ: Mapping[str, str]
    remote: Remote = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """Ready to run. `flush` writes what was recorded, and says what couldn't be."""

    inputs: pipeline.Inputs
    effects: pipeline.Effects
    flush: Callable[[], tuple[Problem, ...]]


def assemble(
    invocation: Invocation,
    around: Surroundings,
    *,
    progress: Callable[[Progress], None] | None = None,
) -> Assembled:
    """Settle what holds for this run. Problems go into the inputs: they belong in the report."""
    place = around.place
    settled = workspace.settle(place, invocation.config, plugins.explain)
    changed = _changes(invocation, around)
    base_file = partial(remote.base_file, Git(place.cwd, around.environ), around.remote)
    held = policies.hold(
        settled,
        name=invocation.config,
        place=place,
        event=around.event,
        base=changed.found.base,
        base_file=base_file,
    )
    config = _effective(held.config, invocation, around.event)
    base = Base(commit=changed.found.base, file=base_file)
    declared = declared_artifacts.find(
        place,
        config,
        declared_artifacts.Asked(
            changes=changed.found.changes, paths=invocation.paths, before=base.read
        ),
    )
    suites = _suites(invocation, place, config, declared.paths)
    verdicts = base_files.verdicts(place, base, trusted=around.event.trusted)
    problems = (
        *settled.problems,
        *held.problems,
        *suites.problems,
        *declared.problems,
        *verdicts.problems,
        *source_globs.unmatched(config, place, changed.found.changes),
        *changed.problems,
    )
    references = References(config, around.environ)
    options = _options(
        invocation,
        around,
        references,
        asked=(*suites.paths, *declared.paths),
        searched=settled.config is not None,
    )
    run = _run_info(around, changed.found, config, policy=held.policy)
    adapters = _adapters(invocation, around, references)
    redactor = Redactor({*references.secrets, *_passed_on(config, around.environ)})
    refused = planning.of_repository_code(config=config, options=options)
    sessions = held_sessions.Setting(
        place=place,
        environ=around.environ,
        groups=config.artifacts,
        reviews=verdicts.reviews,
        redact=redactor.redact,
        refused=None if refused is None else refused.reason,
        folder=place.cwd / invocation.output,
        bodies=declared_artifacts.bodies(declared.declaring),
        commit=run.commit,
    )
    inputs = pipeline.Inputs(
        config=config,
        paths=suites.paths,
        changes=changed.found.changes,
        options=options,
        run=run,
        artifacts=declared.declaring,
        note=held.note,
        problems=problems,
        warnings=_warnings(problems),
    )
    return Assembled(
        inputs=inputs,
        effects=pipeline.Effects(
            read=place.read,
            explain=plugins.explain,
            agent=adapters.agent,
            judge=adapters.judge,
            evaluator=adapters.evaluator,
            sessions=lambda: held_sessions.create(sessions),
            clock=time.monotonic,
            now=lambda: datetime.now(UTC),
            redactor=redactor,
            progress=progress,
        ),
        flush=adapters.flush,
    )


def _options(
    invocation: Invocation,
    around: Surroundings,
    references: References,
    *,
    asked: tuple[str, ...],
    searched: bool,
) -> planning.PlanOptions:
    return planning.PlanOptions(
        prefix=around.place.prefix,
        agent=invocation.agent,
        tags=invocation.tags,
        only=asked if invocation.paths else (),
        searched=searched,
        runs=invocation.runs,
        judge=invocation.judge,
        trusted=around.event.trusted,
        secrets_missing=references.agents_missing,
        judge_secrets_missing=references.judge_missing,
    )


def around(place: Place, environ: Mapping[str, str]) -> Surroundings:
    """The occasion of this process; stops where GitHub's own file for it can't be used."""
    found = events.read(environ)
    if isinstance(found, Problem):
        raise StopError(found.message)
    return Surroundings(place=place, event=found, environ=environ)


def _effective(config: Config, invocation: Invocation, happened: Event) -> Config:
    """The configuration after what the command line and the event override."""
    if happened.public and not config.responses_said:
        config = replace(config, responses=Responses.NONE)
    return _replayed(config) if invocation.replay else config


def _replayed(config: Config) -> Config:
    """Recordings in place of every agent and of the judge; those that replay already stay."""
    options = {"recordings": recordings.FOLDER}
    agents = tuple(
        agent if agent.type == REPLAY else replace(agent, type=REPLAY, options=options)
        for agent in config.agents
    )
    judge = config.judge
    if judge is not None and judge.type != REPLAY:
        judge = replace(judge, type=REPLAY, options=options)
    groups = tuple(replace(group, sessions=None) for group in config.artifacts)
    return replace(config, agents=agents, judge=judge, artifacts=groups)


def _suites(
    invocation: Invocation, place: Place, config: Config, artifacts: tuple[str, ...]
) -> workspace.Found:
    """The documents; `artifacts` are the other suites that were asked for."""
    if invocation.paths:
        found = workspace.asked(place, invocation.paths, config, artifacts)
        # A notice is enough for `check`; here a folder without suites measures nothing.
        return replace(
            found, problems=tuple(replace(one, level=Level.ERROR) for one in found.problems)
        )
    return workspace.every_suite(place, config)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changed:
    found: changes.Found
    problems: tuple[Problem, ...] = ()


def _changes(invocation: Invocation, around: Surroundings) -> _Changed:
    changed = invocation.changed
    request = Request(
        scope="all" if invocation.paths and invocation.scope == "auto" else invocation.scope,
        changed=None if changed is None else tuple(map(around.place.reported, changed)),
        base=invocation.base,
    )
    git = Git(around.place.cwd, around.environ)
    found = changes.find(around.event, git, request, preferred=around.remote.changed)
    if isinstance(found, Problem):
        return _Changed(found=changes.Found(changes=Changes()), problems=(found,))
    others = foreign.only(found.changes, around.place, output=invocation.output)
    return _Changed(found=replace(found, changes=others))


def _adapters(invocation: Invocation, around: Surroundings, references: References) -> Adapters:
    root = around.place.cwd
    recorder = recordings.Recorder(root, recordings.FOLDER) if invocation.record else None
    return Adapters(root=root, environ=around.environ, references=references, recorder=recorder)


def _passed_on(config: Config, environ: Mapping[str, str]) -> set[str]:
    """What sessions are given of the environment: they may print it."""
    groups = (group.sessions for group in config.artifacts if group.sessions is not None)
    return {environ[name] for one in groups for name in one.env if name in environ}


def _run_info(
    around: Surroundings, found: changes.Found, config: Config, *, policy: str
) -> ReportRunInfo:
    happened = around.event
    head = Git(around.place.cwd, around.environ).head()
    commit = happened.tested or (None if isinstance(head, GitTrouble) else head)
    return ReportRunInfo(
        id=happened.run_id,
        attempt=happened.attempt,
        started_at="",
        finished_at="",
        event=happened.name,
        commit=commit,
        head_commit=happened.head or commit,
        base_commit=found.base,
        trusted=happened.trusted,
        complete=True,
        policy=policy,
        config_digest=config.digest,
        judge=None,
        mode=config.gate.mode.value,
        scope="all" if found.changes.everything else "affected",
    )


def _warnings(problems: tuple[Problem, ...]) -> tuple[ReportWarning, ...]:
    """Problems of no suite that stop nothing are warnings of the report."""
    return tuple(
        ReportWarning(message=one.message, path=one.path, line=one.line, column=one.column)
        for one in problems
        if not is_invalid([one])
    )
