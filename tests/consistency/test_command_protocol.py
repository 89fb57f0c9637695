"""docs/reference/command-protocol.md is what a `command` agent and its process really do."""

import asyncio
import dataclasses
import json
import re
import sys
from pathlib import Path

import pytest

from mergebar.agents import command
from mergebar.calling import protocol
from mergebar.evaluators import retrieval
from mergebar.model.conversations import Answer, ErrorClass, Exchange, Failure
from mergebar.model.text import JsonObject
from support import agents, pages

PAGE = "reference/command-protocol.md"
SECTIONS = pages.sections(PAGE)
LINES = pages.rows(SECTIONS["What counts as an answer"], "printed")
SAYS_ENVIRONMENT = 'import json, os; print(json.dumps({"response": " ".join(sorted(os.environ))}))'


def ask(
    code: str, root: Path, *, environ: dict[str, str] | None = None, **options: object
) -> Answer | Failure:
    """Put one turn to a process that runs this code."""
    keys: JsonObject = {"command": agents.python(code), **options}  # type: ignore[dict-item]
    agent = command.create(agents.config(options=keys), agents.context(root, environ))
    return asyncio.run(agent.ask(agents.question()))


def result(answer: Answer | Failure) -> str:
    return "answer" if isinstance(answer, Answer) else f"`{answer.error_class.value}`"


def block(heading: str, number: int = 0) -> JsonObject:
    found = [one for one in pages.blocks(PAGE, "json") if one.heading == heading]
    value: JsonObject = json.loads(found[number].text)
    return value


@pytest.mark.parametrize("row", LINES, ids=lambda row: f"{row[0]} {row[1]}")
def test_what_is_printed_becomes_what_the_page_says(row: list[str], tmp_path: Path) -> None:
    printed = "\n".join(pages.names(row[0]))
    code = f"print({printed!r}); raise SystemExit({row[1]})"

    assert printed or row[0] == "nothing"
    assert result(ask(code, tmp_path)) == row[2]


def test_the_page_has_lines_of_every_kind() -> None:
    assert {row[2] for row in LINES} >= {"answer", "`unavailable`", "`bad-response`", "`throttled`"}


def test_the_keys_that_come_in_are_those_of_the_page_and_its_example() -> None:
    question = dataclasses.replace(
        agents.question(
            "And when it rains?",
            turn=2,
            case="water",
            conversation_id="c-17",
            history=(
                Exchange(prompt="Is it waterproof?", response="Yes, to a depth of one metre."),
                Exchange(prompt="For how long?", response="For half an hour."),
            ),
        )
    )

    line = protocol.question_line(question)
    documented = [pages.names(row[0])[0] for row in pages.rows(SECTIONS["What comes in"], "key")]
    assert json.loads(line) == block("What comes in")
    assert list(json.loads(line)) == documented
    assert line.isascii()


def test_the_keys_that_go_out_are_those_of_the_page() -> None:
    documented = {pages.names(row[0])[0] for row in pages.rows(SECTIONS["What goes out"], "key")}
    whole: JsonObject = {**block("What goes out"), "tool_calls": [{"any": "shape"}]}

    answer = protocol.read_object(whole)
    assert isinstance(answer, Answer)
    assert protocol.answer_object(answer) == whole
    assert set(whole) == documented


@pytest.mark.parametrize("level", ["", "citations", "usage"])
def test_another_key_is_refused_at_every_level_that_the_page_names(level: str) -> None:
    value = json.loads(json.dumps(block("What goes out")))
    inner = value[level] if level else value
    (inner[0] if isinstance(inner, list) else inner)["another"] = 1

    assert isinstance(protocol.read_object(value), Failure)


def test_the_diagnostics_of_the_page_can_be_read_by_the_evaluators() -> None:
    answer = protocol.read_object(block("What goes out"))
    assert isinstance(answer, Answer)

    (execution,) = retrieval.executions(answer.diagnostics)  # type: ignore[misc]
    assert (execution.capability, execution.failed) == ("SupportPages", False)
    assert [hit.rank for hit in execution.hits] == [1]


def test_the_classes_of_the_page_are_those_of_the_program() -> None:
    documented = [pages.names(row[0])[0] for row in pages.rows(SECTIONS["Errors"], "class")]

    assert documented == [one.value for one in ErrorClass]
    for name in documented:
        declared = protocol.read_object({"error": {"class": name, "message": "busy"}})
        assert isinstance(declared, Failure)
        assert declared.error_class.value == name


def test_a_process_gets_the_variables_that_the_page_names_and_no_others(tmp_path: Path) -> None:
    (line,) = re.findall(r"\*\*Environment\.\*\* (.*?)\n- \*\*", SECTIONS["The process"], re.DOTALL)
    given, _, refused = line.partition("Nothing else")
    plain = [name for name in pages.names(given) if name.isupper() and "*" not in name]
    wide = [
        name.replace("*", "X") for name in pages.names(refused) if name.isupper() or "*" in name
    ]
    environ = dict.fromkeys([*plain, "LC_X", *wide, "OTHER", "NAMED"], "x")
    environ["PATH"] = "/usr/bin:/bin"

    bare = ask(SAYS_ENVIRONMENT, tmp_path, environ=environ)
    more = ask(SAYS_ENVIRONMENT, tmp_path, environ=environ, env=["NAMED", *wide])

    # LC_CTYPE is what Python sets for itself.
    assert isinstance(bare, Answer)
    assert isinstance(more, Answer)
    assert set(bare.response.split()) - {"LC_CTYPE"} == {*plain, "LC_X"}
    assert set(more.response.split()) - {"LC_CTYPE"} == {*plain, "LC_X", "NAMED"}
    assert len(plain) > 5
    assert len(wide) == 3


def test_the_limits_of_the_page_end_a_process(tmp_path: Path) -> None:
    slow = agents.config(
        options={"command": agents.python(f"{SAYS_ENVIRONMENT}; import time; time.sleep(60)")},
        timeout_s=0.6,
    )
    loud = agents.config(options={"command": agents.python("print('x' * 2000)")}, output_limit=1000)
    absent = agents.config(options={"command": ["no-such-program"]})

    said = [
        result(asyncio.run(command.create(one, agents.context(tmp_path)).ask(agents.question())))
        for one in (slow, loud, absent)
    ]
    assert said == ["`timeout`", "`bad-response`", "`config`"]


def test_the_program_is_started_in_its_folder_and_in_a_group_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    code = 'import json, os; print(json.dumps({"response": f"{os.getcwd()} {os.getpgid(0) == os.getpid()}"}))'

    answer = ask(code, tmp_path, cwd="agents")
    assert isinstance(answer, Answer)
    assert answer.response == f"{tmp_path.resolve() / 'agents'} True"
    assert sys.executable
