"""The `openai` agent: what a model is sent, and what its replies are read as."""

import asyncio
import json
from pathlib import Path

import pytest

from mergebar.agents import openai, openai_entry
from mergebar.model.conversations import (
    Answer,
    Citation,
    ErrorClass,
    Exchange,
    Failure,
    Question,
    Usage,
)
from mergebar.model.text import Json
from support import agents
from support.servers import Reply, Request, Server

LATER = agents.question(
    "And the battery?", turn=1, history=(Exchange(prompt="Hi", response="Hello"),)
)
CHAT: dict[str, Json] = {"choices": [{"message": {"content": "x"}}]}
RESPONSES: Json = {
    "output": [{"type": "message", "content": [{"type": "output_text", "text": "x"}]}]
}


def ask(
    value: Json | Reply,
    *,
    root: Path | None = None,
    question: Question | None = None,
    suffix: str = "/v1",
    **options: Json,
) -> tuple[Answer | Failure, list[Request]]:
    reply = value if isinstance(value, Reply) else Reply(body=json.dumps(value).encode())

    async def asked(url: str) -> Answer | Failure:
        given = {"base_url": f"{url}{suffix}", "api_key": "k-1", "model": "gpt-5-mini", **options}
        entry = agents.config("openai", name="model", options=given)
        agent = openai.create(entry, agents.context(root or Path()))
        try:
            return await agent.ask(question or agents.question())
        finally:
            await agent.aclose()

    with Server([reply]) as server:
        answer = asyncio.run(asked(server.url))
    return answer, server.requests


def failure(value: Json | Reply, *, root: Path | None = None, **options: Json) -> Failure:
    result, _ = ask(value, root=root, **options)  # type: ignore[arg-type]
    assert isinstance(result, Failure), result
    return result


def test_a_chat_has_its_system_prompt_its_history_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/support.md").write_text("\ufeffYou help.\n")

    answer, (request,) = ask(CHAT, root=tmp_path, question=LATER, system="prompts/support.md")

    assert answer == Answer(response="x", tool_calls=())
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer k-1"
    assert request.json == {
        "model": "gpt-5-mini",
        "messages": [
            {"role": "system", "content": "You help.\n"},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "And the battery?"},
        ],
    }


def test_responses_have_instructions(tmp_path: Path) -> None:
    (tmp_path / "support.md").write_text("You help.")

    answer, (request,) = ask(
        RESPONSES, root=tmp_path, question=LATER, system="support.md", api="responses"
    )

    assert answer == Answer(response="x", tool_calls=())
    assert request.path == "/v1/responses"
    assert request.json == {
        "model": "gpt-5-mini",
        "instructions": "You help.",
        "input": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "And the battery?"},
        ],
    }


def test_azure_has_its_own_header_and_its_version_in_the_query() -> None:
    suffix = "/openai/deployments/support?api-version=2024-10-21"

    _, (request,) = ask(CHAT, suffix=suffix)

    assert request.path == "/openai/deployments/support/chat/completions?api-version=2024-10-21"
    assert request.headers["api-key"] == "k-1"
    assert "authorization" not in request.headers


def test_a_service_without_keys_gets_none() -> None:
    _, (request,) = ask(CHAT, api_key=None)

    assert "authorization" not in request.headers


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("missing.md", "`missing.md` does not exist"),
        ("../outside.md", "`../outside.md` lies outside the repository"),
        ("/etc/hostname", "lies outside the repository"),
        ("link.md", "leads out of the repository through the symbolic link"),
        ("latin.md", "`latin.md` is not UTF-8"),
        ("large.md", "the file has 1,048,577 bytes"),
        (".", "is a directory"),
    ],
)
def test_a_system_prompt_lies_within_the_checkout_and_is_a_text(
    path: str, said: str, tmp_path: Path
) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    (tmp_path / "outside.md").write_text("secret")
    (root / "link.md").symlink_to(tmp_path / "outside.md")
    (root / "latin.md").write_bytes(b"caf\xe9")
    (root / "large.md").write_bytes(b"x" * (openai_entry.SYSTEM_LIMIT + 1))

    result, requests = ask(CHAT, root=root, system=path)

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.CONFIG
    assert result.message.startswith("`agents.model.system` names no usable file: ")
    assert said in result.message
    assert requests == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": ""}, "`agents.model.model` is not set"),
        ({"base_url": "localhost:8080"}, "`agents.model.base_url` must be a URL"),
        ({"api_key": "sk-\u201cx"}, "`agents.model.api_key` holds characters"),
    ],
)
def test_what_is_wrong_with_the_entry_is_said_without_a_call(
    options: dict[str, Json], said: str
) -> None:
    result = failure(CHAT, **options)  # type: ignore[arg-type]

    assert result.error_class is ErrorClass.CONFIG
    assert said in result.message


CALL: Json = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
SEARCH: Json = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
PAGE: Json = {"type": "url_citation", "url": "https://x.example/a", "title": "A"}
FILE: Json = {"type": "file_citation", "filename": "b.md", "file_id": "file-1"}


def chat(message: Json, **more: Json) -> Json:
    return {"choices": [{"message": message, **more}]}


@pytest.mark.parametrize(
    ("api", "value", "answer"),
    [
        (
            "chat",
            chat({"content": None, "tool_calls": [CALL]}, finish_reason="tool_calls"),
            Answer(response="", tool_calls=(CALL,)),
        ),
        (
            "chat",
            chat({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
            Answer(response="ab", tool_calls=()),
        ),
        (
            "chat",
            chat({"content": None, "refusal": "I can't help with that."}),
            Answer(response="I can't help with that.", tool_calls=()),
        ),
        (
            "chat",
            {**CHAT, "usage": {"prompt_tokens": 3, "completion_tokens": 4, "cost": 0.25}},
            Answer(
                response="x",
                tool_calls=(),
                usage=Usage(input_tokens=3, output_tokens=4, cost_usd=0.25),
            ),
        ),
        ("chat", {**CHAT, "usage": {"cost": {"total": 1}}}, Answer(response="x", tool_calls=())),
        (
            "responses",
            {
                "output": [
                    {"type": "reasoning", "summary": []},
                    SEARCH,
                    {
                        "type": "message",
                        "content": [
                            {"type": "output_text", "text": "a", "annotations": [PAGE, FILE]},
                            {"type": "output_text", "text": "b", "annotations": [PAGE]},
                        ],
                    },
                ]
            },
            Answer(
                response="ab",
                citations=(
                    Citation(index=1, text="A", source="https://x.example/a"),
                    Citation(index=2, source="b.md"),
                ),
                tool_calls=(SEARCH,),
            ),
        ),
        ("responses", {"output": []}, Answer(response="", tool_calls=())),
        (
            "responses",
            {"status": "completed", "output": [{"type": "message", "content": "as a text"}]},
            Answer(response="as a text", tool_calls=()),
        ),
        (
            "responses",
            {"status": "incomplete", "output": [{"type": "message", "content": "as far as"}]},
            Answer(response="as far as", tool_calls=()),
        ),
        (
            "responses",
            {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]},
            Answer(response="No.", tool_calls=()),
        ),
    ],
)
def test_what_a_model_says_is_the_answer(api: str, value: Json, answer: Answer) -> None:
    assert ask(value, api=api)[0] == answer


@pytest.mark.parametrize(
    ("api", "value", "error_class", "said"),
    [
        ("chat", {}, ErrorClass.BAD_RESPONSE, "sent no choice"),
        (
            "chat",
            {"choices": []},
            ErrorClass.BAD_RESPONSE,
            "sent no choice: its keys are `choices`",
        ),
        ("chat", {"choices": [4]}, ErrorClass.BAD_RESPONSE, "sent no choice"),
        ("chat", [], ErrorClass.BAD_RESPONSE, "is a list, not an object"),
        ("responses", CHAT, ErrorClass.BAD_RESPONSE, "sent no `output`"),
        *(
            (
                "responses",
                {"status": status, "output": [{"type": "message", "content": "Half an"}]},
                ErrorClass.BAD_RESPONSE,
                f"whose `status` is `{status}`: there is no answer",
            )
            for status in ("failed", "cancelled", "queued", "in_progress")
        ),
        (
            "chat",
            chat({"content": "Half an"}, error={"message": "overloaded"}),
            ErrorClass.BAD_RESPONSE,
            "an error under HTTP 200: overloaded",
        ),
        (
            "chat",
            chat({"content": "Half an"}, finish_reason="error"),
            ErrorClass.BAD_RESPONSE,
            "an error under HTTP 200: no message",
        ),
        ("chat", chat({"content": 5}), ErrorClass.BAD_RESPONSE, "is a number, not text"),
        ("chat", chat({"content": {"text": "x"}}), ErrorClass.BAD_RESPONSE, "is an object, not"),
        (
            "chat",
            chat(
                {"content": ""},
                finish_reason="content_filter",
                content_filter_results={"violence": {"filtered": True}},
            ),
            ErrorClass.REFUSED,
            "its content filter stopped it (violence)",
        ),
        (
            "responses",
            {"output": [], "incomplete_details": {"reason": "content_filter"}},
            ErrorClass.REFUSED,
            "its content filter stopped it",
        ),
        (
            "chat",
            Reply(status=400, body=b'{"error": {"code": "content_filter", "message": "no"}}'),
            ErrorClass.REFUSED,
            "the content filter of agent `model` refused the text",
        ),
        (
            "chat",
            Reply(
                status=400,
                body=b'{"error": {"code": "context_length_exceeded", "message": "long"}}',
            ),
            ErrorClass.CONFIG,
            "(HTTP 400: long)",
        ),
        (
            "chat",
            Reply(status=404, body=b'{"error": {"code": "model_not_found", "message": "no"}}'),
            ErrorClass.CONFIG,
            "has no model `gpt-5-mini`: check `agents.model.model` and `agents.model.base_url`",
        ),
    ],
)
def test_what_is_no_answer_has_its_class(
    api: str, value: Json | Reply, error_class: ErrorClass, said: str
) -> None:
    result = failure(value, api=api)

    assert result.error_class is error_class
    assert said in result.message
    assert "agent `model`" in result.message


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(status=401), "check `agents.model.api_key`"),
        (Reply(status=403), "check `agents.model.api_key`"),
        (Reply(status=404), "has no model `gpt-5-mini`"),
        (Reply(status=302, headers={"location": "/elsewhere"}), "redirects to `/elsewhere`"),
        (
            Reply(status=429, body=b'{"error": {"code": "insufficient_quota"}}'),
            "has no credit left",
        ),
    ],
)
def test_what_no_call_can_mend_stops_every_later_one(reply: Reply, said: str) -> None:
    async def asked(url: str) -> list[Answer | Failure]:
        given: dict[str, Json] = {"base_url": url, "api_key": "k-1", "model": "gpt-5-mini"}
        entry = agents.config("openai", name="model", concurrency=1, options=given)
        agent = openai.create(entry, agents.context(Path()))
        try:
            return await asyncio.gather(*(agent.ask(agents.question()) for _ in range(5)))
        finally:
            await agent.aclose()

    with Server([reply]) as server:
        results = asyncio.run(asked(server.url))

    assert len(server.requests) == 1
    assert len(set(map(str, results))) == 1
    assert isinstance(results[0], Failure)
    assert said in results[0].message
