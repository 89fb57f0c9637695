"""The names of trace formats: those that are read, and those that are only recognised."""

from collections.abc import Mapping
from types import MappingProxyType

CLAUDE_SESSION = "claude-session"
CLAUDE_STREAM = "claude-stream"
CHAT = "chat"

READ: Mapping[str, str] = MappingProxyType({
    CLAUDE_SESSION: "a Claude Code session",
    CLAUDE_STREAM: "Claude Code stream-json",
    CHAT: "a list of chat messages",
})  # fmt: skip
"""Each title stands at the beginning of "… doesn't record …" and after "this is"."""

RECOGNISED: Mapping[str, str] = MappingProxyType({
    "a2a": "an A2A task",
    "agentv": "an agentv transcript",
    "atif": "an ATIF trajectory",
    "codex-exec": "the output of `codex exec --json`",
    "codex-rollout": "a Codex rollout",
    "copilot-events": "a Copilot event log",
    "cursor-stream": "Cursor stream-json",
    "deepeval": "a deepeval trace",
    "gemini-api": "a recording of Gemini API responses",
    "gemini-result": "a Gemini CLI result",
    "gemini-session": "a Gemini CLI session",
    "gemini-stream": "Gemini CLI stream-json",
    "inspect-eval": "an Inspect log (.eval)",
    "inspect-events": "a list of Inspect events",
    "inspect-json": "an Inspect log",
    "jaeger": "a Jaeger trace export",
    "openai-conversation": "an OpenAI conversation object",
    "openai-items": "a list of OpenAI Responses items",
    "openai-request": "an OpenAI request",
    "openai-response": "an OpenAI response",
    "otel-jsonl": "OpenTelemetry spans",
    "otlp-json": "an OTLP trace export",
    "swe-agent": "a SWE-agent trajectory",
    "tempo": "a Tempo trace export",
})  # fmt: skip


def title(name: str) -> str:
    """How a format is called in a sentence."""
    return READ.get(name) or RECOGNISED.get(name) or f"`{name}`"


def known() -> str:
    """The formats that are read, for a message."""
    return "Claude Code sessions, Claude Code stream-json and lists of chat messages"
