"""The terminal and the runner's command grammar, as the runner's own parser reads it."""

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.model.problems import Level
from mergebar.untrusted import characters, terminal, workflow
from support import hostile

_RUNNER_LINES = re.compile(r"\r\n|\r|\n")


def _commands(output: str) -> list[str]:
    """Lines that a runner takes for a command: `::` after blanks, or `##[` anywhere."""
    lines = _RUNNER_LINES.split(output)
    return [line for line in lines if line.strip().startswith("::") or "##[" in line]


@given(text=hostile.texts)
def test_no_text_issues_a_workflow_command(text: str) -> None:
    assert _commands(terminal.line(text)) == []
    assert _commands(terminal.lines(text)) == []


@given(text=hostile.texts)
def test_no_text_steers_the_terminal(text: str) -> None:
    for char in terminal.line(text):
        assert unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    for char in terminal.lines(text):
        assert char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_every_hidden_character_is_known() -> None:
    hidden = [
        char
        for char in map(chr, range(0x110000))
        if unicodedata.category(char) in {"Cc", "Cf", "Cs"} and char not in "\t\n"
    ]
    assert [hex(ord(char)) for char in hidden if char in characters.reveal(char)] == []


def test_wrapped_output_can_be_guarded_as_a_whole() -> None:
    assert terminal.guard("a.json\n::b::0::Relevance") == "a.json\n: :b::0::Relevance"


def test_an_identity_in_the_middle_of_a_line_stays_as_it_is() -> None:
    assert terminal.line("evals/a.json::k::0::Relevance") == "evals/a.json::k::0::Relevance"


def test_control_sequences_are_spelled_out() -> None:
    assert terminal.line("\x1b[31mred") == "\\x1b[31mred"


@given(text=hostile.texts)
def test_json_on_stdout_is_equal_and_issues_no_command(text: str) -> None:
    written = json.dumps({"x": text}, indent=2, ensure_ascii=True)
    assert json.loads(terminal.json_text(written)) == {"x": text}
    assert _commands(terminal.json_text(written)) == []


def _parse(command: str) -> tuple[str, dict[str, str], str]:
    """The runner's reading of a command (github-platform facts, section 5)."""
    name, _, rest = command.removeprefix("::").partition("::")
    name, _, listed = name.partition(" ")
    properties = dict(entry.split("=", 1) for entry in listed.split(",") if entry)
    return name, {key: _unescape(value) for key, value in properties.items()}, _unescape(rest)


def _unescape(value: str) -> str:
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        value = value.replace(code, char)
    return value


@given(
    message=hostile.texts,
    path=hostile.texts,
    title=hostile.texts,
    level=st.sampled_from(Level),
)
def test_an_annotation_is_one_command_with_our_properties(
    message: str, path: str, title: str, level: Level
) -> None:
    command = workflow.command(level, message, path=path, line=3, column=4, title=title)
    assert len(_RUNNER_LINES.split(command)) == 1
    name, properties, data = _parse(command)
    assert name == level
    assert set(properties) <= {"file", "line", "col", "title"}
    assert data == characters.reveal(message)


def test_a_command_is_written_in_the_runners_grammar() -> None:
    command = workflow.command(
        Level.WARNING, "50% off\nnow", path="a,b:c.json", line=2, column=7, title="t: x"
    )
    assert command == "::warning file=a%2Cb%3Ac.json,line=2,col=7,title=t%3A x::50%25 off%0Anow"


@pytest.mark.parametrize("length", [4096, 4097, 100_000])
def test_a_message_is_cut_where_the_runner_would_cut_it(length: int) -> None:
    _, _, data = _parse(workflow.command(Level.ERROR, "%" * length))
    assert len(data) == 4096
    assert data.endswith("…") == (length > 4096)


def test_a_column_without_a_line_is_left_out() -> None:
    assert workflow.command(Level.NOTICE, "m", path="a", column=3) == "::notice file=a::m"
    assert workflow.command(Level.NOTICE, "m", line=3, column=3) == "::notice::m"
