"""The same questions to every agent, by the name that a configuration gives its type.

A new type is added to `SETUPS`; a type without a setup fails the first test.
"""

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

import pytest

from mergebar import plugins
from mergebar.calling import protocol
from mergebar.model.configuration import AgentConfig
from mergebar.model.conversations import (
    Agent,
    Answer,
    Citation,
    ErrorClass,
    Exchange,
    Failure,
    Noting,
    Question,
    Usage,
)
from mergebar.recordings import Recorder
from support import agent_server, agents
from support.agent_server import WAYS, Way
from support.servers import Reply, Request, Server

FIRST = agents.question(
    "How do I reset it?", stored=Answer(response="You asked: How do I reset it?")
)
SECOND = agents.question(
    "And the battery?",
    turn=1,
    history=(Exchange(prompt=FIRST.prompt, response="You asked: How do I reset it?"),),
    stored=Answer(response="You asked: And the battery?"),
    last=True,
)
UNKNOWN = agents.question("Never heard of", case="elsewhere")

RICH = Answer(
    response="Hold the button.",
    conversation_id="c-1",
    citations=(Citation(index=1, text="Reset", source="https://docs.example.com/reset"),),
    diagnostics={"queries": ["reset"]},
    tool_calls=({"type": "search_call", "query": "reset"},),
    usage=Usage(input_tokens=30, output_tokens=4),
)


class Mood(StrEnum):
    """How an agent behaves."""

    ECHOES = "echoes what it is asked"
    RICH = "says everything that an answer can hold"
    PICKY = "fails on one question alone"
    LOCKED = "refuses the key"
    BUSY = "takes no more calls"
    DOWN = "is not available"
    GARBAGE = "says what is no answer"
    EMPTY = "says nothing at all"
    HUGE = "never stops"
    SLOW = "never answers"


@dataclass(frozen=True)
class Setup:
    """How an agent of one type is made to behave. What only plays back has no moods."""

    type: str
    behaving: Callable[[Mood, Path], AbstractContextManager[AgentConfig]]
    carries: frozenset[str]
    live: bool = True


_DECLARED = {Mood.LOCKED: "auth", Mood.BUSY: "throttled", Mood.DOWN: "unavailable"}
_PRINTED = {
    Mood.GARBAGE: "'I think so.'",
    Mood.EMPTY: "''",
    Mood.HUGE: "'x' * 3_000_000",
    Mood.RICH: repr(json.dumps(protocol.answer_object(RICH))),
}
_EVERYTHING = frozenset({"conversation_id", "citations", "diagnostics", "tool_calls", "usage"})


def _code(mood: Mood) -> str:
    """What a process does with the question `asked`."""
    if mood in _DECLARED:
        reply = {"error": {"class": _DECLARED[mood], "message": "no, as was to be shown"}}
        return f"print({json.dumps(reply)!r}, flush=True)"
    if mood in _PRINTED:
        return f"print({_PRINTED[mood]}, flush=True)"
    if mood is Mood.SLOW:
        return "import time; time.sleep(60)"
    picky = "'Never' in asked['prompt'] and sys.exit(1)\n" if mood is Mood.PICKY else ""
    return picky + "print(json.dumps({'response': 'You asked: ' + asked['prompt']}), flush=True)"


@contextmanager
def command(mood: Mood, root: Path) -> Iterator[AgentConfig]:
    code = f"import json, sys\nasked = json.loads(sys.stdin.readline())\n{_code(mood)}"
    (root / "agent.py").write_text(code)
    yield agents.config("command", options={"command": [agents.python("")[0], "agent.py"]})


@contextmanager
def persistent(mood: Mood, root: Path) -> Iterator[AgentConfig]:
    body = "\n".join(f"    {line}" for line in _code(mood).splitlines())
    code = f"import json, sys\nfor line in sys.stdin:\n    asked = json.loads(line)\n{body}"
    (root / "agent.py").write_text(code)
    program: list[str] = [str(agents.python("")[0]), "agent.py"]
    yield agents.config("command", options={"command": [*program], "persistent": True})


def _script(mood: Mood, way: Way) -> Callable[[Request], Reply]:
    replies = {
        Mood.RICH: way.write(RICH),
        Mood.LOCKED: agent_server.error(401, "wrong key"),
        Mood.BUSY: agent_server.error(429, "slow down"),
        Mood.DOWN: agent_server.error(503, "maintenance"),
        Mood.GARBAGE: Reply(body=b"I think so."),
        Mood.EMPTY: Reply(),
        Mood.HUGE: Reply(body=b'{"response": "' + b"x" * 3_000_000 + b'"}'),
        Mood.SLOW: Reply(delay_s=60),
    }
    echo = agent_server.echo(way)

    def script(request: Request) -> Reply:
        if mood in replies:
            return replies[mood]
        if mood is Mood.PICKY and "Never" in way.prompt(request):
            return agent_server.error(500)
        return echo(request)

    return script


@contextmanager
def served(way: Way, mood: Mood, root: Path) -> Iterator[AgentConfig]:
    del root
    with Server(_script(mood, way)) as server:
        yield way.config(server.url)


@contextmanager
def stored(mood: Mood, root: Path) -> Iterator[AgentConfig]:
    del mood, root
    yield agents.config("replay")


@contextmanager
def recorded(mood: Mood, root: Path) -> Iterator[AgentConfig]:
    del mood
    recorder = Recorder(root, "recordings")
    for question in (FIRST, SECOND):
        recorder.add_answer(question, Answer(response=f"You asked: {question.prompt}"))
    assert recorder.flush() == ()
    yield agents.config("replay", options={"recordings": "recordings"})


SETUPS: Mapping[str, Setup] = {
    "command": Setup("command", command, _EVERYTHING),
    "command, persistent": Setup("command", persistent, _EVERYTHING),
    **{name: Setup(way.type, partial(served, way), way.carries) for name, way in WAYS.items()},
    "replay, stored": Setup("replay", stored, frozenset(), live=False),
    "replay, recorded": Setup("replay", recorded, frozenset(), live=False),
}
LIVE = [name for name, setup in SETUPS.items() if setup.live]


@pytest.fixture(params=SETUPS)
def setup(request: pytest.FixtureRequest) -> Setup:
    return SETUPS[request.param]


@pytest.fixture(params=LIVE)
def live(request: pytest.FixtureRequest) -> Setup:
    return SETUPS[request.param]


def made(entry: AgentConfig, root: Path) -> Agent:
    create = plugins.agent(entry.type)
    assert not isinstance(create, plugins.Unknown)
    return create(entry, agents.context(root, {"PATH": os.environ["PATH"]}))


def ask(entry: AgentConfig, root: Path, *questions: Question) -> list[Answer | Failure]:
    """All at the same time, of one agent, which is then closed."""

    async def conversation() -> list[Answer | Failure]:
        agent = made(entry, root)
        try:
            return await asyncio.gather(*(agent.ask(question) for question in questions))
        finally:
            await agent.aclose()

    return asyncio.run(conversation())


def failed(
    setup: Setup, mood: Mood, root: Path, *, timeout_s: float = 20.0, question: Question = FIRST
) -> Failure:
    with setup.behaving(mood, root) as entry:
        (failure,) = ask(replace(entry, timeout_s=timeout_s), root, question)
    assert isinstance(failure, Failure), failure
    assert len(failure.message) > 20
    assert "Traceback" not in failure.message
    assert len(failure.message.splitlines()) == 1
    assert agent_server.KEY not in failure.message
    return failure


def test_every_type_has_its_setup() -> None:
    assert {setup.type for setup in SETUPS.values()} == set(plugins.AGENTS)


def test_it_answers(setup: Setup, tmp_path: Path) -> None:
    with setup.behaving(Mood.ECHOES, tmp_path) as entry:
        (answer,) = ask(entry, tmp_path, FIRST)

    assert isinstance(answer, Answer)
    assert answer.response == "You asked: How do I reset it?"


def test_it_answers_a_later_turn(setup: Setup, tmp_path: Path) -> None:
    with setup.behaving(Mood.ECHOES, tmp_path) as entry:
        (answer,) = ask(entry, tmp_path, SECOND)

    assert isinstance(answer, Answer)
    assert answer.response == "You asked: And the battery?"


def test_it_answers_the_turns_of_a_thread(setup: Setup, tmp_path: Path) -> None:
    async def thread(entry: AgentConfig) -> list[Answer | Failure]:
        agent = made(entry, tmp_path)
        try:
            return [await agent.ask(FIRST), await agent.ask(SECOND)]
        finally:
            await agent.aclose()

    with setup.behaving(Mood.ECHOES, tmp_path) as entry:
        answers = asyncio.run(thread(entry))

    assert [one.response for one in answers if isinstance(one, Answer)] == [
        "You asked: How do I reset it?",
        "You asked: And the battery?",
    ]


def test_cases_at_the_same_time_keep_their_own_answers(setup: Setup, tmp_path: Path) -> None:
    with setup.behaving(Mood.ECHOES, tmp_path) as entry:
        answers = ask(entry, tmp_path, FIRST, SECOND, FIRST)

    assert [answer.response for answer in answers if isinstance(answer, Answer)] == [
        "You asked: How do I reset it?",
        "You asked: And the battery?",
        "You asked: How do I reset it?",
    ]


def test_the_same_question_has_the_same_answer(setup: Setup, tmp_path: Path) -> None:
    with setup.behaving(Mood.ECHOES, tmp_path) as entry:
        first, second = ask(entry, tmp_path, FIRST, FIRST)

    assert first == second


def test_what_the_answer_holds_beside_its_text_comes_along(live: Setup, tmp_path: Path) -> None:
    with live.behaving(Mood.RICH, tmp_path) as entry:
        (answer,) = ask(entry, tmp_path, FIRST)

    empty = Answer(response="")
    left_out = {name: getattr(empty, name) for name in _EVERYTHING - live.carries}
    assert answer == replace(RICH, **left_out)


def test_expected_trouble_is_a_failure_with_a_class_and_a_sentence(
    setup: Setup, tmp_path: Path
) -> None:
    mood = Mood.DOWN if setup.live else Mood.ECHOES

    failure = failed(setup, mood, tmp_path, question=UNKNOWN)

    assert failure.error_class is (ErrorClass.UNAVAILABLE if setup.live else ErrorClass.CONFIG)


@pytest.mark.parametrize(
    ("mood", "error_class"),
    [
        (Mood.LOCKED, ErrorClass.AUTH),
        (Mood.BUSY, ErrorClass.THROTTLED),
        (Mood.GARBAGE, ErrorClass.BAD_RESPONSE),
        (Mood.EMPTY, ErrorClass.BAD_RESPONSE),
        (Mood.HUGE, ErrorClass.BAD_RESPONSE),
    ],
)
def test_each_trouble_has_its_class(
    live: Setup, mood: Mood, error_class: ErrorClass, tmp_path: Path
) -> None:
    failure = failed(live, mood, tmp_path)

    assert failure.error_class is error_class
    if mood is Mood.HUGE:
        assert "more than 1 MB (`" in failure.message
        assert "output_limit" in failure.message


def test_an_agent_that_never_answers_is_left_at_the_timeout(live: Setup, tmp_path: Path) -> None:
    started = time.monotonic()

    failure = failed(live, Mood.SLOW, tmp_path, timeout_s=0.3)

    assert failure.error_class is ErrorClass.TIMEOUT
    assert "within 0.3 s" in failure.message
    assert time.monotonic() - started < 5


def test_a_cancellation_passes_through_and_leaves_nothing_behind(
    live: Setup, tmp_path: Path
) -> None:
    async def cancelled(entry: AgentConfig) -> None:
        agent = made(entry, tmp_path)
        try:
            async with asyncio.timeout(0.3):
                await agent.ask(FIRST)
        finally:
            await agent.aclose()
            assert len(asyncio.all_tasks()) == 1

    started = time.monotonic()
    with live.behaving(Mood.SLOW, tmp_path) as entry, pytest.raises(TimeoutError):
        asyncio.run(cancelled(entry))

    assert time.monotonic() - started < 5


def test_one_failure_does_not_spoil_the_next_question(live: Setup, tmp_path: Path) -> None:
    with live.behaving(Mood.PICKY, tmp_path) as entry:
        failure, answer = ask(entry, tmp_path, UNKNOWN, FIRST)

    assert isinstance(failure, Failure)
    assert isinstance(answer, Answer)


def test_an_entry_without_its_options_is_a_failure_and_not_a_crash(
    setup: Setup, tmp_path: Path
) -> None:
    with setup.behaving(Mood.ECHOES, tmp_path) as entry:
        (failure,) = ask(replace(entry, options={}), tmp_path, UNKNOWN)

    assert isinstance(failure, Failure)
    assert failure.error_class is ErrorClass.CONFIG


def test_what_it_has_to_note_is_sentences(setup: Setup, tmp_path: Path) -> None:
    async def noted(entry: AgentConfig) -> tuple[str, ...]:
        agent = made(entry, tmp_path)
        await agent.aclose()
        return agent.notes if isinstance(agent, Noting) else ()

    with setup.behaving(Mood.ECHOES, tmp_path) as entry:
        notes = asyncio.run(noted(entry))

    assert json.loads(json.dumps(notes)) == list(notes)
    assert notes == ()
