"""The `http` agent: what it sends, and what it makes of what comes back."""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.agents import http
from mergebar.agents.http_templates import Template
from mergebar.model.contexts import AgentContext
from mergebar.model.conversations import (
    Answer,
    Citation,
    ErrorClass,
    Exchange,
    Failure,
    Noting,
    Question,
    Usage,
)
from mergebar.model.text import Json
from support import agents
from support.clocks import Clock
from support.servers import Reply, Request, Server

HISTORY = (Exchange(prompt="Hi", response="Hello"),)
LATER = agents.question(
    "And the\nbattery?", turn=1, history=HISTORY, conversation_id="c/1 ?", case="reset"
)


def ask(
    reply: Reply | Sequence[Reply],
    *,
    path: str = "/ask",
    question: Question | None = None,
    questions: int = 1,
    **options: Json,
) -> tuple[Answer | Failure, Request | None]:
    """The answer to the last question, and the last request."""
    replies = [reply] if isinstance(reply, Reply) else reply

    async def asked(url: str) -> Answer | Failure:
        entry = agents.config("http", name="web", options={"url": url, **options})
        agent = http.create(entry, agents.context(Path()))
        try:
            for _ in range(questions - 1):
                await agent.ask(question or agents.question())
            return await agent.ask(question or agents.question())
        finally:
            await agent.aclose()

    with Server(replies) as server:
        answer = asyncio.run(asked(f"{server.url}{path}"))
    return answer, server.requests[-1] if server.requests else None


def sent(question: Question | None = None, **options: Json) -> Request:
    answer, request = ask(says({"response": "x"}), question=question, **options)  # type: ignore[arg-type]
    assert answer == Answer(response="x")
    assert request is not None
    return request


def answered(value: Json, **options: Json) -> Answer | Failure:
    return ask(says(value), **options)[0]  # type: ignore[arg-type]


def says(value: Json) -> Reply:
    return Reply(body=json.dumps(value).encode())


def events(*data: str, open_end: bool = False) -> Reply:
    pieces = tuple(f"data: {one}\n\n".encode() for one in data)
    return Reply(pieces=pieces, content_type="text/event-stream", open_end=open_end)


# --- what is sent


def test_without_a_body_the_turn_is_sent_as_a_command_agent_gets_it() -> None:
    request = sent(LATER)

    assert request.method == "POST"
    assert request.headers["content-type"] == "application/json"
    assert request.json == {
        "prompt": "And the\nbattery?",
        "conversation_id": "c/1 ?",
        "turn": 1,
        "history": [{"prompt": "Hi", "response": "Hello"}],
        "case": "reset",
    }


def test_placeholders_become_values_of_their_kind_and_stand_within_texts_as_well() -> None:
    body: Json = {
        "question": "{prompt}",
        "thread": "{conversation_id}",
        "turn": "{turn}",
        "run": "{run}",
        "history": "{history}",
        "messages": "{messages}",
        "nested": [{"text": "Case {case}, turn {turn}: {prompt}"}, 4, None, True],
        "{prompt}": "keys stay",
        "unknown": "{persona} and {}",
    }

    assert sent(LATER, body=body).json == {
        "question": "And the\nbattery?",
        "thread": "c/1 ?",
        "turn": 1,
        "run": 0,
        "history": [{"prompt": "Hi", "response": "Hello"}],
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "And the\nbattery?"},
        ],
        "nested": [{"text": "Case reset, turn 1: And the\nbattery?"}, 4, None, True],
        "{prompt}": "keys stay",
        "unknown": "{persona} and {}",
    }


def test_a_conversation_that_has_no_id_yet_has_none() -> None:
    body: Json = {"q": "{prompt}", "thread": "{conversation_id}", "text": "id={conversation_id}"}

    assert sent(body=body).json == {"q": "How do I reset it?", "thread": None, "text": "id="}


def test_in_a_url_a_value_is_one_segment_and_in_a_header_it_is_printable() -> None:
    request = sent(
        LATER,
        path="/threads/{conversation_id}?q={prompt}",
        method="GET",
        headers={"X-Thread": "{conversation_id}", "X-Prompt": "{prompt}"},
    )

    assert request.method == "GET"
    assert request.path == "/threads/c%2F1%20%3F?q=And%20the%0Abattery%3F"
    assert request.headers["x-thread"] == "c/1 ?"
    assert request.headers["x-prompt"] == "And the%0Abattery?"
    assert request.body == b""
    assert "content-type" not in request.headers


def test_headers_of_the_entry_go_before_ours_and_empty_ones_are_unset() -> None:
    headers: Json = {"Content-Type": "application/vnd.ours+json", "accept": "*/*", "X-Unset": None}

    request = sent(headers=headers)

    assert request.headers["content-type"] == "application/vnd.ours+json"
    assert request.headers["accept"] == "*/*"
    assert "x-unset" not in request.headers


@given(
    prompt=st.text(),
    conversation=st.none() | st.text(),
    template=st.recursive(
        st.text() | st.sampled_from(["{prompt}", "a {prompt} b", "{conversation_id}", '"{case}"']),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    ),
)
def test_no_value_becomes_syntax(prompt: str, conversation: str | None, template: Json) -> None:
    made = Template(
        url="https://example.com/{conversation_id}/x",
        method="POST",
        headers={"x": "{prompt}"},
        body={"whole": "{prompt}", "rest": template},
        has_body=True,
    )

    request = made.fill(agents.question(prompt, conversation_id=conversation))

    assert request.content is not None
    read = json.loads(request.content)
    assert set(read) == {"whole", "rest"}
    assert read["whole"] == prompt
    # Without a conversation its id is null: the one value that isn't of its template's kind.
    absent = conversation is None and template == "{conversation_id}"
    assert type(read["rest"]) is type(None if absent else template)
    assert request.url.isascii()
    assert request.url.count("/") == 4
    assert "?" not in request.url
    assert request.headers["x"].isascii()
    assert request.headers["x"].isprintable() or request.headers["x"] == ""


def test_cookies_are_neither_kept_nor_shared_between_cases() -> None:
    reply = Reply(body=b'{"response": "x"}', headers={"set-cookie": "thread=1; Path=/"})

    _, request = ask(reply, questions=2)

    assert request is not None
    assert "cookie" not in request.headers


# --- what comes back


@pytest.mark.parametrize(
    ("value", "select", "answer"),
    [
        ({"answer": {"text": "x"}}, {"response": "answer.text"}, Answer(response="x")),
        ([{"text": "x"}], {"response": "[0].text"}, Answer(response="x")),
        ("x", {"response": "@"}, Answer(response="x")),
        ({"parts": ["a", "b"]}, {"response": "join('', parts)"}, Answer(response="ab")),
        (
            {"response": "x", "sources": ["a.md", "b.md"], "id": 7},
            {"citations": "sources", "conversation_id": "id"},
            Answer(
                response="x",
                conversation_id="7",
                citations=(
                    Citation(index=1, source="a.md"),
                    Citation(index=2, source="b.md"),
                ),
            ),
        ),
        (
            {"response": "x", "sources": [{"text": "A", "source": "a.md", "score": 0.5}]},
            {"citations": "sources"},
            Answer(response="x", citations=(Citation(index=1, text="A", source="a.md"),)),
        ),
        (
            {"response": "x", "usage": {"input_tokens": 3, "total": 9}},
            {"usage": "usage"},
            Answer(response="x", usage=Usage(input_tokens=3)),
        ),
        ({"response": "x", "debug": None}, {"diagnostics": "debug"}, Answer(response="x")),
        (
            {"response": "x", "debug": {}},
            {"diagnostics": "debug"},
            Answer(response="x", diagnostics={}),
        ),
        (
            {"response": "x", "citations": [], "more": 1},
            {},
            Answer(response="x"),
        ),
    ],
)
def test_the_answer_is_where_the_entry_says(
    value: Json, select: Mapping[str, Json], answer: Answer
) -> None:
    assert answered(value, select=dict(select)) == answer


@pytest.mark.parametrize(
    ("value", "select", "said"),
    [
        ({}, {}, "sent a reply without `response`: it is an empty object; say with"),
        ({"text": "x"}, {}, "without `response`: its keys are `text`; say with `select.response`"),
        ([1], {}, "sent a list, and an object with a `response` is wanted"),
        ({"error": "down"}, {}, "sent an error under HTTP 200: down"),
        (
            {"error": {"message": "overloaded"}},
            {"response": "answer"},
            "`select.response` (`answer`) finds nothing, which holds an error: overloaded",
        ),
        ({"text": "x"}, {"response": "answer"}, "finds nothing: its keys are `text`"),
        ({"answer": 4}, {"response": "answer"}, "finds a number, and a text is wanted"),
        ({"answer": ["x"]}, {"response": "answer"}, "finds a list, and a text is wanted"),
        ({"answer": 4}, {"response": "join('', answer)"}, "can't be applied: "),
        (
            {"response": "x", "s": [4]},
            {"citations": "s"},
            "`citations[0]` must be an object",
        ),
        ({"response": "x", "s": "a.md"}, {"citations": "s"}, "`citations` must be a list"),
        ({"response": "x", "d": []}, {"diagnostics": "d"}, "`diagnostics` must be an object"),
    ],
)
def test_a_reply_without_its_answer_says_what_it_has_instead(
    value: Json, select: Mapping[str, Json], said: str
) -> None:
    result = answered(value, select=dict(select))

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.BAD_RESPONSE
    assert said in result.message
    assert "agent `web`" in result.message


@pytest.mark.parametrize("stream", [False, True])
def test_a_response_beside_an_error_is_none(*, stream: bool) -> None:
    value: Json = {"response": "Half an", "error": {"message": "overloaded"}}

    result, _ = ask(events(json.dumps(value)) if stream else says(value))

    assert result == Failure(
        error_class=ErrorClass.BAD_RESPONSE,
        message=(
            "agent `web` sent both a `response` and an error, so that neither counts: overloaded"
        ),
    )


@pytest.mark.parametrize("error", [None, "", False, {}])
def test_an_error_that_says_nothing_is_none(error: Json) -> None:
    assert answered({"response": "x", "error": error}) == Answer(response="x")


def test_an_error_beside_a_response_of_null_keeps_its_class() -> None:
    result = answered({"response": None, "error": {"class": "throttled", "message": "busy"}})

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.THROTTLED


def test_an_error_as_the_command_protocol_has_it_keeps_its_class() -> None:
    result = answered({"error": {"class": "refused", "message": "not on topic"}})

    assert result == Failure(
        error_class=ErrorClass.REFUSED, message="agent `web` reports: not on topic"
    )


@pytest.mark.parametrize(
    ("select", "reply", "response"),
    [
        ({"response": "delta"}, events('{"delta": "a"}', '{"x": 1}', '{"delta": "b"}'), "ab"),
        ({"response": "[-1].text"}, events('{"text": "a"}', '{"text": "ab"}'), "ab"),
        (
            {"response": "join('', [?type=='t'].text)"},
            events('{"type": "t", "text": "a"}', '{"type": "x", "text": "no"}'),
            "a",
        ),
        ({"response": "join('', @)"}, events("Hel", "lo"), "Hello"),
        ({}, events('{"step": 1}', '{"response": "x"}'), "x"),
        (
            {"response": "choices[0].delta.content"},
            events(
                '{"choices": [{"delta": {}}]}',
                '{"choices": [{"delta": {"content": "a"}}]}',
                "[DONE]",
            ),
            "a",
        ),
    ],
)
def test_a_stream_is_one_answer(select: Json, reply: Reply, response: str) -> None:
    answer, _ = ask(reply, select=select)

    assert answer == Answer(response=response)


def test_a_stream_that_has_said_its_end_need_not_be_closed() -> None:
    started = time.monotonic()

    answer, _ = ask(events('{"response": "x"}', "[DONE]", open_end=True))

    assert answer == Answer(response="x")
    assert time.monotonic() - started < 5


_LINES = "application/x-ndjson"


@pytest.mark.parametrize("response", ["delta", "join('', [?delta].delta)", "join('', [].delta)"])
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (events('{"delta": "a"}', '{"error": {"message": "overloaded"}}'), "overloaded"),
        (events('{"delta": "a"}', '{"error": "overloaded"}', "[DONE]"), "overloaded"),
        (events('{"delta": "a"}', '{"delta": "", "error": {"code": 502}}'), "no message"),
        (events('{"delta": "a"}', '{"delta": null, "error": true}'), "no message"),
        (
            Reply(body=b'{"delta": "a"}\n{"error": "overloaded"}\n', content_type=_LINES),
            "overloaded",
        ),
    ],
)
def test_a_stream_that_ends_with_an_error_is_no_answer(
    response: str, reply: Reply, said: str
) -> None:
    answer, _ = ask(reply, select={"response": response})

    assert isinstance(answer, Failure)
    assert answer.error_class is ErrorClass.BAD_RESPONSE
    assert answer.message == f"agent `web` sent a stream that ends with an error: {said}"


@pytest.mark.parametrize(
    "reply",
    [
        events('{"delta": "a"}', '{"error": "a tool failed"}', '{"delta": "b"}'),
        events('{"delta": "a", "error": null}', '{"delta": "b", "error": ""}'),
        events('{"delta": "a"}', '{"delta": "b", "error": "a tool failed"}'),
    ],
)
def test_a_stream_that_goes_on_after_an_error_is_an_answer(reply: Reply) -> None:
    answer, _ = ask(reply, select={"response": "delta"})

    assert answer == Answer(response="ab")


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (events(), "sent an empty reply"),
        (Reply(body=b": hi\n\n", content_type="text/event-stream"), "a stream without events"),
        (events('{"delta": 1}'), "finds nothing: it is a stream of events, 1 long"),
        (
            Reply(body=b"event: error\ndata: down\n\n", content_type="text/event-stream"),
            "there is an event `error`: down",
        ),
        (Reply(body=b"{}\nx", content_type="application/x-ndjson"), "line 2 is not JSON"),
        (Reply(body=b'{"a": NaN}'), "holds `NaN`"),
        (Reply(status=204), "sent an empty reply"),
    ],
)
def test_a_broken_stream_is_named(reply: Reply, said: str) -> None:
    answer, _ = ask(reply, select={"response": "text"})

    assert isinstance(answer, Failure)
    assert answer.error_class is ErrorClass.BAD_RESPONSE
    assert said in answer.message


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("iso-8859-1", "latin-1"),
        ("Windows-1252", "cp1252"),
        ('"utf-16"', "utf-16"),
        ("iso-8859-1", "utf-8"),
        ("no-such-charset", "utf-8"),
    ],
)
def test_a_reply_that_is_not_utf_8_is_read_as_it_says(declared: str, encoding: str) -> None:
    body = json.dumps({"response": "caf\u00e9"}, ensure_ascii=False).encode(encoding)

    reply = Reply(body=body, content_type=f"application/json; charset={declared}")

    assert ask(reply)[0] == Answer(response="caf\u00e9")


def test_a_list_of_a_stream_where_a_text_is_wanted_says_how_to_make_one() -> None:
    answer, _ = ask(events("Hel", "lo"), select={"response": "@"})

    assert isinstance(answer, Failure)
    assert "`join('', @)` makes a text of them" in answer.message


# --- what is wrong with the entry


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": ""}, "`agents.web.url` must be a URL"),
        ({"url": "agent.example.com/ask"}, "`agents.web.url` must be a URL"),
        ({"url": "http://a..b/"}, "`agents.web.url` must be a URL"),
        ({"url": "http://{conversation_id}/ask"}, "a placeholder before the path"),
        ({"body": {"q": "hello"}}, "`agents.web.body` never mentions `{prompt}`"),
        ({"method": "GET"}, "`agents.web.url` never mentions `{prompt}`"),
        ({"body": {"q": "{{prompt}}"}}, "`{{prompt}}`, one pair of braces too many"),
        ({"headers": {"a b": "x"}}, "`agents.web.headers.a b` is no name of a header"),
        ({"headers": {"x": "a\nb"}}, "`agents.web.headers.x` holds characters that no header has"),
        ({"select": {"response": "a..b"}}, "`agents.web.select.response` (`a..b`) is no JMESPath"),
    ],
)
def test_what_is_wrong_with_the_entry_is_said_without_a_call(
    options: dict[str, Json], said: str
) -> None:
    entry = agents.config("http", name="web", options={"url": "http://127.0.0.1:1/", **options})

    async def asked() -> Answer | Failure:
        agent = http.create(entry, agents.context(Path()))
        try:
            return await agent.ask(agents.question())
        finally:
            await agent.aclose()

    result = asyncio.run(asked())

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.CONFIG
    assert said in result.message


@pytest.mark.parametrize("host", ["xn--", "xn--99999", "xn--zz-.example"])
def test_a_host_that_spells_no_name_is_no_crash(host: str) -> None:
    async def asked() -> Answer | Failure:
        entry = agents.config("http", name="web", options={"url": f"http://{host}/ask"})
        agent = http.create(entry, agents.context(Path()))
        try:
            return await agent.ask(agents.question())
        finally:
            await agent.aclose()

    result = asyncio.run(asked())

    assert isinstance(result, Failure)
    assert result.error_class in {ErrorClass.CONFIG, ErrorClass.UNAVAILABLE}
    assert "`agents.web.url`" in result.message


def test_a_prompt_that_is_too_long_for_a_url_is_no_crash() -> None:
    question = agents.question("x" * 100_000)

    result, _ = ask(
        says({"response": "x"}), path="/ask?q={prompt}", method="GET", question=question
    )

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.CONFIG
    assert "`agents.web.url` becomes no URL" in result.message


# --- many calls


def test_a_refused_key_stops_every_later_call_and_is_said_once() -> None:
    async def asked(url: str) -> list[Answer | Failure]:
        entry = agents.config("http", name="web", concurrency=1, options={"url": url})
        agent = http.create(entry, agents.context(Path()))
        try:
            return await asyncio.gather(*(agent.ask(agents.question()) for _ in range(20)))
        finally:
            await agent.aclose()

    with Server([Reply(status=401)]) as server:
        results = asyncio.run(asked(server.url))

    assert len(server.requests) == 1
    assert len(set(map(str, results))) == 1
    assert isinstance(results[0], Failure)
    assert "`agents.web.headers`" in results[0].message


def test_an_agent_that_is_down_is_left_alone_and_noted() -> None:
    with Server([Reply()]) as server:
        gone = server.url
    entry = agents.config("http", name="web", attempts=2, options={"url": gone})

    async def asked() -> tuple[list[Answer | Failure], tuple[str, ...]]:
        agent = http.create(entry, AgentContext(root=Path(), environ={}, timing=Clock().timing))
        results = [await agent.ask(agents.question()) for _ in range(50)]
        await agent.aclose()
        assert isinstance(agent, Noting)
        return results, agent.notes

    results, notes = asyncio.run(asked())

    said = [one.message for one in results if isinstance(one, Failure)]
    assert len(said) == 50
    assert len(set(said)) == 2
    assert said[-1].startswith("not asked: agent `web` is down, 3 calls in a row")
    assert len(notes) == 1
