"""A message as Claude's tools record it in, events and tool calls out; and its words again."""

import json
from collections.abc import Callable, Mapping

from mergebar.model.sessions import EventKind
from mergebar.model.text import Json, JsonObject
from mergebar.traces import local_commands, prompts, tools
from mergebar.traces.building import (
    ASSISTANT,
    CANCELLED,
    DENIED,
    ERROR,
    META,
    OK,
    REASONING,
    SYSTEM,
    TOOL_CALL,
    TOOL_RESULT,
    USER,
    Building,
    OpenSpawn,
)

RESULT, STRUCTURED = 0, 1
"""The parts of a `result` record."""

_DENIALS = (
    "The user doesn't want to",
    "The user doesn’t want to",
    "User rejected",
    "Permission to use",
    "Claude requested permissions to",
    "Permission denied for tool",
)
_CANCELS = ("[Request interrupted by user", "Request interrupted", "The operation was aborted")
_LOOK = 80
_PICTURE = "[image]"
_QUEUED = "queued_command"
_PICTURES = ("image", "document")

OnSpawn = Callable[[OpenSpawn, Json], None]
"""What to do once a sub-agent was started by the call with this id."""

_Take = Callable[[Building, JsonObject, int, OnSpawn], None]


def assistant(building: Building, content: Json, on_spawn: OnSpawn) -> bool:
    """What the model says and calls; false if the content hasn't the shape of any."""
    if type(content) is str:
        _text(building, {"text": content}, 0, on_spawn)
        return True
    if type(content) is not list:
        return False
    fits = True
    for part, block in enumerate(content):
        kind = block.get("type") if type(block) is dict else None
        take = (_BLOCKS.get(kind) or _by_ending(kind)) if type(kind) is str else None
        if take is None:
            fits = False
        elif type(block) is dict:
            take(building, block, part, on_spawn)
    return fits


def system(building: Building, content: Json) -> bool:
    """What the model is said to have said and its host wrote, such as the text of an API error.

    False if there is more to it than texts.
    """
    if isinstance(content, str):
        building.event(SYSTEM, 0)
        return True
    fits = isinstance(content, list)
    for part, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict) and block.get("type") == "text":
            building.event(SYSTEM, part)
        else:
            fits = False
    return fits


def user(building: Building, record: JsonObject, content: Json, outcome: Json) -> bool:
    """Tool results, and a prompt with the turn that it opens; false for no known shape.

    `outcome` is the host's own copy of the result.
    """
    if type(content) is str:
        _prompt(building, record, [(0, content)])
        return True
    if type(content) is not list:
        return False
    texts: list[tuple[int, str]] = []
    results = 0
    fits = True
    for part, block in enumerate(content):
        kind = block.get("type") if type(block) is dict else None
        if type(block) is not dict or type(kind) is not str or kind not in _USERS:
            fits = False
        elif kind == "tool_result":
            results += 1
            _result(building, block, part, outcome)
        else:
            texts += _typed(block, part)
    if texts:
        _prompt(building, record, texts, beside_result=results > 0)
    return fits


def queued(building: Building, record: JsonObject, attachment: JsonObject) -> None:
    """What a person typed while the agent was at work: it reaches the agent as an attachment."""
    if attachment.get("type") != _QUEUED or attachment.get("commandMode", "prompt") != "prompt":
        return
    content = attachment.get("prompt")
    if isinstance(content, list):
        blocks = (_typed(block, n) for n, block in enumerate(content) if isinstance(block, dict))
        texts = [text for block in blocks for text in block]
    else:
        texts = [(0, content)] if isinstance(content, str) else []
    if texts and not prompts.by_host(attachment):
        _prompt(building, record, texts)


def words(record: JsonObject, part: int, kind: EventKind) -> Json:
    """What an event says: a text, or the arguments of a call."""
    form = record.get("type")
    if form == "result":
        return record.get("structured_output" if part == STRUCTURED else "result")
    content = _content(record)
    if isinstance(content, list):
        block = content[part] if part < len(content) else None
        content = _said(block) if isinstance(block, dict) else None
    if kind is EventKind.USER and isinstance(content, str):
        return prompts.stripped(content).strip()
    return content


def flat(content: Json) -> str:
    """The text of a list of blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content, ensure_ascii=False)
    return "\n".join(
        str(_said(block) or "") if isinstance(block, dict) else str(block) for block in content
    )


def _content(record: JsonObject) -> Json:
    message, attachment = record.get("message"), record.get("attachment")
    if isinstance(message, dict):
        return message.get("content")
    return attachment.get("prompt") if isinstance(attachment, dict) else record.get("content")


def _said(block: JsonObject) -> Json:
    kind = block.get("type")
    if isinstance(kind, str) and kind.endswith("tool_use"):
        return block.get("input")
    if kind in ("text", "thinking"):
        return block.get(str(kind))
    if isinstance(kind, str) and kind.endswith("tool_result"):
        return flat(block.get("content"))
    return f"[{kind}]" if isinstance(kind, str) else None


def _call(building: Building, block: JsonObject, part: int, on_spawn: OnSpawn) -> None:
    name = block.get("name")
    if type(name) is not str or not name:
        building.misnamed()
        return
    arguments = block.get("input")
    event = building.event(TOOL_CALL, part)
    key = block.get("id")
    building.call(event, name, arguments, key)
    if name in tools.SPAWNING and isinstance(arguments, dict):
        agent_type = arguments.get("subagent_type")
        brief = arguments.get("prompt")
        spawn = building.spawned(
            event,
            agent_type if isinstance(agent_type, str) else None,
            brief if isinstance(brief, str) else "",
        )
        spawn.resumes = arguments.get("resume")
        on_spawn(spawn, key)


def _text(building: Building, block: JsonObject, part: int, _: OnSpawn) -> None:
    text = block.get("text")
    if type(text) is str and text and not text.isspace():
        building.event(ASSISTANT, part)


def _thinking(building: Building, _: JsonObject, part: int, __: OnSpawn) -> None:
    building.event(REASONING, part)


def _server_result(building: Building, block: JsonObject, part: int, _: OnSpawn) -> None:
    """The result of a tool that runs at the provider, which comes in the reply itself."""
    building.result(building.event(TOOL_RESULT, part), block.get("tool_use_id"), OK)


def _typed(block: JsonObject, part: int) -> list[tuple[int, str]]:
    """What a block may hold of a prompt: a text, or a picture."""
    kind = block.get("type")
    text = block.get("text") if kind == "text" else _PICTURE if kind in _PICTURES else None
    return [(part, text)] if isinstance(text, str) else []


def _result(building: Building, block: JsonObject, part: int, outcome: Json) -> None:
    event = building.event(TOOL_RESULT, part)
    status = OK
    if block.get("is_error"):
        status = _failure(block.get("content"))
    elif type(outcome) is dict and outcome.get("interrupted") is True:
        status = CANCELLED
    building.result(event, block.get("tool_use_id"), status)


def _failure(content: Json) -> int:
    text = content if isinstance(content, str) else flat(content)
    text = text[:_LOOK].lstrip()
    if text.startswith(_DENIALS):
        return DENIED
    return CANCELLED if text.startswith(_CANCELS) else ERROR


def _prompt(
    building: Building,
    record: JsonObject,
    texts: list[tuple[int, str]],
    *,
    beside_result: bool = False,
) -> None:
    """One turn for all that was typed in a record, an event for each text."""
    host = beside_result or prompts.by_host(record)
    opened = False
    for part, text in texts:
        prompt = None if host else prompts.typed(text)
        event = building.event(META if prompt is None else USER, part)
        if prompt is None:
            if prompts.answers(text):
                local_commands.answered(building, event, text)
            continue
        if not opened:
            building.turns.append(event)
            opened = True
        # Most prompts name no command, and a search in each costs.
        name = prompts.command(text) if "<command-name>" in text else None
        if name:
            building.typed_command(name, event)


def _nothing(_: Building, __: JsonObject, ___: int, ____: OnSpawn) -> None:
    """A block in which the model neither speaks nor calls."""


def _by_ending(kind: str) -> _Take | None:
    """Providers add tools of their own, and name the blocks alike."""
    if kind.endswith("_tool_result"):
        return _server_result
    return _call if kind.endswith("tool_use") else None


_USERS = frozenset({"text", "tool_result", "container_upload", "search_result", *_PICTURES})
_BLOCKS: Mapping[str, _Take] = {
    "text": _text,
    "tool_use": _call,
    "thinking": _thinking,
    "redacted_thinking": _thinking,
    "image": _nothing,
    "document": _nothing,
    "container_upload": _nothing,
    "compaction": _nothing,
}
