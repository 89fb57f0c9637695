"""Agents of packages: whatever they do is an answer that can be used, or a failure with a reason."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from mergebar.agents import installed
from mergebar.model.configuration import AgentConfig
from mergebar.model.conversations import (
    Agent,
    Answer,
    Citation,
    ErrorClass,
    Failure,
    Noting,
    Throttled,
    Usage,
)
from mergebar.model.problems import Location
from mergebar.model.text import Json
from support import agents

CONFIG = AgentConfig(
    name="support",
    type="acme",
    sources=(),
    concurrency=1,
    timeout_s=5,
    attempts=1,
    output_limit=100,
    cache=False,
    options={},
    location=Location(path="mergebar.yml"),
)
RICH = Answer(
    response="Hold the button.",
    conversation_id="c",
    citations=(Citation(index=1, text="Reset"),),
    diagnostics={"queries": ["reset"]},
    tool_calls=({"name": "search"},),
    usage=Usage(input_tokens=3, output_tokens=4, cost_usd=0.5),
)


class Scripted:
    """An agent that does one thing."""

    notes: object = ("one sentence",)
    throttled: object = 3

    def __init__(self, act: Callable[[], Awaitable[object]]) -> None:
        self._act = act

    async def ask(self, question: object, /) -> object:
        del question
        return await self._act()

    async def aclose(self) -> None:
        message = "too late to matter"
        raise RuntimeError(message)


def gives(value: object) -> Scripted:
    async def act() -> object:
        return value

    return Scripted(act)


def raises(error: BaseException) -> Scripted:
    async def act() -> object:
        raise error

    return Scripted(act)


def ask(made: object, config: AgentConfig = CONFIG) -> Answer | Failure:
    """What comes back from behind the guard, whose closing must never fail."""

    async def asked() -> Answer | Failure:
        agent = installed.guard(config, made)
        found = await agent.ask(agents.question("How do I reset it?"))
        await agent.aclose()
        return found

    return asyncio.run(asked())


def test_a_good_answer_and_a_failure_come_through_as_they_are() -> None:
    failure = Failure(error_class=ErrorClass.AUTH, message="the key is wrong")

    assert ask(gives(RICH)) == RICH
    assert ask(gives(failure)) == failure


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (raises(KeyError("x")), "failed: KeyError: 'x'"),
        (raises(TimeoutError()), "failed: TimeoutError"),
        (raises(SystemExit(0)), "failed: SystemExit: 0"),
        (raises(asyncio.CancelledError()), "failed: CancelledError"),
        (gives("hello"), "gave back a `str` from `ask`"),
        (gives(None), "gave back a `NoneType` from `ask`"),
        (gives({"response": "x"}), "gave back a `dict` from `ask`"),
        (object(), "has no `ask` and `aclose`, as an `Agent` must"),
        (1, "has no `ask` and `aclose`, as an `Agent` must"),
    ],
)
def test_whatever_else_it_does_is_a_failure_that_names_it(made: object, said: str) -> None:
    found = ask(made)

    assert isinstance(found, Failure)
    assert found.message.startswith(f"the installed agent `acme` {said}")


def _deep(levels: int) -> Json:
    value: Json = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def test_what_no_json_has_as_a_key_is_written_as_one() -> None:
    found = ask(gives(Answer(response="x", diagnostics={1: 2})))  # type: ignore[dict-item]

    assert found == Answer(response="x", diagnostics={"1": 2})


@pytest.mark.parametrize(
    "wrong",
    [
        {"error_class": "timeout"},
        {"error_class": None},
        {"message": None},
        {"message": 5},
        {"code": 5},
        {"place": "mergebar.yml"},
    ],
    ids="-".join,
)
def test_a_failure_that_is_none_is_the_packages_own(wrong: dict[str, object]) -> None:
    failure = Failure(error_class=ErrorClass.TIMEOUT, message="late")

    found = ask(gives(replace(failure, **wrong)))  # type: ignore[arg-type]

    assert isinstance(found, Failure)
    assert found.error_class is ErrorClass.BAD_RESPONSE
    assert "gave back a failure that is none" in found.message


@pytest.mark.parametrize(
    "wrong",
    [
        {"response": 1},
        {"response": None},
        {"conversation_id": b"x"},
        {"citations": (1,)},
        {"citations": (Citation(index="1"),)},  # type: ignore[arg-type]
        {"diagnostics": {"a": object()}},
        {"diagnostics": {"a": float("nan")}},
        {"diagnostics": 3},
        {"diagnostics": {"a": "\ud800"}},
        {"diagnostics": {"a": _deep(300)}},
        {"diagnostics": {"a": _deep(5000)}},
        {"tool_calls": (_deep(5000),)},
        {"tool_calls": ({1, 2},)},
        {"usage": None},
        {"usage": Usage(input_tokens=-1)},
        {"usage": Usage(cost_usd=float("inf"))},
    ],
    ids="-".join,
)
def test_an_answer_that_no_process_could_give_is_a_failure(wrong: dict[str, object]) -> None:
    found = ask(gives(replace(RICH, **wrong)))  # type: ignore[arg-type]

    assert isinstance(found, Failure)
    assert found.error_class is ErrorClass.BAD_RESPONSE
    assert "the installed agent `acme` gave" in found.message


def test_time_and_size_are_limited_whatever_the_package_does() -> None:
    late = ask(Scripted(lambda: asyncio.sleep(60)), replace(CONFIG, timeout_s=0.02))
    large = ask(gives(Answer(response="x" * 101)))

    assert isinstance(late, Failure)
    assert late.error_class is ErrorClass.TIMEOUT
    assert "did not answer within 0.02 s (`agents.support.timeout`)" in late.message
    assert isinstance(large, Failure)
    assert "said more than 100 bytes in one turn (`output_limit`)" in large.message
    assert ask(gives(Answer(response="x" * 100))) == Answer(response="x" * 100)


def test_who_ends_the_run_ends_the_call() -> None:
    async def interrupted() -> None:
        agent = installed.guard(CONFIG, Scripted(lambda: asyncio.sleep(60)))
        task = asyncio.create_task(agent.ask(agents.question("Hello?")))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(interrupted())


@pytest.mark.parametrize(
    ("notes", "throttled", "said", "count"),
    [
        (("one", 2), 3, ("one",), 3),
        ("no tuple", "many", (), 0),
        (property(lambda _: 1 / 0), property(lambda _: 1 / 0), (), 0),
    ],
)
def test_what_it_says_of_the_run_is_told_as_far_as_it_is_sentences_and_numbers(
    notes: object, throttled: object, said: tuple[str, ...], count: int
) -> None:
    kind = type("Talking", (Scripted,), {"notes": notes, "throttled": throttled})
    agent: Agent = installed.guard(CONFIG, kind(lambda: asyncio.sleep(0)))

    assert isinstance(agent, Noting)
    assert isinstance(agent, Throttled)
    assert (agent.notes, agent.throttled) == (said, count)
