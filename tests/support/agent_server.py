"""Agents behind HTTP on loopback: what an agent says, on each of the wires that we speak.

`with Server(agent_server.echo(WAYS["http"])) as server:` is an agent, and
`WAYS["http"].config(server.url)` the entry for it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mergebar.calling import protocol
from mergebar.model.configuration import AgentConfig
from mergebar.model.conversations import Answer
from mergebar.model.text import Json, JsonObject
from support import agents
from support.servers import Reply, Request

KEY = "test-key-0123456789"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One wire. `carries` names the fields of an answer that it has beside the response."""

    type: str
    path: str
    options: JsonObject
    write: Callable[[Answer], Reply]
    prompt: Callable[[Request], str]
    carries: frozenset[str]

    def config(self, url: str, *, attempts: int = 1, timeout_s: float = 20.0) -> AgentConfig:
        """The entry for a server at `url`."""
        address = "url" if self.type == "http" else "base_url"
        return agents.config(
            self.type,
            name="web",
            attempts=attempts,
            timeout_s=timeout_s,
            options={**self.options, address: f"{url}{self.path}"},
        )


def echo(way: Way) -> Callable[[Request], Reply]:
    """An agent that says what it was asked."""

    def script(request: Request) -> Reply:
        return way.write(Answer(response=f"You asked: {way.prompt(request)}"))

    return script


def page(status: int = 200) -> Reply:
    """A page of some proxy."""
    body = b"<!doctype html>\n<title>Sign in</title>"
    return Reply(status=status, body=body, content_type="text/html; charset=utf-8")


def error(status: int, message: str = "no", *, headers: Mapping[str, str] | None = None) -> Reply:
    """An error as many services shape it."""
    body = json.dumps({"error": {"message": message}}).encode()
    return Reply(status=status, body=body, headers=headers or {})


def _json(value: Json) -> Reply:
    return Reply(body=json.dumps(value).encode())


def _object(answer: Answer) -> Reply:
    return _json(protocol.answer_object(answer))


def _shaped(answer: Answer) -> Reply:
    """An agent with a shape of its own."""
    given = protocol.answer_object(answer)
    sources: list[Json] = [
        {"n": one.index, "title": one.text, "href": one.source} for one in answer.citations
    ]
    return _json(
        {
            "answer": {"text": answer.response, "sources": sources},
            "thread": answer.conversation_id,
            "debug": given.get("diagnostics"),
            "calls": given.get("tool_calls"),
            "spent": {"in": answer.usage.input_tokens, "out": answer.usage.output_tokens},
        }
    )


SHAPED: Json = {
    "response": "answer.text",
    "conversation_id": "thread",
    "citations": "answer.sources[].{index: n, text: title, source: href}",
    "diagnostics": "debug",
    "tool_calls": "calls",
    "usage": "{input_tokens: spent.in, output_tokens: spent.out}",
}


def _streamed(answer: Answer) -> list[Json]:
    """The text in pieces, and the rest at the end."""
    given = protocol.answer_object(answer)
    text = str(given.pop("response"))
    parts: list[Json] = [{"delta": text[at : at + 3]} for at in range(0, len(text), 3)]
    return [*(parts or [{"delta": ""}]), given]


def _events(answer: Answer) -> Reply:
    events = tuple(f"data: {json.dumps(one)}\n\n".encode() for one in _streamed(answer))
    return Reply(
        pieces=(b": hello\n\n", *events, b"data: [DONE]\n\n"),
        content_type="text/event-stream; charset=utf-8",
    )


def _lines(answer: Answer) -> Reply:
    body = "".join(f"{json.dumps(one)}\n" for one in _streamed(answer))
    return Reply(body=body.encode(), content_type="application/x-ndjson")


STREAMED: Json = {
    "response": "delta",
    "conversation_id": "conversation_id",
    "citations": "citations",
    "diagnostics": "diagnostics",
    "tool_calls": "tool_calls",
    "usage": "usage",
}


def _chat(answer: Answer) -> Reply:
    notes: list[Json] = [
        {"type": "url_citation", "url_citation": {"url": one.source, "title": one.text}}
        for one in answer.citations
    ]
    message: dict[str, Json] = {"role": "assistant", "content": answer.response}
    if notes:
        message["annotations"] = notes
    if answer.tool_calls:
        message["tool_calls"] = list(answer.tool_calls)
    usage = answer.usage
    return _json(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {
                "prompt_tokens": usage.input_tokens,
                "completion_tokens": usage.output_tokens,
            },
        }
    )


def _responses(answer: Answer) -> Reply:
    notes: list[Json] = [
        {"type": "url_citation", "url": one.source, "title": one.text} for one in answer.citations
    ]
    part: Json = {"type": "output_text", "text": answer.response, "annotations": notes}
    output: list[Json] = [{"type": "reasoning", "summary": []}, *(answer.tool_calls or ())]
    output.append({"type": "message", "role": "assistant", "content": [part]})
    usage = answer.usage
    return _json(
        {
            "id": "resp_1",
            "object": "response",
            "status": "completed",
            "error": None,
            "output": output,
            "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
        }
    )


def _asked(request: Request) -> str:
    return str(request.json["prompt"])


def _last_message(key: str) -> Callable[[Request], str]:
    def prompt(request: Request) -> str:
        messages = request.json[key]
        assert isinstance(messages, list)
        last = messages[-1]
        assert isinstance(last, dict)
        return str(last["content"])

    return prompt


_ALL = frozenset({"conversation_id", "citations", "diagnostics", "tool_calls", "usage"})
_SOME = _ALL - {"conversation_id", "diagnostics"}
_HTTP: JsonObject = {"headers": {"Authorization": f"Bearer {KEY}"}}
_OURS: Json = {"prompt": "{prompt}", "thread": "{conversation_id}"}
_OPENAI: JsonObject = {"model": "gpt-5-mini", "api_key": KEY}


def _http(write: Callable[[Answer], Reply], **options: Json) -> Way:
    return Way(
        type="http",
        path="/ask",
        options={**_HTTP, **options},
        write=write,
        prompt=_asked,
        carries=_ALL,
    )


def _openai(write: Callable[[Answer], Reply], api: str, key: str) -> Way:
    return Way(
        type="openai",
        path="/v1",
        options={**_OPENAI, "api": api},
        write=write,
        prompt=_last_message(key),
        carries=_SOME,
    )


WAYS: Mapping[str, Way] = {
    "http": _http(_object),
    "http, shaped": _http(_shaped, body=_OURS, select=SHAPED),
    "http, events": _http(_events, body=_OURS, select=STREAMED),
    "http, lines": _http(_lines, body=_OURS, select=STREAMED),
    "openai, chat": _openai(_chat, "chat", "messages"),
    "openai, responses": _openai(_responses, "responses", "input"),
}
