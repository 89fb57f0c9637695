"""The stages in their order, what comes next and never how: effects in, a plan or a report out."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from mergebar import __version__, gating, planning, running
from mergebar.model.changes import Changes
from mergebar.model.configuration import AgentConfig, Config, JudgeConfig
from mergebar.model.conversations import Agent
from mergebar.model.documents import Document
from mergebar.model.evaluations import Evaluator
from mergebar.model.judgements import Judge
from mergebar.model.plans import Plan
from mergebar.model.problems import Problem, is_invalid
from mergebar.model.reports import Report, ReportJudge, ReportRunInfo, ReportWarning
from mergebar.model.results import CallCounts, Results
from mergebar.planning import Declaring, PlanOptions
from mergebar.report import building
from mergebar.report import documents as results_files
from mergebar.suites import documents
from mergebar.suites.faults import Explain
from mergebar.untrusted.redaction import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a run is about. `paths` are repository-relative documents, `artifacts` the other suites.

    `problems` are of no suite. `run` is what the report states of the run itself, with the times
    still empty; `note` goes into the headline.
    """

    config: Config
    paths: tuple[str, ...]
    changes: Changes
    options: PlanOptions
    run: ReportRunInfo
    artifacts: tuple[Declaring, ...] = ()
    note: str | None = None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[ReportWarning, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What the stages may touch. Adapters are made only for what the plan really needs."""

    read: Callable[[str], bytes | Problem]
    explain: Explain
    agent: Callable[[AgentConfig | None], Agent]
    judge: Callable[[JudgeConfig], Judge]
    evaluator: Callable[[str], Evaluator]
    sessions: Callable[[], running.Sessions]
    clock: Callable[[], float]
    now: Callable[[], datetime]
    redactor: Redactor = field(default_factory=Redactor)
    progress: Callable[[running.Progress], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A report, and each measured document with its results, by the name of its file."""

    report: Report
    documents: Mapping[str, bytes]


def prepare(inputs: Inputs, effects: Effects) -> Plan:
    """Read the suites and plan what is worth running."""
    suites = [_document(path, effects) for path in inputs.paths]
    plan = planning.plan(
        suites,
        config=inputs.config,
        changes=inputs.changes,
        options=inputs.options,
        artifacts=inputs.artifacts,
    )
    return replace(plan, problems=(*inputs.problems, *plan.problems))


async def execute(inputs: Inputs, effects: Effects, *, stop: asyncio.Event) -> Finished:
    """Run a plan to its end, whatever happens on the way, and report; `stop` ends it early."""
    started = effects.now()
    plan = prepare(inputs, effects)
    judge = _judge(plan, inputs.config, effects)
    results = await _measure(plan, inputs.config, judge, effects, stop)
    facts = gating.Facts(
        checks=results.checks,
        suites=plan.suites,
        policy=inputs.config.gate,
        groups=tuple(group.min_pass_rate for group in inputs.config.documents),
        config_problems=plan.problems,
        complete=results.complete,
        note=inputs.note,
    )
    run = replace(
        inputs.run,
        started_at=_rfc3339(started),
        finished_at=_rfc3339(effects.now()),
        complete=results.complete,
        judge=_named(judge),
    )
    report = building.build(
        plan=plan,
        results=results,
        decision=gating.decide(facts),
        frame=building.Frame(
            version=__version__,
            run=run,
            responses=inputs.config.responses,
            pass_rate=gating.pass_rate(results.checks),
            warnings=inputs.warnings,
        ),
        redactor=effects.redactor,
    )
    stamp = results_files.Stamp(
        version=__version__, evaluated_at=run.finished_at, judge=report.run.judge
    )
    return Finished(
        report=report,
        documents=results_files.fill_all(
            plan,
            results,
            stamp=stamp,
            redactor=effects.redactor,
            responses=inputs.config.responses,
        ),
    )


def _document(path: str, effects: Effects) -> Document:
    data = effects.read(path)
    if isinstance(data, Problem):
        return Document(path=path, version=None, cases=(), source={}, problems=(data,))
    return documents.read(data, path=path, explain=effects.explain)


async def _measure(
    plan: Plan, config: Config, judge: Judge | None, effects: Effects, stop: asyncio.Event
) -> Results:
    if is_invalid(plan.problems):
        return Results(checks=(), conversations=(), calls=CallCounts())
    agents = _agents(plan, config, effects)
    put = [case for case in plan.cases if case.scenario is None]
    evaluators = {
        name: effects.evaluator(name)
        for name in sorted({check.name for case in put for check in case.checks})
    }
    held = any(case.scenario is not None and case.skip is None for case in plan.cases)
    sessions = effects.sessions() if held else None
    try:
        return await running.run(
            plan,
            agents=agents,
            judge=judge,
            evaluators=evaluators,
            options=running.RunOptions.of(config),
            clock=effects.clock,
            sessions=sessions,
            stop=stop,
            progress=effects.progress,
        )
    finally:
        for one in (*agents.values(), judge, sessions):
            if one is not None:
                await one.aclose()


def _agents(plan: Plan, config: Config, effects: Effects) -> Mapping[str | None, Agent]:
    needed = {case.agent for case in plan.cases if case.skip is None and case.scenario is None}
    agents: dict[str | None, Agent] = {
        agent.name: effects.agent(agent) for agent in config.agents if agent.name in needed
    }
    if None in needed:
        agents[None] = effects.agent(None)
    return agents


def _judge(plan: Plan, config: Config, effects: Effects) -> Judge | None:
    asked = (
        check
        for case in plan.cases
        if case.skip is None
        for check in case.checks
        if check.skip is None and planning.asks_judge(check)
    )
    if is_invalid(plan.problems) or config.judge is None or next(asked, None) is None:
        return None
    return effects.judge(config.judge)


def _named(judge: Judge | None) -> ReportJudge | None:
    if judge is None:
        return None
    identity = judge.identity
    return ReportJudge(
        provider=identity.provider, model=identity.model, parameters=identity.parameters
    )


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
