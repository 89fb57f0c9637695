"""The reply of an `http` agent in; its JSON, or the events of its stream, out."""

import re
from dataclasses import dataclass

from mergebar.calling import event_streams, machine_json, replies
from mergebar.calling.bodies import Received
from mergebar.model.text import Json

_CHARSET = re.compile(r"charset=\"?([A-Za-z0-9_-]+)", re.IGNORECASE)
_CHARSETS = frozenset({"iso-8859-1", "latin1", "windows-1252", "iso-8859-15", "utf-16"})
EVENT_STREAM = "text/event-stream"
_LINES = frozenset(
    {
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "application/x-jsonl",
        "application/jsonlines",
        "application/x-json-stream",
        "application/stream+json",
        "application/json-lines",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What was sent; `streamed`: `value` is the list of what the events held."""

    value: Json
    streamed: bool = False


def read(reply: Received) -> Content | str:
    """The content, or what is wrong with it as the end of a sentence."""
    if not reply.body.strip():
        return "sent an empty reply"
    if reply.media_type == EVENT_STREAM:
        return _streamed(event_streams.events(reply.body))
    if reply.media_type in _LINES:
        return _streamed(event_streams.lines(reply.body))
    # Some services send JSON under another content type.
    body = _in_utf8(reply)
    parsed = machine_json.parse_any(body)
    if isinstance(parsed, machine_json.Parsed):
        return Content(value=parsed.value)
    if reply.body.lstrip()[:1] == b"<":
        return f"sent a page instead of JSON, beginning with `{replies.begins(reply.body)}`"
    return f"sent a reply that {parsed.message}; it begins with `{replies.begins(reply.body)}`"


def _in_utf8(reply: Received) -> bytes:
    """JSON is UTF-8, whatever is declared; only what isn't is read as its header says."""
    declared = _CHARSET.search(reply.headers.get("content-type", ""))
    if declared is None or declared[1].lower() not in _CHARSETS:
        return reply.body
    try:
        reply.body.decode()
    except UnicodeDecodeError:
        return reply.body.decode(declared[1], errors="replace").encode(errors="replace")
    return reply.body


def is_ended(body: bytearray) -> bool:
    """Whether a stream has said that nothing follows, though it may stay open."""
    return event_streams.is_ended(body)


def _streamed(found: list[Json] | str) -> Content | str:
    if isinstance(found, str):
        return f"sent a stream in which {found}"
    return Content(value=found, streamed=True) if found else "sent a stream without events"
