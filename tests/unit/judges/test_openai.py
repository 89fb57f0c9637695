"""The `openai` judge against a real loopback endpoint that answers well, badly and not at all."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from mergebar.judges import openai
from mergebar.model.configuration import JudgeConfig
from mergebar.model.contexts import JudgeContext
from mergebar.model.conversations import ErrorClass, Failure, Usage
from mergebar.model.judgements import Assessment, JudgeIdentity, Verdict
from mergebar.model.text import Json
from support import judge_server
from support.clocks import Clock
from support.judge_server import JudgeServer
from support.servers import Reply, Request


def assess(
    server: JudgeServer,
    assessments: Sequence[Assessment] | None = None,
    *,
    clock: Clock | None = None,
    model: str = "gpt-4o-mini",
    attempts: int = 3,
    concurrency: int = 8,
    timeout_s: float = 20.0,
) -> list[Verdict | Failure]:
    """Ask for all of the votes at the same time, of one judge."""
    entry = judge_server.config(
        server.base_url,
        model=model,
        attempts=attempts,
        concurrency=concurrency,
        timeout_s=timeout_s,
    )
    return ask(entry, assessments, clock=clock)


def ask(
    entry: JudgeConfig,
    assessments: Sequence[Assessment] | None = None,
    *,
    clock: Clock | None = None,
) -> list[Verdict | Failure]:
    context = JudgeContext(root=Path(), environ={}, timing=(clock or Clock()).timing)

    async def all_at_once() -> list[Verdict | Failure]:
        judge = openai.create(entry, context)
        try:
            asked = assessments or [judge_server.assessment()]
            return await asyncio.gather(*(judge.assess(one) for one in asked))
        finally:
            await judge.aclose()

    return asyncio.run(all_at_once())


def failure(server: JudgeServer, **kwargs: object) -> Failure:
    (result,) = assess(server, **kwargs)  # type: ignore[arg-type]
    assert isinstance(result, Failure), result
    return result


def score(server: JudgeServer, **kwargs: object) -> float:
    (result,) = assess(server, **kwargs)  # type: ignore[arg-type]
    assert isinstance(result, Verdict), result
    return result.score


def test_one_vote_is_one_request_with_the_rules_the_material_and_the_key() -> None:
    with JudgeServer() as server:
        (result,) = assess(server)

    assert result == Verdict(
        score=4.0,
        reason="It answers the question.",
        usage=Usage(input_tokens=120, output_tokens=30),
    )
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer test-key"
    body = request.json
    messages = body.pop("messages")
    assert body == {
        "model": "gpt-4o-mini",
        "temperature": 0,
        "max_tokens": 800,
        "response_format": {"type": "json_object"},
    }
    assert isinstance(messages, list)
    assert [one["role"] for one in messages if isinstance(one, dict)] == ["system", "user"]


@pytest.mark.parametrize(
    "reply",
    [
        judge_server.verdict(4, fenced=True),
        judge_server.verdict("4"),
        judge_server.verdict(4.0),
        judge_server.says('\ufeff{"score": 4, "reason": "fine"}'),
        judge_server.says('I would say {"score": 4, "reason": "fine"}, on balance.'),
        judge_server.says([{"type": "text", "text": '{"score": 4, "reason": "fine"}'}]),
        judge_server.says('{"score": 4, "reason": "fine"}', finish_reason="length"),
    ],
)
def test_a_four_is_a_four_however_it_is_wrapped(reply: Reply) -> None:
    with JudgeServer([reply]) as server:
        assert score(server) == 4.0
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (judge_server.says("It is a good answer."), "no JSON object with a `score`"),
        (judge_server.says(""), "it is empty"),
        (judge_server.says(None), "it is empty"),
        (judge_server.verdict(7), "its `score` is 7, outside 1 to 5"),
        (judge_server.verdict(0), "its `score` is 0, outside 1 to 5"),
        (judge_server.verdict("four"), 'its `score` is "four", not a number'),
        (judge_server.verdict(None), "its `score` is null, not a number"),
        (judge_server.verdict(score=True), "its `score` is true, not a number"),
        (judge_server.verdict(float("nan")), "its `score` is not a finite number"),
        (judge_server.says('{"reason": "no score"}'), "no JSON object with a `score`"),
    ],
)
def test_what_is_no_verdict_is_asked_for_once_more(reply: Reply, said: str) -> None:
    with JudgeServer([reply, judge_server.verdict(2)]) as server:
        (mended,) = assess(server)
    with JudgeServer([reply]) as stubborn:
        given_up = failure(stubborn)

    assert isinstance(mended, Verdict)
    assert mended.score == 2.0
    assert mended.usage == Usage(input_tokens=240, output_tokens=60)
    assert len(server.requests) == 2
    assert "Return only JSON" not in json.dumps(server.bodies[0]["messages"])
    assert "Return only JSON" in json.dumps(server.bodies[1]["messages"])
    assert given_up.error_class is ErrorClass.BAD_RESPONSE
    assert said in given_up.message
    assert len(stubborn.requests) == 2


@pytest.mark.parametrize(
    "text", ['{"reason": "It', '<think>Maybe {"score": 5, "reason": "fine"}, but then', ""]
)
def test_a_reply_that_was_cut_off_gets_twice_the_budget(text: str) -> None:
    cut = judge_server.says(text, finish_reason="length")

    with JudgeServer([cut, judge_server.verdict(3)]) as server:
        assert score(server) == 3.0
    with JudgeServer([cut]) as stubborn:
        given_up = failure(stubborn)

    assert [body["max_tokens"] for body in server.bodies] == [800, 1600]
    assert "its token budget ran out" in given_up.message


def test_a_judge_that_skips_is_no_pass_and_is_not_pressed() -> None:
    skipped = judge_server.says('{"status": "skipped", "score": null, "reason": "nothing there"}')

    with JudgeServer([skipped]) as server:
        result = failure(server)

    assert result.error_class is ErrorClass.EVALUATOR
    assert "nothing there" in result.message
    assert len(server.requests) == 1


AZURE_FILTER: Json = {
    "code": "ResponsibleAIPolicyViolation",
    "content_filter_result": {
        "hate": {"filtered": False, "severity": "safe"},
        "violence": {"filtered": True, "severity": "high"},
    },
}


@pytest.mark.parametrize(
    "reply",
    [
        judge_server.refuses(400, "filtered", code="content_filter", innererror=AZURE_FILTER),
        judge_server.says(
            "",
            finish_reason="content_filter",
            content_filter_results={"violence": {"filtered": True}, "hate": {"filtered": False}},
        ),
    ],
)
def test_a_content_filter_is_a_refusal_and_names_its_category(reply: Reply) -> None:
    with JudgeServer([reply]) as server:
        result = failure(server)

    assert result.error_class is ErrorClass.REFUSED
    assert "(violence)" in result.message
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_stops_every_later_call_and_is_said_once(status: int) -> None:
    with JudgeServer([judge_server.refuses(status, "Incorrect API key")]) as server:
        results = assess(server, [judge_server.assessment()] * 20, concurrency=1)

    assert len(server.requests) == 1
    assert len(set(results)) == 1
    assert isinstance(results[0], Failure)
    assert results[0].error_class is ErrorClass.AUTH
    assert "`judge.api_key`" in results[0].message


def test_an_unknown_model_is_the_configuration_s_fault_and_stops_every_later_call() -> None:
    reply = judge_server.refuses(404, "The model does not exist", code="model_not_found")

    with JudgeServer([reply]) as server:
        results = assess(server, [judge_server.assessment()] * 5, concurrency=1)

    assert len(server.requests) == 1
    assert isinstance(results[-1], Failure)
    assert results[-1].error_class is ErrorClass.CONFIG
    assert "no model `gpt-4o-mini`" in results[-1].message


def test_an_account_without_credit_is_not_asked_again() -> None:
    reply = judge_server.refuses(429, "You exceeded your quota", code="insufficient_quota")

    with JudgeServer([reply]) as server:
        result = failure(server)

    assert len(server.requests) == 1
    assert result.error_class is ErrorClass.THROTTLED
    assert "no credit left" in result.message


@pytest.mark.parametrize(
    ("replies", "waits"),
    [
        ([judge_server.throttled(retry_after="7")], [7.0]),
        ([judge_server.throttled(retry_after="0")], [0.0]),
        ([judge_server.throttled()], [0.0]),
        ([judge_server.refuses(500), judge_server.refuses(503)], [0.0, 0.0]),
        ([judge_server.dropped()], [0.0]),
        ([judge_server.truncated()], [0.0]),
        ([judge_server.refuses(429, headers={"retry-after-ms": "250"})], [0.25]),
        ([judge_server.throttled(retry_after="3600")], [60.0]),
    ],
)
def test_what_passes_is_tried_again_after_the_wait_that_was_asked_for(
    replies: list[Reply], waits: list[float]
) -> None:
    clock = Clock(chance=0.0)

    with JudgeServer([*replies, judge_server.verdict(4)]) as server:
        assert score(server, clock=clock) == 4.0

    assert len(server.requests) == len(replies) + 1
    assert [wait for wait in clock.slept if wait] == [wait for wait in waits if wait]


@pytest.mark.parametrize(
    ("reply", "error_class", "said"),
    [
        (judge_server.throttled(), ErrorClass.THROTTLED, "lower `judge.concurrency`"),
        (judge_server.refuses(500, "boom"), ErrorClass.UNAVAILABLE, "boom"),
        (judge_server.refuses(504), ErrorClass.TIMEOUT, "too slow"),
        (judge_server.html(502), ErrorClass.UNAVAILABLE, "not available"),
        (judge_server.dropped(), ErrorClass.UNAVAILABLE, "broke off"),
        (judge_server.truncated(), ErrorClass.UNAVAILABLE, "broke off"),
    ],
)
def test_what_does_not_pass_is_given_up_after_the_last_attempt(
    reply: Reply, error_class: ErrorClass, said: str
) -> None:
    with JudgeServer([reply]) as server:
        result = failure(server, attempts=3)

    assert len(server.requests) == 3
    assert result.error_class is error_class
    assert said in result.message
    assert "(tried 3 times)" in result.message


def test_the_time_that_retries_take_is_bounded() -> None:
    clock = Clock(chance=0.0)

    with JudgeServer([judge_server.throttled(retry_after="50")]) as server:
        result = failure(server, attempts=50, clock=clock)

    assert result.error_class is ErrorClass.THROTTLED
    assert sum(clock.slept) <= 120
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (judge_server.html(), "a page instead of JSON, beginning with `<!doctype html>"),
        (Reply(body=b'{"choices": ['), "text that is no JSON"),
        (Reply(body=b"[" * 100_000), "text that is no JSON"),
        (Reply(body=b""), "text that is no JSON"),
        (Reply(body=b"[]"), "JSON that is no object"),
        (Reply(body=b"{}"), "no choice"),
        (Reply(body=b'{"choices": [null]}'), "no choice"),
        (
            Reply(body=b'{"error": {"message": "overloaded"}}'),
            "an error under HTTP 200: overloaded",
        ),
        (
            judge_server.says('{"score": 5}', error={"message": "overloaded"}),
            "an error under HTTP 200: overloaded",
        ),
        (judge_server.says('{"score": 5}', finish_reason="error"), "an error under HTTP 200"),
    ],
)
def test_a_success_that_is_no_completion_is_a_bad_response(reply: Reply, said: str) -> None:
    with JudgeServer([reply]) as server:
        result = failure(server)

    assert result.error_class is ErrorClass.BAD_RESPONSE
    assert said in result.message
    assert "`judge.base_url`" in result.message


def test_json_under_another_content_type_is_read_all_the_same() -> None:
    reply = Reply(body=judge_server.verdict(4).body, content_type="text/plain")

    with JudgeServer([reply]) as server:
        assert score(server) == 4.0


def test_a_judge_that_is_too_slow_is_a_timeout() -> None:
    with JudgeServer(latency_s=5.0) as server:
        result = failure(server, timeout_s=0.2, attempts=2)

    assert result.error_class is ErrorClass.TIMEOUT
    assert "within 0.2 s (`judge.timeout`)" in result.message


def test_a_refused_connection_to_localhost_hints_at_containers() -> None:
    with JudgeServer() as server:
        gone = server.base_url

    (result,) = ask(judge_server.config(gone, attempts=2))

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.UNAVAILABLE
    assert "nothing listens at `judge.base_url`" in result.message
    assert "inside a container" in result.message


def test_https_where_http_is_spoken_is_named_and_not_repeated() -> None:
    with JudgeServer() as server:
        (result,) = ask(judge_server.config(server.base_url.replace("http:", "https:")))

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.UNAVAILABLE
    assert "no TLS connection" in result.message
    assert "tried" not in result.message


def test_a_request_that_is_refused_as_such_is_not_repeated() -> None:
    with JudgeServer([judge_server.refuses(400, "messages are too odd")]) as server:
        result = failure(server)

    assert len(server.requests) == 1
    assert result.error_class is ErrorClass.CONFIG
    assert "messages are too odd" in result.message


@pytest.mark.parametrize(
    "reply",
    [
        judge_server.refuses(400, "too many tokens", code="context_length_exceeded"),
        judge_server.refuses(
            400,
            "'max_tokens' or 'max_completion_tokens' is too large: 800. This model's maximum "
            "context length is 4096 tokens and your request has 3500 input tokens.",
            param="max_tokens",
            code=400,
        ),
        judge_server.refuses(
            400, "the request exceeds the available context size", type="exceed_context_size_error"
        ),
        judge_server.refuses(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        judge_server.refuses(413, "no"),
    ],
)
def test_material_that_is_too_long_is_this_check_s_trouble_alone(reply: Reply) -> None:
    with JudgeServer([reply, judge_server.verdict(4)]) as server:
        results = assess(server, [judge_server.assessment()] * 2, concurrency=1)

    assert len(server.requests) == 2
    assert set(server.bodies[0]) == set(server.bodies[1])

    assert isinstance(results[0], Failure)
    assert results[0].error_class is ErrorClass.EVALUATOR
    assert isinstance(results[1], Verdict)


@pytest.mark.parametrize(
    ("parameters", "sent"),
    [
        (("max_tokens",), {"max_completion_tokens", "temperature", "response_format"}),
        (("temperature",), {"max_tokens", "response_format"}),
        (("response_format",), {"max_tokens", "temperature"}),
        (("max_tokens", "temperature", "response_format"), {"max_completion_tokens"}),
    ],
)
def test_parameters_that_the_model_refuses_are_changed_once_for_all_calls(
    parameters: tuple[str, ...], sent: set[str]
) -> None:
    with JudgeServer(judge_server.picky(*parameters)) as server:
        results = assess(server, [judge_server.assessment()] * 5, concurrency=1)

    assert [isinstance(result, Verdict) for result in results] == [True] * 5
    assert len(server.requests) == 5 + len(parameters)
    assert set(server.bodies[-1]) - {"model", "messages"} == sent


def test_calls_at_the_same_time_settle_on_the_same_parameters() -> None:
    def script(request: Request) -> Reply:
        if "max_tokens" in request.json:
            return judge_server.unsupported("max_tokens")
        return judge_server.verdict(4)

    with JudgeServer(script, latency_s=0.02) as server:
        results = assess(server, [judge_server.assessment()] * 16, concurrency=8)

    assert [isinstance(result, Verdict) for result in results] == [True] * 16
    refused = [body for body in server.bodies if "max_tokens" in body]
    assert len(refused) <= 8
    assert {body.get("max_completion_tokens") for body in server.bodies} == {None, 4000}


def test_the_refused_parameter_may_be_named_in_the_message_alone() -> None:
    def script(request: Request) -> Reply:
        if "max_tokens" in request.json:
            return judge_server.refuses(400, "Use 'max_completion_tokens' instead of 'max_tokens'.")
        return judge_server.verdict(4)

    with JudgeServer(script) as server:
        assert score(server) == 4.0

    assert len(server.requests) == 2


def test_a_model_that_takes_neither_budget_is_not_asked_for_ever() -> None:
    script = judge_server.picky("max_tokens", "max_completion_tokens")

    with JudgeServer(script) as server:
        result = failure(server)

    assert result.error_class is ErrorClass.CONFIG
    assert "'max_completion_tokens' is not supported with this model" in result.message
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "message",
    ["odd input: what temperature is it?", "odd input: response_format, temperature, max_tokens"],
)
def test_a_refusal_that_only_quotes_a_parameter_changes_nothing_for_other_calls(
    message: str,
) -> None:
    def script(request: Request) -> Reply:
        if "what temperature is it" in json.dumps(request.json["messages"]):
            return judge_server.refuses(400, message)
        return judge_server.verdict(4)

    odd, plain = judge_server.assessment("what temperature is it"), judge_server.assessment()
    with JudgeServer(script) as server:
        results = assess(server, [odd, plain], concurrency=1)

    assert isinstance(results[0], Failure)
    assert results[0].error_class is ErrorClass.CONFIG
    assert message in results[0].message
    assert isinstance(results[1], Verdict)
    assert set(server.bodies[-1]) == set(server.bodies[0])
    assert server.bodies[-1]["max_tokens"] == 800
    assert len(server.requests) <= 5


def test_what_was_learnt_of_a_model_outlives_a_wait_for_it() -> None:
    def script(request: Request) -> Reply:
        if "max_tokens" in request.json:
            return judge_server.unsupported("max_tokens")
        return judge_server.throttled() if len(server.requests) == 2 else judge_server.verdict(4)

    with JudgeServer(script) as server:
        assert score(server, attempts=2) == 4.0

    assert ["max_tokens" in body for body in server.bodies] == [True, False, False]


@pytest.mark.parametrize("model", ["gpt-5-mini", "o3", "openai/o4-mini", "GPT-5.1"])
def test_reasoning_models_are_known_by_name(model: str) -> None:
    with JudgeServer(judge_server.picky("max_tokens", "temperature")) as server:
        assert score(server, model=model) == 4.0

    assert len(server.requests) == 1
    assert server.bodies[0]["max_completion_tokens"] == 4000


def test_no_more_calls_run_at_once_than_the_entry_allows() -> None:
    with JudgeServer(latency_s=0.02) as server:
        assess(server, [judge_server.assessment()] * 20, concurrency=3)

    assert server.most_at_once == 3


def test_one_call_that_is_throttled_holds_back_the_others() -> None:
    clock = Clock(chance=0.0)

    with JudgeServer([judge_server.throttled(retry_after="9"), judge_server.verdict(4)]) as server:
        results = assess(server, [judge_server.assessment()] * 3, concurrency=1, clock=clock)

    assert [isinstance(result, Verdict) for result in results] == [True] * 3
    assert len(server.requests) == 4
    assert clock.slept[0] == pytest.approx(9.0)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (judge_server.config("http://127.0.0.1:1/v1", model=None), "`judge.model` is not set"),
        (judge_server.config("localhost:8080/v1"), "must be a URL"),
        (judge_server.config("http://[::1/v1"), "must be a URL"),
        (
            judge_server.config("http://127.0.0.1:1/v1", api_key="sk-\u201cx\u201d"),
            "`judge.api_key`",
        ),
    ],
)
def test_what_is_wrong_with_the_entry_is_said_without_a_call(entry: JudgeConfig, said: str) -> None:
    (result,) = ask(entry)

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.CONFIG
    assert said in result.message


def test_a_line_break_behind_the_key_is_no_part_of_it() -> None:
    with JudgeServer() as server:
        (result,) = ask(judge_server.config(server.base_url, api_key="test-key\n"))

    assert isinstance(result, Verdict)
    assert server.requests[0].headers["authorization"] == "Bearer test-key"


def test_half_a_surrogate_pair_in_the_material_is_no_crash() -> None:
    with JudgeServer() as server:
        (result,) = assess(server, [judge_server.assessment("odd \ud800 text")])

    assert isinstance(result, Verdict)


def test_the_identity_says_what_makes_scores_comparable_and_nothing_secret() -> None:
    context = JudgeContext(root=Path(), environ={}, timing=Clock().timing)

    async def identity() -> JudgeIdentity:
        judge = openai.create(judge_server.config("http://127.0.0.1:1/v1"), context)
        await judge.aclose()
        return judge.identity

    found = asyncio.run(identity())

    assert (found.provider, found.model) == ("openai", "gpt-4o-mini")
    assert found.parameters["temperature"] == 0
    assert "prompt_version" in found.parameters
    assert "127.0.0.1" not in repr(found)
    assert "test-key" not in repr(found)


def test_a_cancellation_passes_through() -> None:
    context = JudgeContext(root=Path(), environ={}, timing=Clock().timing)

    async def cancelled() -> None:
        judge = openai.create(judge_server.config(server.base_url), context)
        try:
            async with asyncio.timeout(0.2):
                await judge.assess(judge_server.assessment())
        finally:
            await judge.aclose()

    with JudgeServer(latency_s=5.0) as server, pytest.raises(TimeoutError):
        asyncio.run(cancelled())
