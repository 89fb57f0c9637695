"""Broken files: one message each, with its line, and what could be read is still there."""

import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mergebar import traces
from mergebar.model.problems import Level, Problem
from mergebar.model.sessions import Session
from mergebar.traces.faults import LINE_LIMIT
from support import traces as t

RECORDS = t.chained([t.said("Go."), t.replied(t.call("Bash", "a")), t.said([t.result("a")])])
LINES = t.lines(RECORDS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


@pytest.mark.parametrize(
    ("content", "rule", "line", "words"),
    [
        (b"", "empty", None, "the file is empty"),
        (b" \n\r\n\t", "empty", None, "the file is empty"),
        (b"\x7fELF\x02\x01\x01\x00rest", "binary", 1, "the file is binary"),
        (b"{}\x00\n", "binary", 1, "the file is binary"),
        (b"\x1f\x8b\x08rest", "binary", 1, "gzip"),
        (b"SQLite format 3\x00rest", "binary", 1, "SQLite"),
        (b"PK\x03\x04broken", "binary", 1, "ZIP"),
        (LINES.decode().encode("utf-16"), "encoding", 1, "UTF-16"),
        (LINES.decode().encode("utf-16-le"), "encoding", 1, "UTF-16"),
        (LINES.decode().encode("utf-16-be"), "encoding", 1, "UTF-16"),
        (LINES.decode().encode("utf-32"), "encoding", 1, "UTF-32"),
        (b"Dear diary,\ntoday I deployed.\n", "not-json", 1, "no line of this is a JSON object"),
        (b"# Notes\n\nrole: user\nmessages: none\n", "not-json", 1, "no line of this"),
        (b'{"type": "user", "mess', "not-json", 1, "no line of this"),
    ],
)
def test_what_is_no_trace_is_refused_with_its_place(
    path: Path, content: bytes, rule: str, line: int | None, words: str
) -> None:
    problem = t.refused(path, content)

    assert (problem.rule, problem.line) == (f"trace/{rule}", line)
    assert problem.level is Level.ERROR
    assert problem.path == "session.jsonl"
    assert words in problem.message


def test_a_directory_is_refused_by_name(tmp_path: Path) -> None:
    problem = t.refused(tmp_path)

    assert problem.rule == "trace/directory"
    assert "this is a directory" in problem.message


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert "there is no such file" in t.refused(tmp_path / "nothing").message


def test_a_named_pipe_is_refused_without_waiting_for_its_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert "a named pipe" in t.refused(tmp_path / "pipe").message


def test_a_hole_of_nul_bytes_is_one_malformed_line(path: Path) -> None:
    session = t.read(path, LINES + b"\x00" * 5000 + b"\n" + LINES)

    assert [(note.rule, note.line) for note in session.notes if note.line] == [
        ("trace/malformed", 4)
    ]


@pytest.mark.parametrize("cut", [3, 40, 100])
def test_a_file_that_ends_in_the_middle_of_a_line_keeps_what_came_before(
    path: Path, cut: int
) -> None:
    session = t.read(path, LINES[:-cut])

    assert [event.kind.value for event in session.events] == ["user", "tool-call"]
    (note,) = session.notes
    assert (note.rule, note.line) == ("trace/truncated", 3)
    assert not session.complete


def test_a_last_line_without_its_end_of_line_is_whole(path: Path) -> None:
    session = t.read(path, LINES[:-1])

    assert session.notes == ()
    assert session.complete


def test_half_malformed_is_told_once_with_the_first_line(path: Path) -> None:
    good = LINES.splitlines(keepends=True)
    session = t.read(path, b"".join(line + b"{broken\n" for line in good))

    (note,) = session.notes
    assert (note.rule, note.line) == ("trace/malformed", 2)
    assert note.message.startswith("3 of 6 lines are no JSON objects")
    assert len(session.events) == 3
    assert not session.complete


def test_mostly_malformed_is_asked_about(path: Path) -> None:
    session = t.read(path, b"{broken\n" * 9 + LINES)

    assert "is this the right file?" in session.notes[0].message


def test_values_that_stand_on_one_line_are_all_read(path: Path) -> None:
    session = t.read(path, LINES.replace(b"\n", b""))

    assert [words for _, words in t.words(session, path)] == ["Go.", "{}", "done"]
    assert session.complete


def test_two_values_on_a_line_among_others_are_told_with_the_line(path: Path) -> None:
    first, second, third = LINES.splitlines(keepends=True)
    session = t.read(path, first + second.strip() + "é".encode()[:0] + third)

    (note,) = session.notes
    assert (note.rule, note.line, note.level) == ("trace/joined", 2, Level.NOTICE)
    assert [words for _, words in t.words(session, path)] == ["Go.", "{}", "done"]
    assert session.complete


def test_pretty_values_one_after_the_other_are_read_and_a_cut_one_is_told(path: Path) -> None:
    content = "\n".join(json.dumps(each, indent=2) for each in RECORDS).encode()

    assert t.read(path, content).complete
    session = t.read(path, content[:-30])
    assert [note.rule for note in session.notes] == ["trace/truncated"]
    assert len(session.events) == 2
    assert not session.complete


@pytest.mark.parametrize("indent", [None, 2])
def test_one_value_that_was_cut_off_keeps_its_first_messages(
    path: Path, indent: int | None
) -> None:
    messages = [{"role": "user", "content": "Grüße"}, {"role": "assistant", "content": "Ja."}]
    whole = json.dumps({"id": 1, "messages": messages}, indent=indent, ensure_ascii=False)
    session = t.read(path, whole.encode()[: whole.encode().index(b"Ja.")])

    assert t.words(session, path) == [("user", "Grüße")]
    assert [note.rule for note in session.notes] == ["trace/truncated"]
    assert not session.complete


def test_bytes_that_are_not_utf8_are_replaced_and_told(path: Path) -> None:
    content = json.dumps(t.said("Grüße."), ensure_ascii=False).encode("latin-1") + b"\n"
    session = t.read(path, LINES + content)

    assert t.words(session, path)[-1] == ("user", "Gr��e.")
    (note,) = session.notes
    assert (note.rule, note.line) == ("trace/encoding", 4)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (rb'"half \ud83d"', "half �"),
        (rb'"\ud83d\ude00"', "😀"),
        (rb'"nul \u0000"', "nul \0"),
    ],
)
def test_odd_strings_lose_no_record(path: Path, raw: bytes, words: str) -> None:
    session = t.read(path, b'{"type": "user", "message": {"content": ' + raw + b"}}\n")

    assert t.words(session, path) == [("user", words)]
    assert session.notes == ()


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400, "-0"])
def test_odd_numbers_lose_no_record_and_are_no_figures(path: Path, number: str) -> None:
    record = json.dumps(t.replied(t.text("Hi."), name="m", usage=t.usage(7, 1)))
    session = t.read(path, record.replace("7", number).encode())

    assert (session.usage is not None) is (number == "-0")
    assert len(session.events) == 1


def test_a_repeated_key_counts_as_its_last_value(path: Path) -> None:
    session = t.read(path, b'{"type": "x", "type": "user", "message": {"content": "Hi."}}')

    assert t.words(session, path) == [("user", "Hi.")]


def test_a_value_that_is_nested_too_deep_is_one_malformed_line(path: Path) -> None:
    session = t.read(path, LINES + b'{"a":' * 100_000 + b"\n" + LINES)

    assert [(note.rule, note.line) for note in session.notes if note.line] == [
        ("trace/malformed", 4)
    ]


def test_a_line_over_the_limit_is_skipped_with_its_size(path: Path) -> None:
    with path.open("wb") as file:
        file.write(LINES + b'{"type": "user", "message": {"content": "')
        for _ in range(100):
            file.write(b"a" * 1_000_000)
        file.write(b'"}}\n' + t.lines([t.said("On.")]))
    session = t.read(path)

    assert t.words(session, path)[-1] == ("user", "On.")
    (note,) = session.notes
    assert (note.rule, note.line) == ("trace/long-line", 4)
    assert "this line has 100,000,045 bytes" in note.message
    assert not session.complete


def test_a_file_of_one_endless_line_is_refused(path: Path) -> None:
    path.write_bytes(b'{"type": "user", "a": "' + b"a" * (LINE_LIMIT + 10) + b'"}')

    assert t.refused(path).rule in {"trace/long-line", "trace/unknown-format"}


def test_white_space_of_every_kind_between_records_is_fine(path: Path) -> None:
    session = t.read(path, b"\n\r\n" + LINES.replace(b"\n", b"\r\n \t\r\n"))

    assert len(session.events) == 3
    assert session.notes == ()


def test_a_byte_order_mark_is_fine_and_offsets_still_fit(path: Path) -> None:
    session = t.read(path, b"\xef\xbb\xbf" + LINES)

    assert t.words(session, path)[0] == ("user", "Go.")
    assert session.notes == ()


def test_a_line_of_endless_little_values_is_given_up(path: Path) -> None:
    session = t.read(path, LINES + b"1 " * 1_000_000 + b"\n" + b"{} " * 200_000 + b"\n")

    assert [note.rule for note in session.notes] == ["trace/malformed", "trace/joined"]
    assert session.notes[0].message.startswith("2 of ")


MANGLED = st.builds(
    lambda seed, count: _mangled(random.Random(seed), count),  # noqa: S311 - no secret
    st.integers(0, 2**32),
    st.integers(1, 6),
)


def _mangled(chance: random.Random, count: int) -> bytes:
    """A good file with some of its bytes cut out, doubled or replaced."""
    data = bytearray(LINES)
    for _ in range(count):
        start = chance.randrange(len(data))
        end = min(len(data), start + chance.randrange(40))
        match chance.randrange(3):
            case 0:
                del data[start:end]
            case 1:
                data[start:start] = data[start:end]
            case _:
                data[start:end] = chance.randbytes(end - start)
        if not data:
            return b""
    return bytes(data)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.one_of(st.binary(max_size=200), MANGLED))
def test_no_bytes_crash_the_reader(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    found = traces.read(path, name="a")

    assert isinstance(found, Session | Problem)
    if isinstance(found, Session):
        assert len(t.words(found, path)) == len(found.events)
