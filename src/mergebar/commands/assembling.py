"""What was asked for and where in; the inputs and effects of a run out, or why there is none."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from mergebar import pipeline, planning, plugins, recordings
from mergebar.calling.timing import REAL
from mergebar.commands import foreign, policies, remote, workspace
from mergebar.commands.references import References
from mergebar.commands.remote import NOWHERE, Remote
from mergebar.commands.workspace import Place
from mergebar.edge import changes, events
from mergebar.edge.changes import Request
from mergebar.edge.events import Event
from mergebar.edge.git import Git, GitTrouble
from mergebar.errors import StopError
from mergebar.model.changes import Changes
from mergebar.model.configuration import AgentConfig, Config, JudgeConfig, Responses
from mergebar.model.contexts import AgentContext, JudgeContext
from mergebar.model.conversations import Agent
from mergebar.model.evaluations import Evaluator
from mergebar.model.judgements import Judge
from mergebar.model.problems import Level, Location, Problem, is_invalid
from mergebar.model.reports import ReportRunInfo, ReportWarning
from mergebar.running import Progress
from mergebar.untrusted.redaction import Redactor

_Made = TypeVar("_Made")
_REPLAY = "replay"
_STORED = AgentConfig(
    name="stored answers",
    type=_REPLAY,
    sources=None,
    concurrency=1,
    timeout_s=0,
    attempts=1,
    output_limit=0,
    cache=False,
    options={},
    location=Location(path=""),
)


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
    held = policies.hold(
        settled,
        name=invocation.config,
        place=place,
        event=around.event,
        base=changed.found.base,
        base_file=partial(remote.base_file, Git(place.cwd, around.environ), around.remote),
    )
    config = _effective(held.config, invocation, around.event)
    suites = _suites(invocation, place, config)
    problems = (*settled.problems, *held.problems, *suites.problems, *changed.problems)
    references = References(config, around.environ)
    effects, flush = _effects(invocation, around, references)
    inputs = pipeline.Inputs(
        config=config,
        paths=suites.paths,
        changes=changed.found.changes,
        options=_options(
            invocation, around, references, suites, searched=settled.config is not None
        ),
        run=_run_info(around, changed.found, config, policy=held.policy),
        note=held.note,
        problems=problems,
        warnings=_warnings(problems),
    )
    return Assembled(inputs=inputs, effects=replace(effects, progress=progress), flush=flush)


def _options(
    invocation: Invocation,
    around: Surroundings,
    references: References,
    suites: workspace.Found,
    *,
    searched: bool,
) -> planning.PlanOptions:
    return planning.PlanOptions(
        prefix=around.place.prefix,
        agent=invocation.agent,
        tags=invocation.tags,
        only=suites.paths if invocation.paths else (),
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
        agent if agent.type == _REPLAY else replace(agent, type=_REPLAY, options=options)
        for agent in config.agents
    )
    judge = config.judge
    if judge is not None and judge.type != _REPLAY:
        judge = replace(judge, type=_REPLAY, options=options)
    return replace(config, agents=agents, judge=judge)


def _suites(invocation: Invocation, place: Place, config: Config) -> workspace.Found:
    if invocation.paths:
        found = workspace.asked(place, invocation.paths, config)
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


def _effects(
    invocation: Invocation, around: Surroundings, references: References
) -> tuple[pipeline.Effects, Callable[[], tuple[Problem, ...]]]:
    root = around.place.cwd
    recorder = recordings.Recorder(root, recordings.FOLDER) if invocation.record else None

    def agent(config: AgentConfig | None) -> Agent:
        chosen = _STORED if config is None else references.agents[config.name]
        context = AgentContext(root=root, environ=around.environ, timing=REAL)
        made = _known(plugins.agent(chosen.type))(chosen, context)
        if recorder is None or chosen.type == _REPLAY:
            return made
        return recordings.RecordingAgent(made, recorder)

    def judge(config: JudgeConfig) -> Judge:
        chosen = references.judge or config
        context = JudgeContext(root=root, environ=around.environ, timing=REAL)
        made = _known(plugins.judge(chosen.type))(chosen, context)
        if recorder is None or chosen.type == _REPLAY:
            return made
        return recordings.RecordingJudge(made, recorder)

    def evaluator(name: str) -> Evaluator:
        return _known(plugins.evaluator(name))()

    effects = pipeline.Effects(
        read=around.place.read,
        explain=plugins.explain,
        agent=agent,
        judge=judge,
        evaluator=evaluator,
        clock=time.monotonic,
        now=lambda: datetime.now(UTC),
        redactor=Redactor(references.secrets),
    )
    return effects, recorder.flush if recorder else tuple


def _known(found: _Made | plugins.Unknown) -> _Made:
    """The configuration was read already, so only a plug-in can be gone meanwhile."""
    if isinstance(found, plugins.Unknown):
        raise StopError(found.message)
    return found


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
