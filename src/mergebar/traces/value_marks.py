"""A whole file's JSON value in, its format and where its records are out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mergebar.model.text import Json, JsonObject
from mergebar.traces import record_marks
from mergebar.traces.formats import CHAT, CLAUDE_SESSION, CLAUDE_STREAM
from mergebar.traces.record_marks import RESPONSE_ITEMS, is_message

Step: TypeAlias = str | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A format, and how its records are kept in one value.

    `pointer` leads to the list of records, or to the one record where `single`. `inner` is the
    member of each entry that holds the record; `None` where the entry is one. `skipped` counts
    lists of the same kind that were passed over.
    """

    format: str
    pointer: tuple[Step, ...] = ()
    inner: str | None = None
    single: bool = False
    skipped: int = 0


def layout(value: Json | JsonObject) -> Layout | None:
    """What a whole value is; `None` if no rule knows it."""
    if isinstance(value, list):
        return of_list(value, ())
    if not isinstance(value, dict):
        return None
    held = _held(value)
    if held is not None:
        return held
    return next((Layout(format=name) for name, test in _OBJECTS if test(value)), None)


def of_list(entries: Sequence[Json], pointer: tuple[Step, ...]) -> Layout | None:
    """What a list is, by what its entries speak for."""
    records = [entry for entry in entries[:200] if isinstance(entry, dict)]
    name = vote(records)
    return Layout(format=name, pointer=pointer) if name else None


def vote(records: Sequence[JsonObject]) -> str | None:
    """The format that most records speak for; `None` where none does, or two as much."""
    names = tally(records)
    return names[0] if len(names) == 1 else None


def tally(records: Sequence[JsonObject]) -> list[str]:
    """The formats with the most votes: one, or several that can't be told apart."""
    for ask in (record_marks.mark, record_marks.hint):
        counts: dict[str, int] = {}
        for record in records:
            name = ask(record)
            if name:
                counts[name] = counts.get(name, 0) + 1
        if "cursor-stream" in counts:
            return ["cursor-stream"]
        if counts:
            most = max(counts.values())
            return sorted(name for name, count in counts.items() if count == most)
    return []


def _held(value: JsonObject) -> Layout | None:
    """An object that holds a list of records which we read."""
    loglines = value.get("loglines")
    if isinstance(loglines, list):
        return Layout(format=CLAUDE_SESSION, pointer=("loglines",))
    messages = value.get("messages")
    if isinstance(messages, list) and "projectHash" not in value:
        if "model" in value and _is_asked(messages):
            return Layout(format="openai-request")
        return _messages(messages, ("messages",))
    conversations = value.get("conversations")
    if isinstance(conversations, list) and conversations:
        last = conversations[-1]
        if isinstance(last, dict) and isinstance(last.get("messages"), list):
            number = len(conversations) - 1
            return Layout(
                format=CHAT, pointer=("conversations", number, "messages"), skipped=number
            )
    return _completion(value)


def _is_asked(messages: list[Json]) -> bool:
    """Whether the last message waits for an answer: so it does in a request alone."""
    last = messages[-1] if messages else None
    return is_message(last) and isinstance(last, dict) and last.get("role") != "assistant"


def _messages(messages: list[Json], pointer: tuple[Step, ...]) -> Layout | None:
    if any(is_message(each) for each in messages):
        return Layout(format=CHAT, pointer=pointer)
    inner = [
        each["message"]
        for each in messages
        if isinstance(each, dict) and "direction" in each and isinstance(each.get("message"), dict)
    ]
    wrapped = [each for each in inner if isinstance(each, dict)]
    if wrapped and vote(wrapped) == CLAUDE_STREAM:
        return Layout(format=CLAUDE_STREAM, pointer=pointer, inner="message")
    return None


def _completion(value: JsonObject) -> Layout | None:
    """A reply of the chat completions API: one message of the agent."""
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(first, dict) and is_message(first.get("message")):
        return Layout(format=CHAT, pointer=("choices", 0, "message"), single=True)
    return None


def _types(value: Json) -> set[str]:
    entries = value if isinstance(value, list) else []
    types = (entry.get("type") for entry in entries if isinstance(entry, dict))
    return {kind for kind in types if isinstance(kind, str)}


def _has(*names: str) -> Callable[[JsonObject], bool]:
    wanted = frozenset(names)
    return lambda value: wanted <= value.keys()


def _atif(value: JsonObject) -> bool:
    version = value.get("schema_version")
    return isinstance(version, str) and version.startswith("ATIF-v") and "steps" in value


def _jaeger(value: JsonObject) -> bool:
    data = value.get("data")
    return isinstance(data, list) and any(
        isinstance(entry, dict) and "spans" in entry for entry in data
    )


def _otlp(value: JsonObject) -> bool:
    data = value.get("data")
    return "resourceSpans" in value or (isinstance(data, dict) and "resourceSpans" in data)


def _inspect(value: JsonObject) -> bool:
    return (
        isinstance(value.get("version"), int)
        and "eval" in value
        and ("samples" in value or "results" in value)
    )


def _inspect_events(value: JsonObject) -> bool:
    events = value.get("events")
    return isinstance(events, list) and any(
        isinstance(entry, dict) and isinstance(entry.get("event"), str) for entry in events
    )


def _a2a(value: JsonObject) -> bool:
    for held in (value, value.get("task"), value.get("result")):
        if not isinstance(held, dict):
            continue
        status = held.get("status")
        if held.get("kind") == "task" or (isinstance(status, dict) and "state" in status):
            return True
    return False


def _response(value: JsonObject) -> bool:
    return value.get("object") == "response" or (
        "output" in value and bool(_types(value["output"]) & RESPONSE_ITEMS)
    )


def _item_list(value: JsonObject) -> bool:
    return value.get("object") == "list" and bool(_types(value.get("data")) & RESPONSE_ITEMS)


def _conversation(value: JsonObject) -> bool:
    return value.get("object") == "conversation" or value.keys() in ({"metadata"}, {"items"})


def _agentv(value: JsonObject) -> bool:
    version = value.get("schema_version")
    if isinstance(version, str) and version.startswith("agentv."):
        return True
    return "text" in value and bool(_types(value.get("trace")) & {"tool_call", "tool_result"})


_OBJECTS: tuple[tuple[str, Callable[[JsonObject], bool]], ...] = (
    ("atif", _atif),
    ("agentv", _agentv),
    ("otlp-json", _otlp),
    ("jaeger", _jaeger),
    ("tempo", _has("batches")),
    ("inspect-json", _inspect),
    ("inspect-events", _inspect_events),
    ("gemini-session", _has("sessionId", "projectHash", "messages")),
    ("swe-agent", _has("trajectory", "history")),
    ("deepeval", _has("baseSpans", "agentSpans")),
    ("openai-response", _response),
    ("openai-items", _item_list),
    ("openai-conversation", _conversation),
    ("openai-request", _has("model", "input")),
    ("a2a", _a2a),
    ("gemini-result", _has("response", "stats")),
)
