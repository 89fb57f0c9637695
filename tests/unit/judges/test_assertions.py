"""The `openai` judge on assertions: what is sent, which model is asked, what can't be used."""

import asyncio
from pathlib import Path

from mergebar.judges import openai
from mergebar.model.contexts import JudgeContext
from mergebar.model.conversations import ErrorClass, Failure, Usage
from mergebar.model.judgements import AssertionJudge, Inquiry, Match, Opinion
from support import judge_server
from support.clocks import Clock
from support.judge_server import JudgeServer


def verify(server: JudgeServer, *inquiries: Inquiry) -> list[Opinion | Failure]:
    """One after the other, of one judge."""
    context = JudgeContext(root=Path(), environ={}, timing=Clock().timing)

    async def voted() -> list[Opinion | Failure]:
        judge = openai.create(judge_server.config(server.base_url), context)
        assert isinstance(judge, AssertionJudge)
        try:
            return [await judge.verify(one) for one in inquiries or (judge_server.inquiry(),)]
        finally:
            await judge.aclose()

    return asyncio.run(voted())


def test_an_opinion_comes_with_what_it_cost() -> None:
    with JudgeServer([judge_server.opinion("partial", 0.4)]) as server:
        (opinion,) = verify(server)

    assert isinstance(opinion, Opinion)
    assert (opinion.match, opinion.confidence) == (Match.PARTIAL, 0.4)
    assert opinion.usage == Usage(input_tokens=120, output_tokens=30)


def test_a_reply_that_is_no_opinion_is_asked_for_once_more() -> None:
    with JudgeServer([judge_server.says("It passes."), judge_server.opinion()]) as server:
        (opinion,) = verify(server)
        second = str(server.bodies[1]["messages"])

    assert isinstance(opinion, Opinion)
    assert opinion.usage == Usage(input_tokens=240, output_tokens=60)
    assert "exactly the keys" in second


def test_two_replies_that_are_none_are_a_failure() -> None:
    with JudgeServer([judge_server.verdict(5), judge_server.opinion("maybe")]) as server:
        (failure,) = verify(server)

    assert isinstance(failure, Failure)
    assert failure.error_class is ErrorClass.BAD_RESPONSE
    assert "asked twice" in failure.message


def test_an_eval_may_name_the_model() -> None:
    asked = [judge_server.inquiry(model="gpt-5-mini"), judge_server.inquiry()]
    with JudgeServer([judge_server.opinion()] * 2) as server:
        verify(server, *asked)
        first, second = server.bodies

    assert (first["model"], second["model"]) == ("gpt-5-mini", "gpt-4o-mini")
    assert "max_completion_tokens" in first
    assert "max_tokens" in second


def test_a_model_that_does_not_exist_stops_its_own_evals_only() -> None:
    absent = judge_server.inquiry(model="no-such-model")
    script = [judge_server.refuses(404, "no model"), judge_server.opinion()]
    with JudgeServer(script) as server:
        first, again, other = verify(server, absent, absent, judge_server.inquiry())
        calls = len(server.requests)

    assert isinstance(first, Failure)
    assert "`no-such-model`" in first.message
    assert again == first
    assert isinstance(other, Opinion)
    assert calls == 2


def test_a_refusal_is_a_failure() -> None:
    with JudgeServer([judge_server.says("", finish_reason="content_filter")]) as server:
        (failure,) = verify(server)

    assert isinstance(failure, Failure)
    assert failure.error_class is ErrorClass.REFUSED
