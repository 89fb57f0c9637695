"""Formats: told apart by what is in a file, refused by name, or said what was seen."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from mergebar.traces import formats
from support import traces as t

CHAT: t.Record = {"role": "user", "content": "Hi."}
ITEM: t.Record = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}

OTHERS: dict[str, list[object]] = {
    "a2a": [
        {"kind": "task", "id": "1", "status": {"state": "completed"}, "history": []},
        {"jsonrpc": "2.0", "id": 1, "result": {"status": {"state": "failed"}, "artifacts": []}},
    ],
    "agentv": [
        {"schema_version": "agentv.trace.v1", "trace": {}},
        {"text": "It.", "trace": [{"type": "tool_call", "name": "f"}]},
        [{"test_id": "t", "message_index": 0, "role": "user", "content": "Hi."}],
    ],
    "atif": [{"schema_version": "ATIF-v1.6", "agent": {"name": "a"}, "steps": []}],
    "codex-exec": [[{"type": "thread.started", "thread_id": "1"}, {"type": "turn.started"}]],
    "codex-rollout": [
        [{"type": "session_meta", "payload": {"id": "1"}}, {"type": "event_msg", "payload": {}}],
        [{"timestamp": "2026", "type": "response_item", "payload": {"type": "message"}}],
    ],
    "copilot-events": [
        [{"type": "session.start", "data": {}, "id": "1", "parentId": None}],
        [{"type": "user.message", "data": {"content": "Hi."}, "id": "2", "parentId": "1"}],
    ],
    "cursor-stream": [
        [
            {"type": "system", "subtype": "init", "session_id": "s", "cwd": "/", "model": "m"},
            {"type": "user", "message": {"role": "user", "content": []}, "session_id": "s"},
            {"type": "assistant", "message": {"role": "assistant"}, "session_id": "s"},
            {"type": "tool_call", "subtype": "started", "call_id": "c", "session_id": "s"},
        ]
    ],
    "deepeval": [{"uuid": "1", "baseSpans": [], "agentSpans": [], "llmSpans": []}],
    "gemini-api": [[{"method": "generateContentStream", "response": []}]],
    "gemini-result": [{"session_id": "1", "response": "Hi.", "stats": {}}],
    "gemini-session": [
        {"sessionId": "1", "projectHash": "2", "messages": [{"type": "user", "content": "Hi."}]},
        [{"sessionId": "1", "projectHash": "2"}, {"$set": {"lastUpdated": "2026"}}],
    ],
    "gemini-stream": [
        [
            {"type": "init", "session_id": "1", "model": "m"},
            {"type": "message", "role": "user", "content": "Hi."},
            {"type": "tool_use", "tool_name": "f", "tool_id": "1", "parameters": {}},
        ]
    ],
    "inspect-events": [{"description": "x", "events": [{"event": "span_begin"}]}],
    "inspect-json": [{"version": 2, "status": "success", "eval": {}, "samples": []}],
    "jaeger": [{"data": [{"traceID": "1", "spans": []}], "total": 0}],
    "openai-conversation": [{"id": "1", "object": "conversation"}, {"metadata": {"a": "b"}}],
    "openai-items": [{"object": "list", "data": [{"type": "message", "id": "1"}]}, [ITEM]],
    "openai-request": [
        {"model": "m", "input": "Hi."},
        {"model": "m", "messages": [{"role": "user", "content": "Hi."}], "tools": []},
        {
            "model": "m",
            "messages": [
                {"role": "user", "content": "Hi."},
                {"role": "assistant", "content": "Ho."},
                {"role": "user", "content": "Hi?"},
            ],
        },
    ],
    "openai-response": [{"object": "response", "output": []}, {"output": [ITEM]}],
    "otel-jsonl": [[{"traceId": "1", "spanId": "2", "name": "chat", "attributes": {}}]],
    "otlp-json": [{"resourceSpans": []}, {"data": {"resourceSpans": []}}],
    "swe-agent": [{"environment": "main", "trajectory": [], "history": [], "info": {}}],
    "tempo": [{"batches": []}],
}


def zipped(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
    return buffer.getvalue()


def kept(value: object) -> list[bytes]:
    """The ways in which a value, or records in a list, may stand in a file."""
    whole = [json.dumps(value).encode(), json.dumps(value, indent=2).encode()]
    return [*whole, t.lines(value)] if isinstance(value, list) else whole


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (name, content)
        for name, values in OTHERS.items()
        for value in values
        for content in kept(value)
    ]
    + [
        ("inspect-eval", zipped("header.json", "samples/1_epoch_1.json")),
        ("inspect-eval", zipped("_journal/start.json")),
    ],
)
def test_another_format_is_refused_by_its_name(tmp_path: Path, name: str, content: bytes) -> None:
    problem = t.refused(tmp_path / "claude-session.jsonl", content)

    assert problem.rule == "trace/unsupported-format"
    assert problem.message.startswith(f"this is {formats.RECOGNISED[name]}: ")
    assert "not available yet" in problem.message


def test_every_format_that_is_only_recognised_stands_in_the_table() -> None:
    assert {*OTHERS, "inspect-eval"} == set(formats.RECOGNISED)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.yaml", "rollout-1.jsonl", "a", "a.zip"])
@pytest.mark.parametrize(
    ("content", "form"),
    [
        (t.lines(t.chained([t.said("Hi.")])), "claude-session"),
        (t.lines(t.streamed([t.init(), t.ended()])), "claude-stream"),
        (t.lines([CHAT]), "chat"),
    ],
)
def test_the_name_of_a_file_says_nothing(
    tmp_path: Path, name: str, content: bytes, form: str
) -> None:
    assert t.read(tmp_path / name, content).format == form


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user", "message": {"content": "Hi."}},
        {"type": "user", "sessionId": "1", "message": {"role": "user", "content": "Hi."}},
        {"sessionId": "1", "requestId": "r", "message": {"role": "assistant", "content": "Hi."}},
        {"parentUuid": None, "userType": "external", "type": "user", "message": {"content": "a"}},
    ],
)
def test_a_session_is_known_by_very_little(tmp_path: Path, record: t.Record) -> None:
    assert t.read(tmp_path / "a", t.lines([record])).format == "claude-session"


def test_a_few_records_of_another_format_decide_nothing(tmp_path: Path) -> None:
    records = [CHAT, *t.chained([t.said("Hi."), t.said("Ho.")]), {"type": "thread.started"}]

    assert t.read(tmp_path / "a", records).format == "claude-session"


def test_two_formats_that_speak_as_loud_are_ambiguous(tmp_path: Path) -> None:
    records = [*t.chained([t.said("Hi.")]), {"type": "event_msg", "payload": {}}]
    problem = t.refused(tmp_path / "a", t.lines(records))

    assert problem.rule == "trace/ambiguous-format"
    assert "a Claude Code session" in problem.message
    assert "a Codex rollout" in problem.message


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        (b'{"kind": 1, "what": 2}\n{"kind": 2}\n', "the keys `kind`, `what`"),
        (b'{"type": "wholly-new"}', "records of the types `wholly-new`"),
        (b"[1, 2, 3]", "this is JSON"),
        (b'"words"', "this is JSON"),
        (b"[]", "an empty list"),
    ],
)
def test_what_is_no_known_format_is_described(tmp_path: Path, content: bytes, seen: str) -> None:
    problem = t.refused(tmp_path / "a", content)

    assert seen in problem.message
    assert problem.rule in {"trace/unknown-format", "trace/empty"}


@pytest.mark.parametrize(
    "content",
    [
        t.lines([{"type": "summary", "summary": "x", "leafUuid": "y"}]),
        t.lines(t.streamed([{"type": "system", "subtype": "hook_started"}] * 2)),
    ],
)
def test_a_trace_in_which_nothing_happens_is_none(tmp_path: Path, content: bytes) -> None:
    assert t.refused(tmp_path / "a", content).rule == "trace/nothing-usable"
