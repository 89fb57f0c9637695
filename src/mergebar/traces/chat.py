"""Messages of the chat completions API in, the neutral session out (spec, §3.9).

The tools are whatever the application calls by those names; files and skills are seen only where
the names are those of a host that we know.
"""

from collections.abc import Iterator
from contextlib import suppress

import orjson

from mergebar.model.gaps import Gap, Missing
from mergebar.model.sessions import Capability, EventKind, Session
from mergebar.model.text import Json, JsonObject
from mergebar.traces import claude_content, formats, idle, missing, tokens
from mergebar.traces.building import (
    ASSISTANT,
    REASONING,
    SYSTEM,
    TOOL_CALL,
    TOOL_RESULT,
    UNKNOWN,
    USER,
    Building,
)
from mergebar.traces.faults import Faults
from mergebar.traces.parsing import TraceFile

NAME = formats.CHAT
CAPABILITIES = frozenset({
    Capability.PROMPTS,
    Capability.TURNS,
    Capability.MESSAGES,
    Capability.REASONING,
    Capability.TOOL_CALLS,
    Capability.TOOL_RESULTS,
    Capability.USAGE,
    Capability.FILE_OPERATIONS,
    Capability.SKILLS,
})  # fmt: skip

_TEXT, _REASONING, _CALLS, _BLOCKS = 0, 1, 2, 1_000_000
"""The parts of a message; calls and blocks count from theirs on."""


class Chat:
    """The parser of chat messages."""

    name = NAME
    capabilities = CAPABILITIES

    def parse(self, trace: TraceFile, /) -> Session:
        """Read all messages once."""
        faults = Faults()
        building = Building()
        replies = 0
        for offset, length, line, message in trace.records(faults):
            building.offset, building.length = offset, length
            role = message.get("role")
            replies += role == "assistant"
            if not _take(building, role, message):
                foreign = role is None and isinstance(message.get("message"), dict)
                (faults.note_foreign if foreign else faults.note_odd)(line)
        return _session(trace, building, faults, replies)

    def words(self, record: JsonObject, part: int, kind: EventKind, /) -> Json:
        """What a part of a message says."""
        content = record.get("content")
        if part >= _BLOCKS:
            return claude_content.words({"content": content}, part - _BLOCKS, kind)
        if part == _TEXT:
            return _said(record)
        if part == _REASONING:
            return _reasoning(record)
        calls = _calls(record)
        index = part - _CALLS
        return _function(calls[index])[1] if index < len(calls) else None


def create() -> Chat:
    """The parser."""
    return Chat()


def _take(building: Building, role: Json, message: JsonObject) -> bool:
    """The events of one message; false if it has no known role."""
    if role == "assistant":
        _assistant(building, message)
    elif role == "user":
        _user(building, message.get("content"))
    elif role in ("system", "developer"):
        building.event(SYSTEM, _TEXT)
    elif role in ("tool", "function"):
        event = building.event(TOOL_RESULT, _TEXT)
        key = message.get("tool_call_id")
        building.result(
            event, key if isinstance(key, str) else _waiting(building, message), UNKNOWN
        )
    else:
        return False
    return True


def _waiting(building: Building, message: JsonObject) -> str:
    """The call that a result without an identifier answers: the first one that has its name."""
    name = message.get("name")
    for key, call in building.pending.items():
        if name is None or building.names.texts[building.call_names[call]] == name:
            return key
    return ""


def _user(building: Building, content: Json) -> None:
    blocks = list(_results(content))
    for part, block in blocks:
        event = building.event(TOOL_RESULT, part)
        building.result(event, block.get("tool_use_id"), UNKNOWN)
    if _text(content).strip() or not blocks:
        building.turns.append(building.event(USER, _TEXT))


def _assistant(building: Building, message: JsonObject) -> None:
    if _reasoning(message):
        building.event(REASONING, _REASONING)
    if _said(message).strip():
        building.event(ASSISTANT, _TEXT)
    for index, call in enumerate(_calls(message)):
        name, arguments = _function(call)
        if name is None:
            building.misnamed()
            continue
        event = building.event(TOOL_CALL, _CALLS + index)
        building.call(event, name, arguments, call.get("id") or name)


def _results(content: Json) -> list[tuple[int, JsonObject]]:
    """Tool results as Anthropic's API puts them into a user's message."""
    blocks = content if isinstance(content, list) else []
    return [
        (_BLOCKS + part, block)
        for part, block in enumerate(blocks)
        if isinstance(block, dict) and block.get("type") == "tool_result"
    ]


def _said(message: JsonObject) -> str:
    """What a message says: a refusal stands beside the content that isn't there."""
    refusal = message.get("refusal")
    return _text(message.get("content")) or (refusal if isinstance(refusal, str) else "")


def _text(content: Json) -> str:
    """The text of a message: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(filter(None, map(_part, content)))


def _part(part: Json) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    for key in ("text", "refusal"):
        text = part.get(key)
        if isinstance(text, str):
            return text
    kind = part.get("type")
    return "[image]" if kind in ("image_url", "input_image", "image") else ""


def _reasoning(message: JsonObject) -> str:
    for key in ("reasoning_content", "reasoning"):
        text = message.get(key)
        if isinstance(text, str) and text.strip():
            return text
    return ""


def _calls(message: JsonObject) -> list[JsonObject]:
    """Calls in all three spellings: current, the older single one, and Anthropic's blocks."""
    calls = message.get("tool_calls")
    found: list[JsonObject] = [each for each in _entries(calls) if isinstance(each, dict)]
    single = message.get("function_call")
    if isinstance(single, dict):
        found.append({"function": single})
    found += [
        each
        for each in _entries(message.get("content"))
        if isinstance(each, dict) and each.get("type") == "tool_use"
    ]
    return found


def _entries(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _function(call: JsonObject) -> tuple[str | None, Json]:
    """The name and the arguments of a call; arguments that are no JSON stay a text."""
    function = call.get("function") or call.get("custom") or call
    if not isinstance(function, dict):
        return None, None
    name = function.get("name")
    arguments = next((function[key] for key in ("arguments", "input") if key in function), None)
    if isinstance(arguments, str):
        with suppress(orjson.JSONDecodeError):
            arguments = orjson.loads(arguments)
    return (name if isinstance(name, str) else None), arguments


def _unanswered(building: Building) -> Iterator[Gap]:
    """Any message of the agent may be its last; a prompt and a result aren't."""
    spoken = (kind for kind in reversed(building.kinds) if kind != SYSTEM)
    if next(spoken, None) in (USER, TOOL_RESULT):
        yield Gap(missing=Missing.END, what="the messages end before the agent answered")


def _session(trace: TraceFile, building: Building, faults: Faults, replies: int) -> Session:
    gaps = (
        *missing.of_file(trace, faults, building, last=building.last_message),
        *missing.of_calls(building),
        *_unanswered(building),
    )
    usage = tokens.of_completion(trace.beside.get("usage"))
    model = trace.beside.get("model")
    absent = {
        capability
        for capability, there in (
            (Capability.USAGE, usage is not None),
            (Capability.FILE_OPERATIONS, bool(len(building.file_calls))),
            (Capability.SKILLS, bool(building.skills)),
        )
        if not there
    }
    return Session(
        path=trace.name,
        format=NAME,
        title=formats.title(NAME),
        capabilities=CAPABILITIES - absent,
        events=building.event_rows(),
        calls=building.call_rows(),
        files=building.file_rows(),
        branches=building.branch_values(),
        sources=(trace.name,),
        turns=building.turns,
        api_turns=replies,
        skills=tuple(building.skills),
        usage=usage,
        final_message=building.last_message,
        models=(model,) if isinstance(model, str) else (),
        complete=not (faults.lost or trace.cut or any(gap.sure for gap in gaps)),
        gaps=gaps,
        idle=None if missing.agent_acted(building) else idle.failure(""),
        notes=(*trace.notes, *faults.problems(trace.name)),
    )
