"""What a run asks, in which order, and what becomes of failures on the way."""

import asyncio
import itertools
import math

import pytest

from mergebar import running
from mergebar.model.conversations import Answer, ErrorClass, Exchange, Failure
from mergebar.model.documents import Case
from mergebar.model.plans import Plan, PlannedCase, PlannedCheck, Skip, Withholding
from mergebar.model.results import CheckResult, Outcome, Results
from mergebar.running import Progress, RunOptions, SuiteProgress
from support.builders import case, check, failure, plan, planned_case, suite, turn
from support.scripted import (
    AskingEvaluator,
    ScriptedAgent,
    ScriptedEvaluator,
    ScriptedJudge,
    scored,
)

THREAD = case("t", turn("A?"), turn("B?", index=1), turn("C?", index=2))


def of(*cases: PlannedCase) -> Plan:
    return plan(suite("evals/a.json", *cases))


def run(
    given: Plan,
    agent: ScriptedAgent | None = None,
    *,
    judge: ScriptedJudge | None = None,
    evaluator: ScriptedEvaluator | None = None,
    options: RunOptions | None = None,
    progress: list[Progress] | None = None,
) -> Results:
    ticking = itertools.count()
    return asyncio.run(
        running.run(
            given,
            agents={"support": agent or ScriptedAgent()},
            judge=judge,
            evaluators={
                "ExactMatch": evaluator or ScriptedEvaluator(),
                "Relevance": AskingEvaluator(),
            },
            options=options or RunOptions(concurrency={"support": 4}),
            clock=lambda: float(next(ticking)),
            progress=None if progress is None else progress.append,
        )
    )


def outcomes(results: Results) -> list[str]:
    return [result.outcome.value for result in results.checks]


# --- turns


def test_turns_come_in_order_with_the_conversation_and_what_was_really_said() -> None:
    agent = ScriptedAgent(script={("t", 1): Answer(response="second", conversation_id=None)})
    run(of(planned_case(THREAD)), agent)
    assert [(q.turn, q.prompt, q.conversation_id) for q in agent.asked] == [
        (0, "A?", None),
        (1, "B?", "c-t"),
        (2, "C?", "c-t"),
    ]
    assert agent.asked[2].history == (
        Exchange(prompt="A?", response="echo A?"),
        Exchange(prompt="B?", response="second"),
    )


def test_an_evaluator_sees_the_turns_before_its_own() -> None:
    evaluator = ScriptedEvaluator()
    run(of(planned_case(THREAD)), evaluator=evaluator)
    seen = {evidence.prompt: evidence for evidence in evaluator.seen}
    assert seen["A?"].history == ()
    assert seen["B?"].history == (Exchange(prompt="A?", response="echo A?"),)
    assert seen["B?"].response == "echo B?"
    assert seen["B?"].expected_response == "Hold the button."


def test_a_thread_stops_after_a_failed_turn() -> None:
    agent = ScriptedAgent(script={("t", 1): failure("too slow", ErrorClass.TIMEOUT)})
    results = run(of(planned_case(THREAD)), agent)
    assert [question.turn for question in agent.asked] == [0, 1]
    assert outcomes(results) == ["pass", "error", "error"]
    failed, unput = results.checks[1], results.checks[2]
    assert failed.error == failure("too slow", ErrorClass.TIMEOUT)
    assert unput.error == failure("turn 3 was not put: turn 2 failed", ErrorClass.TIMEOUT)
    assert [run.agent_failed for run in (*failed.runs, *unput.runs)] == [True, True]
    asked = results.conversations[0].turns
    assert isinstance(asked[1].answer, Failure)
    assert asked[2].answer is None


def test_a_blank_answer_doesnt_stop_a_thread() -> None:
    agent = ScriptedAgent(script={("t", 0): Answer(response="")})
    results = run(of(planned_case(THREAD)), agent)
    assert len(agent.asked) == 3
    assert outcomes(results) == ["pass", "pass", "pass"]


def test_a_failing_check_doesnt_stop_a_thread() -> None:
    agent = ScriptedAgent(script={("t", 0): Answer(response="bad")})
    assert outcomes(run(of(planned_case(THREAD)), agent)) == ["fail", "pass", "pass"]


def test_a_stored_answer_goes_with_its_question() -> None:
    agent = ScriptedAgent()
    run(of(planned_case(case("k", turn(stored="as written")))), agent)
    assert agent.asked[0].stored == Answer(response="as written")


# --- failures that stay apart


def test_an_evaluator_that_cant_say_is_not_the_agents_failure() -> None:
    evaluator = ScriptedEvaluator(say=lambda _: failure("no rubric", ErrorClass.EVALUATOR))
    result = run(of(planned_case()), evaluator=evaluator).checks[0]
    assert (result.outcome, result.reason) == (Outcome.ERROR, "no rubric")
    assert not result.runs[0].agent_failed


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_a_score_that_is_no_number_is_an_error(score: float) -> None:
    result = run(of(planned_case()), evaluator=ScriptedEvaluator(say=lambda _: scored(score)))
    assert result.checks[0].error == Failure(
        error_class=ErrorClass.EVALUATOR,
        message="`ExactMatch` gave a score that is no finite number",
        code="invalidEvaluatorResult",
    )


def test_a_bug_in_an_evaluator_surfaces() -> None:
    evaluator = ScriptedEvaluator(say=lambda _: ZeroDivisionError("our fault"))
    with pytest.raises(ExceptionGroup) as raised:
        run(of(planned_case(), planned_case(case("other"))), evaluator=evaluator)
    assert raised.value.subgroup(ZeroDivisionError) is not None


def test_a_bug_in_an_agent_surfaces() -> None:
    agent = ScriptedAgent(script={("reset", 0): ZeroDivisionError("our fault")})
    with pytest.raises(ExceptionGroup):
        run(of(planned_case()), agent)


def test_refused_credentials_are_asked_once_and_named_in_the_rest() -> None:
    agent = ScriptedAgent(
        script={(f"k{n}", 0): failure("401 Unauthorized", ErrorClass.AUTH) for n in range(5)}
    )
    cases = [planned_case(case(f"k{n}")) for n in range(5)]
    results = run(of(*cases), agent, options=RunOptions(concurrency={"support": 1}))
    assert len(agent.asked) == 1
    assert all(
        result.error is not None and result.error.error_class is ErrorClass.AUTH
        for result in results.checks
    )
    assert [result.reason for result in results.checks] == [
        "401 Unauthorized",
        *["not asked: agent `support` refused an earlier call (401 Unauthorized)"] * 4,
    ]
    assert results.calls.agent_calls == 1


def test_throttling_doesnt_stop_the_rest() -> None:
    agent = ScriptedAgent(script={("k0", 0): failure()})
    results = run(of(planned_case(case("k0")), planned_case(case("k1"))), agent)
    assert outcomes(results) == ["error", "pass"]


# --- repeats and skips


def test_a_case_is_put_as_often_as_it_is_planned() -> None:
    agent = ScriptedAgent()
    results = run(of(planned_case(runs=3)), agent)
    assert sorted(question.run for question in agent.asked) == [0, 1, 2]
    assert len(results.checks[0].runs) == 3
    assert [conversation.run for conversation in results.conversations] == [0, 1, 2]
    assert results.calls.agent_calls == 3


def test_a_skipped_case_asks_nothing_and_keeps_its_place() -> None:
    agent = ScriptedAgent()
    skip = Withholding(kind=Skip.WITHHELD, reason="no grant")
    results = run(of(planned_case(case("a"), skip=skip), planned_case(case("b"))), agent)
    assert [question.case for question in agent.asked] == ["b"]
    first = results.checks[0]
    assert (first.outcome, first.skip, first.reason) == (
        Outcome.SKIPPED,
        Skip.WITHHELD,
        "no grant",
    )
    assert outcomes(results) == ["skipped", "pass"]
    assert [conversation.case for conversation in results.conversations] == ["b"]


def test_a_skipped_check_leaves_the_others_of_its_case() -> None:
    skip = Withholding(kind=Skip.DECLINED, reason="declined by `--no-judge`")
    planned = planned_case(None, check("Relevance", skip=skip), check("ExactMatch"))
    judge = ScriptedJudge()
    assert outcomes(run(of(planned), judge=judge)) == ["skipped", "pass"]
    assert judge.asked == []


def test_what_was_declined_stays_declined_in_a_case_that_is_withheld() -> None:
    declined = Withholding(kind=Skip.DECLINED, reason="declined by `--no-judge`")
    withheld = Withholding(kind=Skip.WITHHELD, reason="no grant")
    checks = (check("Relevance", skip=declined), check("ExactMatch"))
    results = run(of(planned_case(None, *checks, skip=withheld)))
    assert [result.skip for result in results.checks] == [Skip.DECLINED, Skip.WITHHELD]


# --- the judge


def judged(options: RunOptions, *votes: float | Failure) -> tuple[CheckResult, ScriptedJudge]:
    judge = ScriptedJudge(votes=votes)
    planned = planned_case(None, check("Relevance", threshold=3, options={"style": "strict"}))
    return run(of(planned), judge=judge, options=options).checks[0], judge


def test_the_judge_is_asked_as_often_as_is_said_and_the_median_counts() -> None:
    result, judge = judged(RunOptions(judge_runs=3), 5, 1, 4)
    assert (result.outcome, result.score) == (Outcome.PASS, 4)
    assert list(result.runs[0].votes) == [5, 1, 4]
    assert sorted(one.vote for one in judge.asked) == [0, 1, 2]
    asked = judge.asked[0]
    assert (asked.suite, asked.case, asked.turn, asked.evaluator, asked.run) == (
        "evals/a.json",
        "reset",
        0,
        "Relevance",
        0,
    )
    assert asked.options == {"style": "strict"}


def test_a_failing_median_is_confirmed_by_further_votes() -> None:
    result, judge = judged(RunOptions(confirm_failures=2), 2, 4, 5)
    assert (result.outcome, result.score) == (Outcome.PASS, 4)
    assert [one.vote for one in judge.asked] == [0, 1, 2]


def test_a_passing_median_needs_no_further_votes() -> None:
    result, judge = judged(RunOptions(confirm_failures=2), 3, 1, 1)
    assert (result.outcome, len(judge.asked)) == (Outcome.PASS, 1)


def test_votes_may_be_missing_up_to_a_half() -> None:
    missing = failure("500")
    result, _ = judged(RunOptions(judge_runs=2), missing, 4)
    assert (result.outcome, result.runs[0].votes) == (Outcome.PASS, (4,))
    result, _ = judged(RunOptions(judge_runs=3), missing, missing, 4)
    assert result.outcome is Outcome.ERROR
    assert result.reason == "2 of 3 votes are missing: 500"
    result, _ = judged(RunOptions(), missing)
    assert result.reason == "500"


def test_a_judge_that_refuses_the_credentials_is_asked_once() -> None:
    judge = ScriptedJudge(votes=(failure("401", ErrorClass.AUTH),))
    cases = [planned_case(case(f"k{n}"), check("Relevance", threshold=3)) for n in range(6)]
    options = RunOptions(concurrency={"support": 6}, judge_concurrency=1, confirm_failures=3)
    results = run(of(*cases), judge=judge, options=options)
    assert len(judge.asked) == 1
    assert results.calls.judge_calls == 1
    assert sum("not asked: the judge refused" in one.reason for one in results.checks) == 5


def test_without_a_judge_a_judged_check_is_an_error() -> None:
    result = run(of(planned_case(None, check("Relevance")))).checks[0]
    assert result.error is not None
    assert result.error.error_class is ErrorClass.CONFIG


def test_what_the_cache_answers_is_no_call() -> None:
    planned = planned_case(None, check("Relevance", threshold=3))
    results = run(of(planned), judge=ScriptedJudge(cached=True))
    assert (results.calls.judge_calls, results.calls.cache_hits) == (0, 1)
    assert results.checks[0].cached


def test_what_is_recorded_is_marked_and_is_no_call() -> None:
    planned = of(planned_case(None, check("Relevance", threshold=3), check("ExactMatch")))
    results = run(planned, judge=ScriptedJudge(), options=RunOptions(judge_replayed=True))
    assert [result.replayed for result in results.checks] == [True, False]
    assert (results.calls.agent_calls, results.calls.judge_calls) == (1, 0)
    results = run(planned, options=RunOptions(replayed=frozenset({"support"})))
    assert [result.replayed for result in results.checks] == [True, True]
    assert results.calls.agent_calls == 0


# --- concurrency


def many(count: int) -> list[PlannedCase]:
    return [planned_case(case(f"k{n}"), check("Relevance", threshold=3)) for n in range(count)]


def test_an_agent_gets_as_many_cases_at_once_as_it_takes() -> None:
    agent = ScriptedAgent(ticks=lambda _: 5)
    run(of(*many(12)), agent, judge=ScriptedJudge(), options=RunOptions(concurrency={"support": 3}))
    assert agent.most_at_once == 3


def test_the_judge_gets_as_many_votes_at_once_as_it_takes() -> None:
    judge = ScriptedJudge(ticks=5)
    options = RunOptions(concurrency={"support": 12}, judge_concurrency=2, judge_runs=3)
    run(of(*many(6)), judge=judge, options=options)
    assert judge.most_at_once == 2
    assert len(judge.asked) == 18


def test_scoring_doesnt_keep_the_agent_waiting() -> None:
    judge = ScriptedJudge(ticks=1000)
    agent = ScriptedAgent()
    options = RunOptions(concurrency={"support": 1}, judge_concurrency=8)
    run(of(*many(4)), agent, judge=judge, options=options)
    assert judge.most_at_once == 4


def test_evaluators_of_one_turn_run_at_once() -> None:
    evaluator = ScriptedEvaluator(ticks=5)
    planned = planned_case(None, check("ExactMatch"), check("ExactMatch"), check("ExactMatch"))
    run(of(planned), evaluator=evaluator)
    assert evaluator.most_at_once == 3


# --- what comes back


def test_progress_counts_runs_of_checks() -> None:
    seen: list[Progress] = []
    agent = ScriptedAgent(script={("b", 0): Answer(response="bad"), ("c", 0): failure()})
    cases = [planned_case(case(key)) for key in "abc"]
    run(of(*cases), agent, options=RunOptions(), progress=seen)
    done = SuiteProgress(path="evals/a.json", done=3, failed=1, errors=1)
    assert seen[-1] == Progress(done=3, total=3, failed=1, errors=1, finished=done)
    assert [one.done for one in seen] == [1, 2, 3]


def test_time_comes_from_the_clock_that_was_given() -> None:
    results = run(of(planned_case()))
    assert results.conversations[0].turns[0].duration_s == 1
    assert results.checks[0].duration_s == 1


def test_what_an_agent_has_to_say_is_noted_once() -> None:
    agent = ScriptedAgent(notes=("written by hand", "written by hand", "old"))
    assert run(of(planned_case()), agent).notes == ("written by hand", "old")


def test_an_empty_plan_has_empty_results() -> None:
    results = run(of())
    assert (results.checks, results.complete) == ((), True)


def test_stored_answers_are_scored_by_the_agent_without_a_name() -> None:
    planned = of(planned_case(case("k", turn(stored="Hold it.")), agent=None))
    agent = ScriptedAgent()
    results = asyncio.run(
        running.run(
            planned,
            agents={None: agent},
            judge=None,
            evaluators={"ExactMatch": ScriptedEvaluator()},
            options=RunOptions(),
            clock=lambda: 0.0,
        )
    )
    assert outcomes(results) == ["pass"]
    assert len(agent.asked) == 1


def test_checks_come_back_in_plan_order_whatever_takes_longer() -> None:
    cases = [planned_case(case(f"k{n}")) for n in range(5)]
    agent = ScriptedAgent(ticks=lambda question: 20 - 4 * int(question.case[1:]))
    results = run(of(*cases), agent, options=RunOptions(concurrency={"support": 5}))
    wanted: list[PlannedCheck] = [one for each in cases for one in each.checks]
    assert [result.check for result in results.checks] == wanted


def test_the_same_case_may_come_twice() -> None:
    twin: Case = case("k")
    assert outcomes(run(of(planned_case(twin), planned_case(twin)))) == ["pass", "pass"]
