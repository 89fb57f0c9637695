"""A chat completion or a response of OpenAI's APIs in, the answer of an agent out."""

from collections.abc import Iterator
from typing import TypeAlias

from mergebar.calling import machine_json, replies
from mergebar.calling.bodies import Received
from mergebar.model.conversations import Answer, Citation, ErrorClass, Failure, Usage
from mergebar.model.text import Json, JsonObject

Read: TypeAlias = Answer | Failure

_UNANSWERED = frozenset({"failed", "cancelled", "queued", "in_progress"})
"""What a response may be that is no answer, or none yet."""


def of_chat(reply: Received) -> Read:
    """From Chat Completions: the first choice. A refusal of the model is what it answered."""
    value = _object(reply)
    if isinstance(value, Failure):
        return value
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return _bad(f"sent no choice: its keys are {replies.keys(value)}")
    fault = _fault(choice, message.get("content"))
    if fault is not None:
        return fault
    text = _text(message.get("content")) or _text(message.get("refusal"))
    if not text and choice.get("finish_reason") == "content_filter":
        return _filtered(replies.filtered(choice.get("content_filter_results")))
    calls = message.get("tool_calls")
    return Answer(
        response=text,
        citations=_citations(message.get("annotations")),
        tool_calls=tuple(calls) if isinstance(calls, list) else (),
        usage=_usage(value.get("usage"), "prompt_tokens", "completion_tokens"),
    )


def of_responses(reply: Received) -> Read:
    """From the Responses API: the text of all messages; every other item is a call of a tool."""
    value = _object(reply)
    if isinstance(value, Failure):
        return value
    output = value.get("output")
    if not isinstance(output, list):
        return _bad(f"sent no `output`: its keys are {replies.keys(value)}")
    if value.get("status") in [*_UNANSWERED]:
        return _bad(f"sent a response whose `status` is `{value['status']}`: there is no answer")
    items = [item for item in output if isinstance(item, dict)]
    parts = [*_parts(items)]
    text = "".join(_text(part.get("text")) or _text(part.get("refusal")) for part in parts)
    if not text and _why_incomplete(value) == "content_filter":
        return _filtered("")
    notes: list[Json] = []
    for part in parts:
        given = part.get("annotations")
        notes += given if isinstance(given, list) else []
    return Answer(
        response=text,
        citations=_citations(notes),
        tool_calls=tuple(item for item in items if str(item.get("type")).endswith("_call")),
        usage=_usage(value.get("usage"), "input_tokens", "output_tokens"),
    )


def _object(reply: Received) -> JsonObject | Failure:
    value = machine_json.parse(reply.body)
    if isinstance(value, machine_json.Fault):
        shown = replies.begins(reply.body)
        if reply.body.lstrip()[:1] == b"<":
            return _bad(f"sent a page instead of JSON, beginning with `{shown}`")
        return _bad(f"sent a reply that {value.message}")
    if value.get("error"):
        return _bad(f"sent an error under HTTP 200: {replies.error_text(value['error'])}")
    return value


def _fault(choice: JsonObject, content: Json) -> Failure | None:
    """An error that broke the answer off, or what is no text: neither is an empty answer."""
    if choice.get("error") or choice.get("finish_reason") == "error":
        return _bad(f"sent an error under HTTP 200: {replies.error_text(choice.get('error'))}")
    if content is None or isinstance(content, str | list):
        return None
    return _bad(f"sent a message whose `content` is {machine_json.kind(content)}, not text")


def _parts(items: list[dict[str, Json]]) -> Iterator[dict[str, Json]]:
    for item in items:
        content = item.get("content") if item.get("type") == "message" else None
        if isinstance(content, str):
            yield {"text": content}
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict):
                yield part


def _text(value: Json) -> str:
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def _citations(notes: Json) -> tuple[Citation, ...]:
    """Annotations that name a page or a file, each source once, in the order of the text."""
    found: dict[str, str | None] = {}
    for note in notes if isinstance(notes, list) else ():
        if isinstance(note, dict):
            nested = note.get("url_citation")
            about = nested if isinstance(nested, dict) else note
            source = about.get("url") or about.get("filename") or about.get("file_id")
            title = about.get("title")
            if isinstance(source, str):
                found.setdefault(source, title if isinstance(title, str) else None)
    return tuple(
        Citation(index=index, text=title, source=source)
        for index, (source, title) in enumerate(found.items(), start=1)
    )


def _usage(value: Json, inputs: str, outputs: str) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    return Usage(
        input_tokens=replies.count(value.get(inputs)),
        output_tokens=replies.count(value.get(outputs)),
        cost_usd=replies.cost(value.get("cost")),  # OpenRouter states it with each reply
    )


def _why_incomplete(value: JsonObject) -> Json:
    details = value.get("incomplete_details")
    return details.get("reason") if isinstance(details, dict) else None


def _filtered(categories: str) -> Failure:
    message = f"gave no answer: its content filter stopped it{categories}"
    return Failure(error_class=ErrorClass.REFUSED, message=message)


def _bad(message: str) -> Failure:
    return Failure(error_class=ErrorClass.BAD_RESPONSE, message=message)
