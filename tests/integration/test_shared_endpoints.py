"""Agents and the judge at one address: whoever is told to slow down slows the others down too."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import permutations
from pathlib import Path

import pytest

from mergebar import config, plugins
from mergebar.calling.limiting import Limits
from mergebar.commands.reaching.adapters import Adapters
from mergebar.commands.reaching.references import References
from mergebar.model.contexts import AgentContext, JudgeContext
from mergebar.model.conversations import Answer, Failure
from mergebar.model.judgements import Verdict
from support import agent_server, agents, judge_server
from support.agent_server import WAYS
from support.clocks import Clock
from support.servers import Reply, Request, Server

WAIT_S = 7.0
Call = Callable[[str, Clock, Limits], Awaitable[object]]


async def _agent(way: str, url: str, clock: Clock, limits: Limits) -> object:
    context = AgentContext(root=Path(), environ={}, timing=clock.timing, limits=limits)
    entry = WAYS[way].config(url)
    made = plugins.agent(entry.type)
    assert not isinstance(made, plugins.Unknown)
    agent = made(entry, context)
    try:
        return await agent.ask(agents.question())
    finally:
        await agent.aclose()


async def _judge(url: str, clock: Clock, limits: Limits) -> object:
    context = JudgeContext(root=Path(), environ={}, timing=clock.timing, limits=limits)
    made = plugins.judge("openai")
    assert not isinstance(made, plugins.Unknown)
    judge = made(judge_server.config(f"{url}/v1", attempts=1), context)
    try:
        return await judge.assess(judge_server.assessment("Hold the button."))
    finally:
        await judge.aclose()


def _way(way: str) -> Call:
    return lambda url, clock, limits: _agent(way, url, clock, limits)


CALLS: dict[str, Call] = {**{name: _way(name) for name in WAYS}, "judge": _judge}


@pytest.mark.parametrize(("first", "second"), list(permutations(CALLS, 2)))
def test_what_one_is_told_to_wait_the_other_waits_too(first: str, second: str) -> None:
    throttled = agent_server.error(429, headers={"retry-after": f"{WAIT_S:g}"})
    well = (
        judge_server.verdict(4)
        if second == "judge"
        else WAYS[second].write(Answer(response="Hold it."))
    )
    clock = Clock()
    limits = Limits(clock.timing)

    async def both(url: str) -> tuple[object, object]:
        return await CALLS[first](url, clock, limits), await CALLS[second](url, clock, limits)

    with Server([throttled, well]) as server:
        refused, taken = asyncio.run(both(server.url))

    assert isinstance(refused, Failure)
    assert isinstance(taken, Answer | Verdict), taken
    assert clock.slept == [WAIT_S]


CONFIG = """\
version: 1
agents:
  one: {type: http, sources: [], attempts: 1, url: "URL/one"}
  two: {type: openai, sources: [], attempts: 1, model: m, base_url: "URL/v1"}
judge: {type: openai, model: m, attempts: 1, base_url: "URL/v1"}
"""
PAUSE_S = 0.4


def test_all_that_a_run_calls_share_by_address(tmp_path: Path) -> None:
    came: list[float] = []

    def script(request: Request) -> Reply:
        came.append(time.monotonic())
        if request.path == "/one":
            return agent_server.error(429, headers={"retry-after": f"{PAUSE_S}"})
        return judge_server.verdict(4)

    async def asked(adapters: Adapters, settled: config.Parsed) -> None:
        assert settled.config is not None
        assert settled.config.judge is not None
        one, two = map(adapters.agent, settled.config.agents)
        judge = adapters.judge(settled.config.judge)
        await one.ask(agents.question())
        await asyncio.gather(
            two.ask(agents.question()), judge.assess(judge_server.assessment("Hold it."))
        )
        for each in (one, two, judge):
            await each.aclose()

    with Server(script) as server:
        text = CONFIG.replace("URL", server.url).encode()
        settled = config.parse(text, path="mergebar.yml", explain=plugins.explain)
        assert settled.config is not None
        references = References(settled.config, {})
        adapters = Adapters(root=tmp_path, environ={}, references=references, recorder=None)
        asyncio.run(asked(adapters, settled))

    first, *others = came
    assert len(others) == 2
    assert all(at - first >= PAUSE_S for at in others)
