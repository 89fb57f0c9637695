"""A plan and its effects in; what was measured of it out, and the journal that it was kept in."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mergebar import running
from mergebar.journal import Journal
from mergebar.model.configuration import Config
from mergebar.model.conversations import Agent
from mergebar.model.judgements import Judge
from mergebar.model.plans import Plan
from mergebar.model.problems import is_invalid
from mergebar.model.results import CallCounts, Results
from mergebar.pipeline.values import Effects
from mergebar.running import RunOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Without a journal, nothing was begun or nothing could be kept."""

    results: Results
    journal: Journal | None = None


async def measure(
    plan: Plan, config: Config, judge: Judge | None, effects: Effects, stop: asyncio.Event
) -> Measured:
    """Carry the plan out, unless it is invalid or takes more than it may. The judge is closed."""
    if is_invalid(plan.problems):
        return Measured(results=Results(checks=(), conversations=(), calls=CallCounts()))
    options = replace(RunOptions.of(config), redactor=effects.redactor)
    spent = running.refusal(plan.estimate, config.budget)
    if spent is not None:
        if judge is not None:
            await judge.aclose()
        return Measured(results=running.refused(plan, spent, options=options))
    journal = effects.journal(plan) if _puts_anything(plan) else None
    results = await _run(plan, config, judge, effects, options=options, stop=stop, journal=journal)
    return Measured(results=results, journal=journal)


async def _run(
    plan: Plan,
    config: Config,
    judge: Judge | None,
    effects: Effects,
    *,
    options: RunOptions,
    stop: asyncio.Event,
    journal: Journal | None,
) -> Results:
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
            options=options,
            clock=effects.clock,
            sessions=sessions,
            stop=stop,
            progress=effects.progress,
            pulse=effects.pulse,
            journal=journal,
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


def _puts_anything(plan: Plan) -> bool:
    return any(case.skip is None for case in plan.cases)
