"""A chat completion as it came over the wire in, the parts that matter out, or why it is none."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from mergebar.calling import replies
from mergebar.calling.bodies import Received
from mergebar.calling.parties import Party
from mergebar.model.conversations import ErrorClass, Failure, Usage
from mergebar.model.text import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What the model said. `refused` says why it wouldn't, `cut` that its budget ran out."""

    text: str
    usage: Usage
    refused: str | None = None
    cut: bool = False


def read(reply: Received, *, party: Party) -> Completion | Failure:
    """Only what is needed is looked at: services add keys as they like.

    Some services send JSON under another content type, which is read all the same.
    """
    try:
        value: object = json.loads(reply.body)
    except (ValueError, RecursionError):
        return _bad(_no_json(reply), party)
    if not isinstance(value, dict):
        return _bad("JSON that is no object", party)
    if value.get("error"):
        return _bad(f"an error under HTTP 200: {replies.error_text(value['error'])}", party)
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return _bad("no choice", party)
    if choices[0].get("error") or choices[0].get("finish_reason") == "error":
        error = replies.error_text(choices[0].get("error"))
        return _bad(f"an error under HTTP 200: {error}", party)
    return _completion(choices[0], _usage(value.get("usage")))


def _no_json(reply: Received) -> str:
    if reply.body.lstrip()[:1] == b"<":
        return f"a page instead of JSON, beginning with `{replies.begins(reply.body)}`"
    return "text that is no JSON"


def _usage(value: object) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    return Usage(
        input_tokens=replies.count(value.get("prompt_tokens")),
        output_tokens=replies.count(value.get("completion_tokens")),
    )


def _completion(choice: JsonObject, used: Usage) -> Completion:
    message = choice.get("message")
    parts: JsonObject = message if isinstance(message, dict) else {}
    finish = choice.get("finish_reason")
    refused = None
    if finish == "content_filter":
        categories = replies.filtered(choice.get("content_filter_results"))
        refused = f"its content filter stopped the reply{categories}"
    elif isinstance(parts.get("refusal"), str) and parts["refusal"]:
        refused = f"it refused: {replies.one_line(str(parts['refusal']))}"
    return Completion(
        text=_text(parts.get("content")), usage=used, refused=refused, cut=finish == "length"
    )


def _text(content: Json) -> str:
    if isinstance(content, list):
        return "".join(_texts(content))
    return content if isinstance(content, str) else ""


def _texts(parts: Iterable[Json]) -> Iterable[str]:
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else None
        if isinstance(text, str):
            yield text


def _bad(what: str, party: Party) -> Failure:
    return Failure(
        error_class=ErrorClass.BAD_RESPONSE,
        message=f"the judge's endpoint sent {what}; is {party.url_key} right?",
    )
