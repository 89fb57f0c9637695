"""Agents and the judge through a proxy of the environment: used, named, and never a crash."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path

import pytest

from mergebar import plugins
from mergebar.calling import timing
from mergebar.model.contexts import AgentContext, JudgeContext
from mergebar.model.conversations import Answer, ErrorClass, Failure
from mergebar.model.judgements import Verdict
from support import agent_server, agents, judge_server
from support.agent_server import WAYS
from support.servers import Server

Call = Callable[[str, Mapping[str, str]], Coroutine[None, None, Answer | Verdict | Failure]]
FAR = "http://far.example"


def _way(way: str) -> Call:
    async def call(url: str, environ: Mapping[str, str]) -> Answer | Verdict | Failure:
        entry = WAYS[way].config(url)
        made = plugins.agent(entry.type)
        assert not isinstance(made, plugins.Unknown)
        agent = made(entry, AgentContext(root=Path(), environ=environ, timing=timing.REAL))
        try:
            return await agent.ask(agents.question())
        finally:
            await agent.aclose()

    return call


async def _judge(url: str, environ: Mapping[str, str]) -> Answer | Verdict | Failure:
    made = plugins.judge("openai")
    assert not isinstance(made, plugins.Unknown)
    context = JudgeContext(root=Path(), environ=environ, timing=timing.REAL)
    judge = made(judge_server.config(f"{url}/v1", attempts=1), context)
    try:
        return await judge.assess(judge_server.assessment("Hold the button."))
    finally:
        await judge.aclose()


CALLS: dict[str, Call] = {**{name: _way(name) for name in WAYS}, "judge": _judge}
WELL = {
    **{name: way.write(Answer(response="Hold it.")) for name, way in WAYS.items()},
    "judge": judge_server.verdict(4),
}


@pytest.mark.parametrize("who", CALLS)
def test_what_is_far_is_called_through_the_proxy(who: str) -> None:
    with Server([WELL[who]]) as proxy:
        result = asyncio.run(CALLS[who](FAR, {"HTTP_PROXY": proxy.url}))

    assert isinstance(result, Answer | Verdict), result
    (request,) = proxy.requests
    assert request.path.startswith(f"{FAR}/")


@pytest.mark.parametrize("who", CALLS)
@pytest.mark.parametrize("proxy", ["http://127.0.0.1:1", "socks5://127.0.0.1:1", "nonsense://"])
def test_what_is_on_this_machine_is_called_directly(
    who: str, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), proxy)
    for name in environ:
        monkeypatch.setenv(name, proxy)  # the clients themselves would read it there

    with Server([WELL[who]]) as server:
        result = asyncio.run(CALLS[who](server.url, environ))

    assert isinstance(result, Answer | Verdict), result


@pytest.mark.parametrize("who", CALLS)
@pytest.mark.parametrize(
    ("proxy", "error_class", "said"),
    [
        ("socks5://u:secret@127.0.0.1:1", ErrorClass.CONFIG, "names a proxy that isn't spoken to"),
        ("http://u:secret@127.0.0.1:1", ErrorClass.UNAVAILABLE, "can't be reached: mend the var"),
        ("http://u:secret@proxy.invalid:1", ErrorClass.UNAVAILABLE, "can't be reached: mend"),
    ],
)
def test_a_proxy_that_does_not_work_is_named_and_not_who_is_behind_it(
    who: str, proxy: str, error_class: ErrorClass, said: str
) -> None:
    result = asyncio.run(CALLS[who](FAR, {"ALL_PROXY": proxy}))

    assert isinstance(result, Failure)
    assert result.error_class is error_class
    assert said in result.message
    assert "`ALL_PROXY`" in result.message
    assert "secret" not in result.message
    assert "container" not in result.message


@pytest.mark.parametrize("who", CALLS)
@pytest.mark.parametrize(
    ("status", "said"),
    [
        (403, "(403 Scripted): mend the variable, or"),
        (407, "(407 Scripted): give name and password in the variable, or"),
        (502, "(502 Scripted): mend the variable, or"),
    ],
)
def test_a_proxy_that_refuses_is_named_with_its_words(who: str, status: int, said: str) -> None:
    with Server([agent_server.error(status)]) as proxy:
        result = asyncio.run(CALLS[who]("https://far.example", {"HTTPS_PROXY": proxy.url}))

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.UNAVAILABLE
    assert result.message.startswith("the proxy in `HTTPS_PROXY` doesn't connect to `")
    assert said in result.message
    assert "tried" not in result.message
    assert json.dumps(proxy.url) not in result.message
