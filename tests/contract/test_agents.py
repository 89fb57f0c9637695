"""The same questions to every agent, by the name that a configuration gives its type.

A new type is added to `SETUPS`; a type without a setup fails the first test.
"""

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mergebar import plugins
from mergebar.model.configuration import AgentConfig
from mergebar.model.conversations import (
    Agent,
    Answer,
    ErrorClass,
    Exchange,
    Failure,
    Noting,
    Question,
)
from mergebar.recordings import Recorder
from support import agents

FIRST = agents.question(
    "How do I reset it?", stored=Answer(response="You asked: How do I reset it?")
)
SECOND = agents.question(
    "And the battery?",
    turn=1,
    history=(Exchange(prompt=FIRST.prompt, response="You asked: How do I reset it?"),),
    stored=Answer(response="You asked: And the battery?"),
)
UNKNOWN = agents.question("Never heard of", case="elsewhere")


@dataclass(frozen=True)
class Setup:
    """How an agent of one type is set up: to answer as `agents.ANSWERING`, and to fail."""

    type: str
    answering: Callable[[Path], AgentConfig]
    failing: Callable[[Path], AgentConfig]


def command_answering(root: Path) -> AgentConfig:
    (root / "agent.py").write_text(agents.ANSWERING)
    python = agents.python("")[0]
    return agents.config("command", options={"command": [python, "agent.py"]})


def command_failing(root: Path) -> AgentConfig:
    del root
    return agents.config("command", options={"command": agents.python("raise SystemExit(1)")})


def stored(root: Path) -> AgentConfig:
    del root
    return agents.config("replay")


def recorded(root: Path) -> AgentConfig:
    recorder = Recorder(root, "recordings")
    for question in (FIRST, SECOND):
        recorder.add_answer(question, Answer(response=f"You asked: {question.prompt}"))
    assert recorder.flush() == ()
    return agents.config("replay", options={"recordings": "recordings"})


SETUPS: Mapping[str, Setup] = {
    "command": Setup("command", command_answering, command_failing),
    "replay, stored": Setup("replay", stored, stored),
    "replay, recorded": Setup("replay", recorded, recorded),
}


@pytest.fixture(params=SETUPS)
def setup(request: pytest.FixtureRequest) -> Setup:
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


def test_every_type_has_its_setup() -> None:
    assert {setup.type for setup in SETUPS.values()} == set(plugins.AGENTS)


def test_it_answers(setup: Setup, tmp_path: Path) -> None:
    (answer,) = ask(setup.answering(tmp_path), tmp_path, FIRST)

    assert isinstance(answer, Answer)
    assert answer.response == "You asked: How do I reset it?"


def test_it_answers_a_later_turn(setup: Setup, tmp_path: Path) -> None:
    (answer,) = ask(setup.answering(tmp_path), tmp_path, SECOND)

    assert isinstance(answer, Answer)
    assert answer.response == "You asked: And the battery?"


def test_cases_at_the_same_time_keep_their_own_answers(setup: Setup, tmp_path: Path) -> None:
    answers = ask(setup.answering(tmp_path), tmp_path, FIRST, SECOND, FIRST)

    assert [answer.response for answer in answers if isinstance(answer, Answer)] == [
        "You asked: How do I reset it?",
        "You asked: And the battery?",
        "You asked: How do I reset it?",
    ]


def test_the_same_question_has_the_same_answer(setup: Setup, tmp_path: Path) -> None:
    first, second = ask(setup.answering(tmp_path), tmp_path, FIRST, FIRST)

    assert first == second


def test_expected_trouble_is_a_failure_with_a_class_and_a_sentence(
    setup: Setup, tmp_path: Path
) -> None:
    (failure,) = ask(setup.failing(tmp_path), tmp_path, UNKNOWN)

    assert isinstance(failure, Failure)
    assert failure.error_class in set(ErrorClass) - {ErrorClass.BUDGET, ErrorClass.EVALUATOR}
    assert len(failure.message) > 20
    assert "Traceback" not in failure.message


def test_one_failure_does_not_spoil_the_next_question(setup: Setup, tmp_path: Path) -> None:
    entry = setup.answering(tmp_path)
    if setup.type == "command":
        (tmp_path / "agent.py").write_text(
            agents.ANSWERING.replace("print", "'Never' in asked['prompt'] and sys.exit(1)\nprint")
        )

    failure, answer = ask(entry, tmp_path, UNKNOWN, FIRST)

    assert isinstance(failure, Failure)
    assert isinstance(answer, Answer)


def test_an_entry_without_its_options_is_a_failure_and_not_a_crash(
    setup: Setup, tmp_path: Path
) -> None:
    bare = replace(setup.answering(tmp_path), options={})

    (failure,) = ask(bare, tmp_path, UNKNOWN)

    assert isinstance(failure, Failure)
    assert failure.error_class is ErrorClass.CONFIG


def test_what_it_has_to_note_is_sentences(setup: Setup, tmp_path: Path) -> None:
    agent = made(setup.answering(tmp_path), tmp_path)

    notes = agent.notes if isinstance(agent, Noting) else ()

    assert json.loads(json.dumps(notes)) == list(notes)
    assert notes == ()
