"""One record of a sequence in, the format that it speaks for out.

A mark is what no other format has. Hints are shared by several, and count only without any mark.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from mergebar.model.text import Json, JsonObject
from mergebar.traces.formats import CHAT, CLAUDE_SESSION, CLAUDE_STREAM

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
RESPONSE_ITEMS = frozenset({
    "message", "function_call", "function_call_output", "reasoning", "web_search_call",
    "file_search_call", "code_interpreter_call", "computer_call", "computer_call_output",
    "mcp_call", "mcp_list_tools", "local_shell_call", "custom_tool_call",
    "custom_tool_call_output",
})  # fmt: skip

_CODEX = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_CLAUDE_TYPES = ("user", "assistant")
_STREAM_TYPES = frozenset({
    "system", "assistant", "user", "result", "stream_event", "rate_limit_event", "tool_progress",
    "conversation_reset", "control_request", "control_response",
})  # fmt: skip
_COPILOT = ("session.", "user.", "assistant.", "tool.", "subagent.", "skill.", "permission.")

_Test: TypeAlias = Callable[[JsonObject, str], bool]


def mark(record: JsonObject) -> str | None:
    """The only format that this record can be of."""
    return _first(_MARKS, record)


def hint(record: JsonObject) -> str | None:
    """The format that this record is most likely of."""
    return _first(_HINTS, record)


def is_message(value: Json | JsonObject) -> bool:
    """Whether a value looks like one chat message."""
    return (
        isinstance(value, Mapping)
        and value.get("role") in ROLES
        and ("content" in value or "tool_calls" in value or "function_call" in value)
    )


def is_cursor(record: JsonObject) -> bool:
    """A tool call as only Cursor writes it; its other records look like Claude's."""
    return (
        record.get("type") == "tool_call"
        and record.get("subtype") in ("started", "completed")
        and "call_id" in record
    )


def _first(tests: tuple[tuple[str, _Test], ...], record: JsonObject) -> str | None:
    kind = record.get("type")
    text = kind if isinstance(kind, str) else ""
    return next((name for name, test in tests if test(record, text)), None)


def _codex(record: JsonObject, kind: str) -> bool:
    return kind in _CODEX and isinstance(record.get("payload"), dict)


def _codex_exec(record: JsonObject, kind: str) -> bool:
    return kind.startswith(("thread.", "turn.", "item.")) and "data" not in record


def _copilot(record: JsonObject, kind: str) -> bool:
    return kind.startswith(_COPILOT) and "data" in record and "id" in record


def _gemini_session(record: JsonObject, _: str) -> bool:
    return ("sessionId" in record and "projectHash" in record) or not record.keys().isdisjoint(
        ("$set", "$rewindTo")
    )


def _gemini_stream(record: JsonObject, kind: str) -> bool:
    if kind == "init":
        return "session_id" in record
    return kind in ("tool_use", "tool_result") and "tool_id" in record


def _gemini_api(record: JsonObject, _: str) -> bool:
    method = record.get("method")
    return (
        isinstance(method, str) and method.startswith("generateContent") and ("response" in record)
    )


def _agentv(record: JsonObject, _: str) -> bool:
    version = record.get("schema_version")
    if isinstance(version, str) and version.startswith("agentv."):
        return True
    return "test_id" in record and "message_index" in record


def _otel(record: JsonObject, _: str) -> bool:
    return any(
        not record.keys().isdisjoint(names)
        for names in (("traceId", "trace_id"), ("spanId", "span_id"))
    ) and ("attributes" in record or "name" in record)


def _claude_session(record: JsonObject, kind: str) -> bool:
    if "parentUuid" in record and not record.keys().isdisjoint(("isSidechain", "userType")):
        return True
    message = record.get("message")
    if "sessionId" in record and isinstance(message, dict):
        return kind in _CLAUDE_TYPES or (not kind and message.get("role") in _CLAUDE_TYPES)
    return (kind == "file-history-snapshot" and "snapshot" in record) or (
        kind == "summary" and "leafUuid" in record
    )


def _claude_stream(record: JsonObject, kind: str) -> bool:
    if kind in ("control_request", "control_response"):
        return "request_id" in record or "response" in record
    return "session_id" in record and kind in _STREAM_TYPES


def _claude_hint(record: JsonObject, kind: str) -> bool:
    return kind in _CLAUDE_TYPES and isinstance(record.get("message"), dict)


def _items(record: JsonObject, kind: str) -> bool:
    if kind == "message":
        return "role" in record and isinstance(record.get("content"), list)
    return kind in RESPONSE_ITEMS and not record.keys().isdisjoint(
        ("call_id", "id", "summary", "arguments")
    )


_MARKS: tuple[tuple[str, _Test], ...] = (
    ("codex-rollout", _codex),
    ("copilot-events", _copilot),
    ("codex-exec", _codex_exec),
    ("gemini-session", _gemini_session),
    ("gemini-stream", _gemini_stream),
    ("gemini-api", _gemini_api),
    ("cursor-stream", lambda record, _: is_cursor(record)),
    ("agentv", _agentv),
    (CLAUDE_SESSION, _claude_session),
    (CLAUDE_STREAM, _claude_stream),
    ("otel-jsonl", _otel),
)
_HINTS: tuple[tuple[str, _Test], ...] = (
    (CLAUDE_SESSION, _claude_hint),
    ("openai-items", _items),
    (CHAT, lambda record, _: is_message(record)),
)
