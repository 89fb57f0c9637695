"""Everything that goes wrong on a wire, for whoever is called over one: what becomes of it."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mergebar import plugins
from mergebar.model.configuration import AgentConfig, JudgeConfig
from mergebar.model.contexts import AgentContext, JudgeContext
from mergebar.model.conversations import Answer, ErrorClass, Failure
from mergebar.model.judgements import Verdict
from support import agent_server, agents, certificates, judge_server
from support.agent_server import WAYS
from support.clocks import Clock
from support.servers import Reply, Server
from support.wire_faults import FAULTS

ATTEMPTS = 3
TIMEOUT_S = 0.25
PATIENT_S = 20.0
"""For faults that don't wait: a busy machine takes a while to look up a name."""
WELL = Answer(response="Hold the button.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """Who calls. `well` is what the service says when nothing is wrong."""

    name: str
    well: Reply
    call: Callable[[str, Clock, float], Answer | Verdict | Failure]


def _agent(way_name: str) -> Party:
    way = WAYS[way_name]

    def call(url: str, clock: Clock, timeout_s: float) -> Answer | Verdict | Failure:
        entry = way.config(url, attempts=ATTEMPTS, timeout_s=timeout_s)
        return asyncio.run(_ask(entry, clock))

    return Party(name=way_name, well=way.write(WELL), call=call)


async def _ask(entry: AgentConfig, clock: Clock) -> Answer | Failure:
    create = plugins.agent(entry.type)
    assert not isinstance(create, plugins.Unknown)
    agent = create(entry, AgentContext(root=Path(), environ={}, timing=clock.timing))
    try:
        return await agent.ask(agents.question())
    finally:
        await agent.aclose()


def _judge_call(url: str, clock: Clock, timeout_s: float) -> Answer | Verdict | Failure:
    entry = judge_server.config(f"{url}/v1", attempts=ATTEMPTS, timeout_s=timeout_s)
    return asyncio.run(_assess(entry, clock))


async def _assess(entry: JudgeConfig, clock: Clock) -> Verdict | Failure:
    create = plugins.judge(entry.type)
    assert not isinstance(create, plugins.Unknown)
    judge = create(entry, JudgeContext(root=Path(), environ={}, timing=clock.timing))
    try:
        return await judge.assess(judge_server.assessment())
    finally:
        await judge.aclose()


PARTIES = (
    _agent("http, shaped"),
    _agent("openai, chat"),
    Party(name="judge", well=judge_server.verdict(4), call=_judge_call),
)


@pytest.fixture(params=PARTIES, ids=lambda party: party.name)
def party(request: pytest.FixtureRequest) -> Party:
    found = request.param
    assert isinstance(found, Party)
    return found


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_class_its_tries_its_waits_and_its_words(
    party: Party, name: str
) -> None:
    fault = FAULTS[name]
    error_class, tries = (fault.http, fault.openai, fault.judge)[PARTIES.index(party)]
    clock = Clock(chance=0.0)
    began, started = clock.at, time.monotonic()

    timeout_s = TIMEOUT_S if fault.said.startswith("within") else PATIENT_S
    with Server([fault.reply(party.well)]) as server:
        result = party.call(server.url, clock, timeout_s)

    assert len(server.requests) == tries
    assert clock.at - began == pytest.approx(fault.waits)
    assert time.monotonic() - started < 4
    if error_class is None:
        assert not isinstance(result, Failure), result
    else:
        assert isinstance(result, Failure)
        assert result.error_class is error_class
        assert fault.said in result.message
        assert ("(tried 3 times" in result.message) == (tries == 3)
        assert_is_presentable(result, party)


def assert_is_presentable(failure: Failure, party: Party) -> None:
    """One line that says who, without a key, and not too long."""
    who = "judge" if party.name == "judge" else "agent `web`"
    keys = "`judge." if party.name == "judge" else "`agents.web."
    assert who in failure.message or keys in failure.message
    assert len(failure.message.splitlines()) == 1
    assert len(failure.message) < 400
    assert "test-key" not in failure.message


@contextmanager
def nowhere() -> Iterator[str]:
    """An address at which nothing listens."""
    with Server([Reply()]) as server:
        url = server.url
    yield url


@contextmanager
def unknown() -> Iterator[str]:
    yield "http://agent.invalid"


@contextmanager
def plain() -> Iterator[str]:
    """TLS is spoken to who doesn't speak it."""
    with Server([Reply()]) as server:
        yield server.url.replace("http:", "https:")


@pytest.mark.parametrize(
    ("place", "tries", "said"),
    [
        (nowhere, 3, "nothing listens at `"),
        (unknown, 3, "the host name in `"),
        (plain, 1, "no TLS connection to `"),
    ],
    ids=["refused", "DNS failure", "no TLS"],
)
def test_no_connection_is_no_answer(
    party: Party, place: Callable[[], AbstractContextManager[str]], tries: int, said: str
) -> None:
    with place() as url:
        result = party.call(url, Clock(chance=0.0), PATIENT_S)

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.UNAVAILABLE
    assert said in result.message
    assert ("(tried 3 times" in result.message) == (tries == 3)
    assert_is_presentable(result, party)


def test_a_certificate_that_nobody_vouches_for_is_refused(party: Party, tmp_path: Path) -> None:
    with Server([party.well], tls=certificates.make(tmp_path).context) as server:
        result = party.call(server.url, Clock(chance=0.0), PATIENT_S)

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.UNAVAILABLE
    assert "can't be verified" in result.message
    assert server.requests == []


def test_a_refused_connection_to_this_machine_mentions_containers(party: Party) -> None:
    with nowhere() as url:
        result = party.call(url, Clock(chance=0.0), PATIENT_S)

    assert isinstance(result, Failure)
    assert "inside a container `localhost` is the container itself" in result.message


def test_a_redirect_is_named_without_what_may_be_secret_in_it(party: Party) -> None:
    target = "https://login.example.com/start?token=abcdef0123456789"
    with Server([agent_server.error(302, headers={"location": target})]) as server:
        result = party.call(server.url, Clock(chance=0.0), PATIENT_S)

    assert isinstance(result, Failure)
    assert "redirects to `https://login.example.com/start`" in result.message
    assert "abcdef" not in result.message


def test_what_passes_is_waited_for(party: Party) -> None:
    trouble = [
        agent_server.error(429, headers={"retry-after": "1"}),
        replace(party.well, cut=True),
    ]
    clock = Clock(chance=0.0)

    with Server([*trouble, party.well]) as server:
        result = party.call(server.url, clock, PATIENT_S)

    assert not isinstance(result, Failure), result
    assert len(server.requests) == 3
    assert clock.slept[:1] == [1.0]


@pytest.mark.parametrize("party_", PARTIES, ids=lambda one: one.name)
def test_the_environment_of_the_sdk_says_nothing(
    party_: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "from-elsewhere")
    monkeypatch.setenv(
        "OPENAI_CUSTOM_HEADERS", "authorization: from-elsewhere\nx-other: from-elsewhere"
    )
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/from-elsewhere")

    with Server([party_.well]) as server:
        result = party_.call(server.url, Clock(), PATIENT_S)

    (request,) = server.requests
    assert not isinstance(result, Failure)
    assert "from-elsewhere" not in json.dumps(dict(request.headers))
    assert request.headers["authorization"].startswith("Bearer test-key")
