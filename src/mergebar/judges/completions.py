"""A chat completion as it came over the wire in, the parts that matter out, or why it is none."""

from collections.abc import Iterable
from dataclasses import dataclass

from mergebar.model.conversations import ErrorClass, Failure, Usage
from mergebar.model.text import Json, JsonObject

_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What the model said. `refused` says why it wouldn't, `cut` that its budget ran out."""

    text: str
    usage: Usage
    refused: str | None = None
    cut: bool = False


def read(value: object) -> Completion | Failure:
    """Only what is needed is looked at: services add keys as they like."""
    if isinstance(value, str):
        return _bad(f"a page instead of JSON, beginning with `{one_line(value, 60)}`")
    if not isinstance(value, dict):
        return _bad("JSON that is no object")
    if value.get("error"):
        return _bad(f"an error under HTTP 200: {error_text(value['error'])}")
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return _bad("no choice")
    return _completion(choices[0], usage(value.get("usage")))


def unreadable() -> Failure:
    """For a body that says it is JSON and isn't."""
    return _bad("text that is no JSON")


def usage(value: object) -> Usage:
    """The tokens that a completion cost, as far as it says so."""
    if not isinstance(value, dict):
        return Usage()
    return Usage(
        input_tokens=_count(value.get("prompt_tokens")),
        output_tokens=_count(value.get("completion_tokens")),
    )


def error_text(error: object) -> str:
    """What an error object says, in one short line."""
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return one_line(error["message"], _SHOWN)
    return one_line(error, _SHOWN) if isinstance(error, str) else "no message"


def filtered(value: object) -> str:
    """The categories that a content filter names, as Azure reports them; maybe none."""
    if not isinstance(value, dict):
        return ""
    hit = [
        str(category)
        for category, found in value.items()
        if isinstance(found, dict) and found.get("filtered") is True
    ]
    return f" ({', '.join(sorted(hit))})" if hit else ""


def one_line(text: str, length: int) -> str:
    """Without line breaks, and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _completion(choice: JsonObject, used: Usage) -> Completion:
    message = choice.get("message")
    parts: JsonObject = message if isinstance(message, dict) else {}
    finish = choice.get("finish_reason")
    refused = None
    if finish == "content_filter":
        categories = filtered(choice.get("content_filter_results"))
        refused = f"its content filter stopped the reply{categories}"
    elif isinstance(parts.get("refusal"), str) and parts["refusal"]:
        refused = f"it refused: {one_line(str(parts['refusal']), _SHOWN)}"
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


def _count(value: object) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if isinstance(value, int) and is_count else None


def _bad(what: str) -> Failure:
    return Failure(
        error_class=ErrorClass.BAD_RESPONSE,
        message=f"the judge's endpoint sent {what}; is `judge.base_url` right?",
    )
