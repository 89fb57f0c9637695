"""The report of a plan and its results: complete, without secrets, and silent where it has to be."""

import asyncio
import dataclasses
import json
import math

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.agents.command_words import Words
from mergebar.evaluators import citations, exact_match
from mergebar.model.configuration import Responses
from mergebar.model.conversations import Answer, Citation, ErrorClass, Usage
from mergebar.model.evaluations import Evidence, Score, Votes
from mergebar.model.judgements import Material, Rubric
from mergebar.model.plans import Plan, Skip
from mergebar.model.reports import Report
from mergebar.model.results import AskedTurn, CallCounts, CheckResult, Conversation, Results
from mergebar.processes.running import End, Ended
from mergebar.reading import schemas
from mergebar.report import building, json_report, quoting
from mergebar.untrusted.redaction import Redactor
from support import builders, hostile, reports

SECRET = "hunter2-hunter2"  # noqa: S105 - made up


def _build(
    *checks: CheckResult,
    plan: Plan | None = None,
    responses: Responses = Responses.ARTIFACT,
    secrets: tuple[str, ...] = (),
    pass_rate: float | None = None,
    conversations: tuple[Conversation, ...] = (),
) -> Report:
    results = Results(
        checks=checks,
        conversations=conversations,
        calls=CallCounts(agent_calls=1, judge_calls=2, cache_hits=3),
        notes=(f"a note with {SECRET}",),
    )
    return building.build(
        plan=plan or builders.plan(builders.suite(builders.PATH, builders.planned_case())),
        results=results,
        decision=reports.decision("failed", f"headline {SECRET}"),
        frame=building.Frame(
            version="1.2.3", run=reports.run(), responses=responses, pass_rate=pass_rate
        ),
        redactor=Redactor(secrets),
    )


def _judged(reason: str = "SAID") -> CheckResult:
    check = builders.check("Relevance", threshold=3)
    return dataclasses.replace(builders.failed(check), reason=reason)


def test_every_outcome_is_counted_once() -> None:
    report = _build(
        builders.passed(),
        builders.passed(),
        builders.failed(),
        builders.errored(),
        builders.needs_review(),
        builders.skipped(),
        builders.skipped(kind=Skip.WITHHELD),
        pass_rate=2 / 3,
    )
    totals = report.totals
    assert (totals.checks, totals.passed, totals.failed) == (7, 2, 1)
    assert (totals.errors, totals.needs_review, totals.skipped) == (1, 1, 2)
    assert totals.pass_rate == 2 / 3
    assert [check.skip for check in report.checks][-2:] == ["declined", "withheld"]


def test_a_check_carries_what_was_planned_and_what_was_measured() -> None:
    report = _build(builders.failed(builders.check("PartialMatch", threshold=0.5), score=0.25))
    check = report.checks[0]
    assert (check.name, check.score, check.threshold) == ("PartialMatch", 0.25, 0.5)
    assert (check.location.path, check.location.line) == (builders.PATH, 7)
    assert check.label == "reset"
    assert check.runs[0].outcome == "fail"


def test_what_is_built_follows_the_schema() -> None:
    problem = builders.problem(path=None, line=None)
    plan = dataclasses.replace(
        builders.plan(builders.suite(problems=[builders.problem()])), problems=(problem,)
    )
    report = _build(builders.passed(), builders.errored(), plan=plan)
    assert report.problems[0].message == problem.message
    value = json.loads(json_report.dump(report))
    jsonschema.Draft202012Validator(dict(schemas.load("report.v1.json"))).validate(value)


def test_no_secret_is_anywhere() -> None:
    failure = builders.failure(f"key {SECRET} was refused", ErrorClass.AUTH)
    case = builders.planned_case(builders.case("reset", builders.turn(f"say {SECRET}")))
    suite = builders.suite("evals/a.json", case, reason=SECRET, problems=[builders.problem(SECRET)])
    report = _build(
        _judged(f"it says {SECRET}"),
        builders.errored(error=failure),
        plan=builders.plan(suite),
        secrets=(SECRET,),
    )
    assert SECRET not in json_report.dump(report).decode()
    assert "key *** was refused" in json_report.dump(report).decode()


def test_usage_is_that_of_answers_and_of_judges() -> None:
    answer = Answer(response="a", usage=Usage(input_tokens=10, output_tokens=1))
    talk = Conversation(suite=builders.PATH, case="reset", run=0, turns=(AskedTurn(answer=answer),))
    check = dataclasses.replace(builders.passed(), usage=Usage(input_tokens=5))
    usage = _build(check, conversations=(talk,)).usage
    assert (usage.agent_calls, usage.judge_calls, usage.cache_hits) == (1, 2, 3)
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (15, 1, None)


def test_a_number_that_is_none_becomes_null() -> None:
    check = dataclasses.replace(builders.passed(), score=math.nan, duration_s=math.inf)
    report = _build(check, pass_rate=math.nan)
    assert report.checks[0].score is None
    assert report.totals.pass_rate is None
    assert b"NaN" not in json_report.dump(report)
    assert b"Infinity" not in json_report.dump(report)


def test_without_responses_reasons_that_may_quote_are_left_out() -> None:
    failure = builders.failure("exited with code 1; stderr: SAID")
    report = _build(
        _judged(), builders.errored(error=failure), builders.failed(), responses=Responses.NONE
    )
    assert b"SAID" not in json_report.dump(report)
    assert report.checks[1].error is not None
    assert report.checks[1].error.message == "exited with code 1"
    assert report.checks[2].reason == "not as expected"


@pytest.mark.parametrize("responses", [Responses.ARTIFACT, Responses.EVERYWHERE])
def test_else_the_report_has_them_and_says_that_they_may_quote(responses: Responses) -> None:
    report = _build(_judged(), builders.failed(), builders.skipped(), responses=responses)
    assert report.checks[0].reason == "SAID"
    assert [check.quotes for check in report.checks] == [True, False, False]


@given(
    response=hostile.texts,
    expected=hostile.texts,
    sources=st.lists(hostile.texts, max_size=3),
    written=st.sampled_from(["[1] [^1^] 【1†a】", "", "[x](https://x.test)"]),
)
def test_the_evaluators_that_are_held_to_count_do_not_quote(
    response: str, expected: str, sources: list[str], written: str
) -> None:
    marked = "ZQXJ" + response + written
    evidence = Evidence(
        prompt="ZQXJ",
        response=marked,
        expected_response=f"x{expected}",
        citations=tuple(Citation(index=1, text="ZQXJ" + one, source="ZQXJ") for one in sources),
    )
    for evaluator in (exact_match.create(), citations.create()):
        score = asyncio.run(evaluator.evaluate(evidence, options={}, threshold=1, ask=_never))
        assert isinstance(score, Score)
        assert "ZQXJ" not in score.reason
        assert "zqxj" not in score.reason


async def _never(_rubric: Rubric, _material: Material) -> Votes:
    raise AssertionError


def test_the_end_of_stderr_is_found_in_an_agents_message() -> None:
    words = Words(name="support", cwd=".", refused=(), unset=())
    ended = Ended(end=End.EXITED, returncode=1, stdout=b"", stderr="the prompt was: SAID")
    message = words.failure(ErrorClass.UNAVAILABLE, "exited with code 1", ended).message
    assert quoting.message_quotes("unavailable", message)
    assert quoting.own_words("unavailable", message) == "agent `support` exited with code 1"


def test_a_refusal_is_in_the_words_of_a_model() -> None:
    message = "the judge gave no verdict: I can't discuss SAID"
    assert quoting.own_words("refused", message) == "the judge gave no verdict"
    assert quoting.own_words("timeout", message) == message
