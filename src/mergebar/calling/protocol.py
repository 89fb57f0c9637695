"""The `command` protocol: a question in, its line out; a reply's line in, an answer out.

Recordings keep answers as the same objects (product contract, section 5).
"""

import json
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from mergebar.calling import machine_json
from mergebar.calling.reading_faults import sentence
from mergebar.model.bounds import MOST_TOKENS, MOST_USD
from mergebar.model.conversations import Answer, Citation, ErrorClass, Failure, Question, Usage
from mergebar.model.text import Json, JsonObject

_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
_RULE = "stdout must hold one line with one JSON object, and everything else goes to stderr"
_LOOKED_AT = 20
"""Lines of a process that prints more than one."""

_Count = Annotated[int, Field(ge=0, le=MOST_TOKENS)]
_Index = Annotated[int, Field(ge=-MOST_TOKENS, le=MOST_TOKENS)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class _Citation:
    index: _Index
    text: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class _Usage:
    input_tokens: _Count | None = None
    output_tokens: _Count | None = None
    cost_usd: Annotated[float, Field(ge=0, le=MOST_USD)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class _Reply:
    response: str
    conversation_id: str | None = None
    citations: tuple[_Citation, ...] | None = None
    diagnostics: dict[str, object] | None = None
    tool_calls: list[object] | None = None
    usage: _Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class _Error:
    message: str
    class_: Annotated[str | None, Field(alias="class")] = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class _ErrorReply:
    error: _Error


_REPLY = TypeAdapter(_Reply)
_ERROR_REPLY = TypeAdapter(_ErrorReply)


def question_line(question: Question) -> bytes:
    """The in-object as one line."""
    value: JsonObject = {
        "prompt": question.prompt,
        "conversation_id": question.conversation_id,
        "turn": question.turn,
        "history": [
            {"prompt": exchange.prompt, "response": exchange.response}
            for exchange in question.history
        ],
        "case": question.case,
    }
    return json.dumps(value).encode("ascii") + b"\n"


def read_line(stdout: bytes) -> Answer | Failure:
    """What a process printed, as the one reply that it may hold."""
    text = stdout.strip()
    if not text:
        return _bad(f"printed nothing; {_RULE}")
    lines = text.count(b"\n") + 1
    if lines > 1:
        return _bad(f"printed {lines} lines{_stray(text)}; {_RULE}")
    value = machine_json.parse(text)
    if isinstance(value, machine_json.Fault):
        return _bad(f"printed a line that {value.message}; {_RULE}")
    return read_object(value)


def _stray(text: bytes) -> str:
    """Which of several lines is the first that is no answer, and whether one comes after it."""
    kept = [line.strip() for line in text.split(b"\n", _LOOKED_AT)[:_LOOKED_AT]]
    answers = [isinstance(machine_json.parse(line), dict) for line in kept]
    if all(answers):
        return ""
    first = answers.index(False)
    later = " before the answer" if any(answers[first:]) else ""
    return f", and line {first + 1}{later} is no JSON object"


def declared_failure(stdout: bytes) -> Failure | None:
    """The failure that a process printed as the protocol says; `None` where it printed none."""
    value = machine_json.parse(stdout.strip())
    if isinstance(value, machine_json.Fault) or not declares_failure(value):
        return None
    reply = read_object(value)
    return reply if isinstance(reply, Failure) else None


def declares_failure(value: object) -> bool:
    """Whether an out-object is a well-formed `{"error": …}`."""
    try:
        _ERROR_REPLY.validate_json(json.dumps(value))
    except ValidationError:
        return False
    return True


def read_object(value: JsonObject) -> Answer | Failure:
    """The out-object as an answer, or as the failure that it declares."""
    kept = {key: part for key, part in value.items() if not (key == "error" and part is None)}
    if "error" in kept and "response" in kept:
        return _bad("gave both `response` and `error`")
    text = json.dumps(kept)
    try:
        if "error" in kept:
            return _declared(_ERROR_REPLY.validate_json(text).error)
        return _answer(_REPLY.validate_json(text), kept)
    except ValidationError as error:
        return _bad(f"gave a reply in which {sentence(error)}")


def answer_object(answer: Answer) -> dict[str, Json]:
    """An answer as the out-object, without what it doesn't say."""
    value: dict[str, Json] = {"response": answer.response}
    if answer.conversation_id is not None:
        value["conversation_id"] = answer.conversation_id
    if answer.citations:
        value["citations"] = [_citation_object(citation) for citation in answer.citations]
    if answer.diagnostics is not None:
        value["diagnostics"] = dict(answer.diagnostics)
    if answer.tool_calls is not None:
        value["tool_calls"] = list(answer.tool_calls)
    usage = _usage_object(answer.usage)
    if usage:
        value["usage"] = usage
    return value


def _bad(message: str) -> Failure:
    return Failure(error_class=ErrorClass.BAD_RESPONSE, message=message)


def _declared(error: _Error) -> Failure:
    known = {member.value for member in ErrorClass}
    named = error.class_ if error.class_ in known else ErrorClass.BAD_RESPONSE
    return Failure(error_class=ErrorClass(named), message=error.message)


def _answer(reply: _Reply, value: dict[str, Json]) -> Answer:
    diagnostics, tool_calls = value.get("diagnostics"), value.get("tool_calls")
    usage = reply.usage or _Usage()
    return Answer(
        response=reply.response,
        conversation_id=reply.conversation_id,
        citations=tuple(
            Citation(index=citation.index, text=citation.text, source=citation.source)
            for citation in reply.citations or ()
        ),
        diagnostics=diagnostics if isinstance(diagnostics, dict) else None,
        tool_calls=tuple(tool_calls) if isinstance(tool_calls, list) else None,
        usage=Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=usage.cost_usd,
        ),
    )


def _citation_object(citation: Citation) -> dict[str, Json]:
    value: dict[str, Json] = {"index": citation.index}
    if citation.text is not None:
        value["text"] = citation.text
    if citation.source is not None:
        value["source"] = citation.source
    return value


def _usage_object(usage: Usage) -> dict[str, Json]:
    fields: dict[str, Json] = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }
    return {key: value for key, value in fields.items() if value is not None}
