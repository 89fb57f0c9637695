"""`regex` and `json-output`: what is searched, what is JSON, and patterns that never end."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from mergebar.graders import regex
from mergebar.graders.matching import Bounds
from mergebar.model.conversations import ErrorClass, Failure
from support import graded, traces
from support.graded import Bench, grade, notices, one, outcome, words

TALK = traces.chained([
    traces.said("Please mend the PIPE."),
    traces.replied(traces.text("I will look.")),
    traces.replied(traces.call("Bash", "k1", command="echo secret-word")),
    traces.said([traces.result("k1", "secret-result")]),
    traces.replied(traces.text("The pipe is dry.\nAll done.")),
    traces.replied(traces.call("Write", "k2", file_path=f"{traces.CWD}/out.md", content="x")),
])  # fmt: skip

SEARCHES = [
    ("pattern: pipe is", "pass"),
    ("pattern: PIPE", "fail"),
    ("pattern: PIPE, flags: i", "pass"),
    ("pattern: PIPE, on: user", "pass"),
    ("pattern: PIPE, on: all", "pass"),
    ("pattern: secret-word, on: all", "fail"),
    ("pattern: secret-result, on: all", "fail"),
    ("pattern: secret, on: all, expect: no-match", "pass"),
    ("pattern: dry, expect: no-match", "fail"),
    ("pattern: '^All done'", "fail"),
    ("pattern: '^All done', flags: m", "pass"),
    ("pattern: 'look.*dry', flags: s", "fail"),
]


@pytest.mark.parametrize(("options", "expected"), SEARCHES)
def test_messages_are_searched_one_by_one_and_tools_never(
    tmp_path: Path, options: str, expected: str
) -> None:
    assert outcome(one(tmp_path, TALK, f"grader: regex, options: {{{options}}}")) == expected


@pytest.mark.parametrize(
    ("target", "pattern", "expected"),
    [
        ("last-message", "dry", "pass"),
        ("last-message", "look", "fail"),
        ("files", "^out\\.md$", "pass"),
        ("artifact", "id: one", "pass"),
        ("{source: file, path: kept.txt}", "kept", "pass"),
    ],
)
def test_other_targets_are_one_text(
    tmp_path: Path, target: str, pattern: str, expected: str
) -> None:
    (tmp_path / "kept.txt").write_text("kept")
    options = f"grader: regex, target: {target}, options: {{pattern: '{pattern}'}}"

    assert outcome(one(tmp_path, TALK, options)) == expected


def file_target(root: Path, path: str) -> graded.Found:
    options = f"grader: regex, target: {{source: file, path: {path}}}, options: {{pattern: a}}"
    return one(root, TALK, options)


def test_a_file_that_can_not_be_read_is_an_error_and_never_another_text(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(b"a\x00b")
    (tmp_path / "latin").write_bytes("ä".encode("latin-1"))
    (tmp_path / "link").symlink_to("/etc/hostname")

    for path, said in {
        "missing.md": "does not exist",
        "folder": "directory",
        "binary": "no text in UTF-8",
        "latin": "no text in UTF-8",
        "link": "leads out of the repository",
    }.items():
        found = file_target(tmp_path, path)
        assert isinstance(found, Failure)
        assert found.error_class is ErrorClass.CONFIG
        assert said in found.message


def test_a_file_that_changed_since_the_session_wrote_it_is_pointed_out(tmp_path: Path) -> None:
    (tmp_path / "out.md").write_text("another")

    assert any("changed since" in note for note in notices(file_target(tmp_path, "out.md")))

    (tmp_path / "out.md").write_text("x")

    assert notices(file_target(tmp_path, "out.md")) == ()


def test_the_last_message_is_the_last_that_was_said_although_a_tool_was_called_after_it(
    tmp_path: Path,
) -> None:
    found = one(
        tmp_path, TALK, "grader: regex, target: last-message, options: {pattern: 'All done'}"
    )

    assert outcome(found) == "pass"


def test_a_session_in_which_the_agent_says_nothing_has_an_empty_last_message(
    tmp_path: Path,
) -> None:
    silent = traces.chained([traces.said("go"), traces.replied(traces.call("Bash", command="ls"))])

    found = one(tmp_path, silent, "grader: regex, target: last-message, options: {pattern: '^$'}")

    assert outcome(found) == "pass"


def test_a_pattern_that_never_ends_is_one_error_and_the_rest_is_graded(tmp_path: Path) -> None:
    talk = traces.chained([traces.said("go"), traces.replied(traces.text("a" * 60))])
    started = time.monotonic()

    found = grade(
        tmp_path,
        talk,
        "- {id: a, grader: regex, options: {pattern: '(a*)*b'}}\n"
        "- {id: b, grader: regex, options: {pattern: 'a'}}\n"
        "- {id: c, grader: turn-count, options: {max: 1, when: {prompt-matches: go}}}",
        bench=Bench(bounds=Bounds(once_s=0.5)),
    )

    assert [outcome(found[name]) for name in "abc"] == ["error", "pass", "pass"]
    failure = found["a"]
    assert isinstance(failure, Failure)
    assert failure.error_class is ErrorClass.TIMEOUT
    assert "`pattern` took longer than 0.5 s: simplify it" in failure.message
    assert time.monotonic() - started < 15


def test_a_text_is_searched_to_its_limit_and_no_further(tmp_path: Path) -> None:
    long = "x" * regex.LONGEST + "needle"
    talk = traces.chained([traces.said("go"), traces.replied(traces.text(long))])

    found = one(tmp_path, talk, "grader: regex, options: {pattern: needle, expect: no-match}")

    assert outcome(found) == "withheld"
    assert "only the first 1,048,576 characters of a text are searched" in words(found)


def answered(text: str) -> list[traces.Record]:
    return traces.chained([traces.said("go"), traces.replied(traces.text(text))])


SCHEMA = "{type: object, required: [a], properties: {a: {type: number}}}"
OUTPUTS = [
    ('{"a": 1}', "pass", "is what the schema wants"),
    ('  {"a": 1}\n', "pass", ""),
    ('{"a": "x"}', "fail", "at `/a`"),
    ('{"b": 1}', "fail", "required"),
    ('{"a": 1} done', "fail", "no JSON"),
    ('```json\n{"a": 1}\n```', "fail", "ask for bare JSON"),
    ('{"a": NaN}', "fail", "`NaN` is no JSON number"),
    ("[" * 100_000, "fail", "nested too deeply"),
    ("Done.", "fail", "no JSON"),
]


@pytest.mark.parametrize(("text", "expected", "said"), OUTPUTS)
def test_the_last_message_is_held_against_the_schema(
    tmp_path: Path, text: str, expected: str, said: str
) -> None:
    found = one(tmp_path, answered(text), f"grader: json-output, options: {{schema: {SCHEMA}}}")

    assert outcome(found) == expected
    assert said in words(found)


def test_a_session_without_a_message_fails(tmp_path: Path) -> None:
    silent = traces.chained([traces.said("go"), traces.replied(traces.call("Bash", command="ls"))])

    found = one(tmp_path, silent, f"grader: json-output, options: {{schema: {SCHEMA}}}")

    assert (outcome(found), words(found)) == ("fail", "the last message is empty")


def test_a_structured_output_goes_before_the_last_message(tmp_path: Path) -> None:
    stream = traces.streamed([
        traces.init(),
        traces.replied(traces.text("Here you are.")),
        traces.ended("Here you are.", structured_output={"a": 2}),
    ])  # fmt: skip

    found = one(tmp_path, stream, f"grader: json-output, options: {{schema: {SCHEMA}}}")

    assert outcome(found) == "pass"


def test_a_file_can_be_held_against_the_schema(tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text('{"a": "no number"}')
    options = (
        "grader: json-output, target: {source: file, path: out.json}, "
        f"options: {{schema: {SCHEMA}}}"
    )

    assert outcome(one(tmp_path, answered("x"), options)) == "fail"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "strin"}, "`schema`"),
        ({"$ref": "https://example.com/x.json"}, "is not fetched"),
        ({"$ref": "#/$defs/missing"}, "`schema`"),
        ({"type": "object", "properties": []}, "`schema`"),
    ],
)
def test_an_invalid_schema_is_one_error(
    tmp_path: Path, schema: dict[str, object], said: str
) -> None:
    found = one(
        tmp_path,
        answered('{"a": 1}'),
        f"grader: json-output, options: {{schema: {SCHEMA}}}",
        bench=Bench(change=lambda declared: replace(declared, options={"schema": schema})),  # type: ignore[dict-item]
    )

    assert isinstance(found, Failure)
    assert said in found.message
    assert "\n" not in found.message
