"""What a run may take at most: claimed before it is asked, and never a low score."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import running
from mergebar.model.configuration import BudgetConfig
from mergebar.model.conversations import ErrorClass
from mergebar.model.plans import Estimate, PlannedCase
from mergebar.model.results import Outcome, Results
from mergebar.running import RunOptions, budget
from support.builders import case, check, plan, planned_case, suite, turn
from support.scripted import AskingEvaluator, ScriptedAgent, ScriptedEvaluator, ScriptedJudge

PLENTY = BudgetConfig()


def run(
    cases: Sequence[PlannedCase],
    *,
    options: RunOptions,
    agent: ScriptedAgent | None = None,
    judge: ScriptedJudge | None = None,
) -> Results:
    return asyncio.run(
        running.run(
            plan(suite("evals/a.json", *cases)),
            agents={"support": agent or ScriptedAgent()},
            judge=judge,
            evaluators={"ExactMatch": ScriptedEvaluator(), "Relevance": AskingEvaluator()},
            options=options,
            clock=lambda: 0.0,
        )
    )


def judged(key: str) -> PlannedCase:
    return planned_case(case(key), check("Relevance", case=key, threshold=3))


def classes(results: Results) -> list[str]:
    return [one.error.error_class.value if one.error else "" for one in results.checks]


def test_agent_calls_stop_where_the_budget_ends_and_the_rest_is_an_error_of_the_budget() -> None:
    agent = ScriptedAgent()
    thread = case("t", turn("A?"), turn("B?", index=1), turn("C?", index=2))
    options = RunOptions(budget=replace(PLENTY, agent_calls=2))

    results = run([planned_case(thread)], options=options, agent=agent)

    assert len(agent.asked) == results.calls.agent_calls == 2
    assert [one.outcome for one in results.checks] == [Outcome.PASS, Outcome.PASS, Outcome.ERROR]
    assert classes(results) == ["", "", "budget"]
    assert results.checks[2].reason == (
        "the budget of 2 agent calls (`budget.agent_calls`) is used up"
    )
    assert results.checks[2].score is None
    assert results.complete


def test_votes_are_claimed_together_so_that_none_is_asked_in_vain() -> None:
    judge = ScriptedJudge(votes=(1,))
    options = RunOptions(judge_runs=3, budget=replace(PLENTY, judge_calls=5))

    results = run([judged("a"), judged("b")], options=options, judge=judge)

    assert len(judge.asked) == results.calls.judge_calls == 3
    assert sorted(classes(results)) == ["", "budget"]


def test_a_failure_that_can_no_longer_be_confirmed_is_no_failure() -> None:
    judge = ScriptedJudge(votes=(1,))
    options = RunOptions(confirm_failures=2, budget=replace(PLENTY, judge_calls=2))

    (result,) = run([judged("a")], options=options, judge=judge).checks

    assert len(judge.asked) == 1
    assert (result.outcome, result.score) == (Outcome.ERROR, None)
    assert result.error is not None
    assert result.error.error_class is ErrorClass.BUDGET


def test_recorded_answers_take_nothing_of_the_budget() -> None:
    options = RunOptions(
        replayed=frozenset({"support"}),
        judge_replayed=True,
        budget=BudgetConfig(agent_calls=0, judge_calls=0),
    )

    results = run([judged("a")], options=options, judge=ScriptedJudge())

    assert [one.outcome for one in results.checks] == [Outcome.PASS]


def test_the_minutes_end_a_run_in_order() -> None:
    agent = ScriptedAgent(ticks=lambda question: 1 if question.case == "a" else 10**9)
    options = RunOptions(concurrency={"support": 2}, budget=replace(PLENTY, minutes=0.001))

    results = run([planned_case(case("a")), planned_case(case("b"))], options=options, agent=agent)

    assert classes(results) == ["", "budget"]
    assert results.checks[1].reason == ("the budget of 0.001 minutes (`budget.minutes`) is used up")
    assert not results.complete


def test_a_plan_that_takes_too_much_is_refused_with_the_amounts() -> None:
    refused = budget.refusal(Estimate(agent_calls=2400, judge_calls=7), PLENTY)

    assert refused is not None
    assert refused.message == (
        "the plan takes 2,400 agent calls, 400 more than `budget.agent_calls: 2000` allows: raise "
        "the budget, or run fewer suites, tags or runs"
    )
    results = running.refused(
        plan(suite("evals/a.json", judged("a"))), refused, options=RunOptions()
    )
    assert classes(results) == ["budget"]
    assert results.complete


@given(
    limits=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    votes=st.tuples(st.integers(1, 3), st.integers(0, 2)),
    scores=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    cases=st.integers(0, 5),
)
def test_no_more_is_asked_than_the_budget_has_and_every_score_has_all_its_votes(
    limits: tuple[int, int], votes: tuple[int, int], scores: list[int], cases: int
) -> None:
    agent, judge = ScriptedAgent(), ScriptedJudge(votes=tuple(scores))
    options = RunOptions(
        judge_runs=votes[0],
        confirm_failures=votes[1],
        budget=BudgetConfig(agent_calls=limits[0], judge_calls=limits[1]),
    )

    results = run([judged(str(n)) for n in range(cases)], options=options, agent=agent, judge=judge)

    assert len(agent.asked) <= limits[0]
    assert len(judge.asked) <= limits[1]
    assert len(results.checks) == cases
    for result in results.checks:
        given_votes = result.runs[0].votes
        if result.outcome is Outcome.PASS:
            assert len(given_votes) in {votes[0], sum(votes)}
        elif result.outcome is Outcome.FAIL:
            assert len(given_votes) == sum(votes)
        else:
            assert classes(results).count("budget") > 0


@pytest.mark.parametrize("calls", [0, 1])
def test_a_plan_that_takes_just_what_is_there_fits(calls: int) -> None:
    amounts = BudgetConfig(agent_calls=calls, judge_calls=calls)

    assert budget.exceeded(Estimate(agent_calls=calls, judge_calls=calls), amounts) == ()
