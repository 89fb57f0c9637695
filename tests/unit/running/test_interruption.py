"""An interruption loses nothing that was measured, and every check keeps its place."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar import running
from mergebar.model.conversations import Answer, ErrorClass, Failure, Question
from mergebar.model.plans import PlannedCase, Skip, Withholding
from mergebar.model.results import Outcome, Results
from mergebar.running import Progress, RunOptions
from support.builders import case, check, failure, plan, planned_case, suite, turn
from support.scripted import (
    AskingEvaluator,
    ScriptedAgent,
    ScriptedEvaluator,
    ScriptedJudge,
    pause,
)

TESTS = Path(__file__).parents[2]


def interrupted(
    cases: Sequence[PlannedCase],
    agent: ScriptedAgent,
    *,
    after: int | None,
    judge: ScriptedJudge | None = None,
    options: RunOptions | None = None,
) -> tuple[Results, list[Progress]]:
    """Run, and stop after so many turns of the event loop."""
    told: list[Progress] = []

    async def main() -> Results:
        stop = asyncio.Event()
        run = asyncio.create_task(
            running.run(
                plan(suite("evals/a.json", *cases)),
                agents={"support": agent},
                judge=judge,
                evaluators={"ExactMatch": ScriptedEvaluator(), "Relevance": AskingEvaluator()},
                options=options or RunOptions(concurrency={"support": 2}),
                clock=lambda: 0.0,
                stop=stop,
                progress=told.append,
            )
        )
        if after is not None:
            await pause(after)
            stop.set()
        return await run

    return asyncio.run(main()), told


def test_what_was_measured_stays_and_the_rest_says_that_it_was_interrupted() -> None:
    cases = [planned_case(case(key)) for key in ("quick", "slow", "late")]
    agent = ScriptedAgent(ticks=lambda question: 1 if question.case == "quick" else 10_000)
    results, _ = interrupted(cases, agent, after=50, options=RunOptions(concurrency={"support": 2}))
    assert not results.complete
    assert [result.outcome.value for result in results.checks] == ["pass", "error", "error"]
    assert results.checks[1].reason == "interrupted before it was measured"
    assert [turn.answer is None for one in results.conversations for turn in one.turns] == [
        False,
        True,
        True,
    ]


def test_an_answer_that_was_given_is_kept_though_its_score_is_not() -> None:
    judge = ScriptedJudge(ticks=10_000)
    planned = planned_case(None, check("ExactMatch"), check("Relevance", threshold=3))
    results, _ = interrupted([planned], ScriptedAgent(), after=50, judge=judge)
    assert [result.outcome.value for result in results.checks] == ["pass", "error"]
    assert isinstance(results.conversations[0].turns[0].answer, Answer)


def test_some_runs_of_a_check_may_be_enough() -> None:
    agent = ScriptedAgent(ticks=lambda question: 10_000 if question.run == 2 else 1)
    results, _ = interrupted(
        [planned_case(runs=3)], agent, after=50, options=RunOptions(concurrency={"support": 3})
    )
    result = results.checks[0]
    assert (result.outcome, results.complete) == (Outcome.PASS, False)
    assert [run.outcome.value for run in result.runs] == ["pass", "pass", "error"]


def test_a_stop_after_the_end_changes_nothing() -> None:
    results, _ = interrupted([planned_case()], ScriptedAgent(), after=500)
    assert results.complete


def test_a_run_that_is_never_stopped_ends_by_itself() -> None:
    results, _ = interrupted([planned_case()], ScriptedAgent(), after=None)
    assert results.complete


def test_a_stop_before_the_start_asks_nothing() -> None:
    agent = ScriptedAgent(ticks=lambda _: 100)

    async def main() -> Results:
        stop = asyncio.Event()
        stop.set()
        return await running.run(
            plan(suite("evals/a.json", planned_case(case("a", turn(), turn(index=1))))),
            agents={"support": agent},
            judge=None,
            evaluators={"ExactMatch": ScriptedEvaluator()},
            options=RunOptions(),
            clock=lambda: 0.0,
            stop=stop,
        )

    results = asyncio.run(main())
    assert [result.outcome.value for result in results.checks] == ["error", "error"]
    assert agent.asked == []


def test_cancelling_the_run_itself_is_not_swallowed() -> None:
    async def main() -> None:
        run = asyncio.create_task(
            running.run(
                plan(suite("evals/a.json", planned_case())),
                agents={"support": ScriptedAgent(ticks=lambda _: 10_000)},
                judge=None,
                evaluators={"ExactMatch": ScriptedEvaluator()},
                options=RunOptions(),
                clock=lambda: 0.0,
                stop=asyncio.Event(),
            )
        )
        await pause(10)
        run.cancel()
        await run

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())


SCRIPT = """
import asyncio, signal, sys, time
from support.builders import case, plan, planned_case, suite
from support.scripted import ScriptedEvaluator
from mergebar import running
from mergebar.model.conversations import Answer

class Agent:
    async def ask(self, question, /):
        if question.case == "slow":
            print("waiting", flush=True)
            await asyncio.sleep(60)
        return Answer(response="fine")

async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    return await running.run(
        plan(suite("evals/a.json", planned_case(case("quick")), planned_case(case("slow")))),
        agents={"support": Agent()}, judge=None, evaluators={"ExactMatch": ScriptedEvaluator()},
        options=running.RunOptions(), clock=time.monotonic, stop=stop,
    )

results = asyncio.run(main())
print(results.complete, *(one.outcome.value for one in results.checks))
"""


def test_a_real_interrupt_ends_the_run_with_what_was_measured() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(TESTS)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=20)
    assert output == "False pass error\n"
    assert process.returncode == 0


# --- whatever happens


FAILURES = st.sampled_from(
    [
        failure(),
        failure("401", ErrorClass.AUTH),
        failure("too slow", ErrorClass.TIMEOUT),
    ]
)
ANSWERS = st.sampled_from([Answer(response="good"), Answer(response="bad"), Answer(response="")])
SKIPS = st.sampled_from(
    [
        None,
        None,
        Withholding(kind=Skip.WITHHELD, reason="no grant"),
        Withholding(kind=Skip.DECLINED, reason="declined"),
    ]
)


@st.composite
def cases(draw: st.DrawFn) -> list[PlannedCase]:
    planned = []
    for number in range(draw(st.integers(0, 5))):
        turns = [
            turn(f"{number}.{index}?", index=index, evaluators=evaluators)
            for index, evaluators in enumerate(
                draw(
                    st.lists(
                        st.lists(
                            st.sampled_from(["ExactMatch", "Relevance"]), unique=True, max_size=2
                        ),
                        min_size=1,
                        max_size=3,
                    )
                )
            )
        ]
        made = planned_case(
            case(f"k{number}", *turns), runs=draw(st.integers(1, 3)), skip=draw(SKIPS)
        )
        checks = tuple(replace(one, skip=draw(SKIPS)) for one in made.checks)
        planned.append(replace(made, checks=checks))
    return planned


@st.composite
def agents(draw: st.DrawFn) -> ScriptedAgent:
    script: dict[tuple[str, int], Answer | Failure | Exception] = {
        (f"k{number}", index): draw(ANSWERS | FAILURES) for number in range(5) for index in range(3)
    }
    ticks = draw(st.lists(st.integers(0, 12), min_size=1, max_size=7))

    def wait(question: Question) -> int:
        return ticks[(int(question.case[1:]) + question.turn + question.run) % len(ticks)]

    return ScriptedAgent(script=script, ticks=wait)


@settings(deadline=None)
@given(
    cases=cases(),
    agent=agents(),
    votes=st.lists(st.floats(1, 5) | FAILURES, min_size=1, max_size=3),
    after=st.none() | st.integers(0, 60),
    bounds=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    repeats=st.tuples(st.integers(1, 3), st.integers(0, 2)),
)
def test_every_planned_check_gets_one_result_in_plan_order_and_nothing_is_lost(
    cases: list[PlannedCase],
    agent: ScriptedAgent,
    votes: list[float | Failure],
    after: int | None,
    bounds: tuple[int, int],
    repeats: tuple[int, int],
) -> None:
    judge = ScriptedJudge(votes=tuple(votes), ticks=3)
    options = RunOptions(
        concurrency={"support": bounds[0]},
        judge_concurrency=bounds[1],
        judge_runs=repeats[0],
        confirm_failures=repeats[1],
    )
    results, told = interrupted(cases, agent, after=after, judge=judge, options=options)

    assert [one.check for one in results.checks] == [
        check for case in cases for check in case.checks
    ]
    assert agent.most_at_once <= bounds[0]
    assert judge.most_at_once <= bounds[1]
    assert agent.at_once == judge.at_once == 0
    put = [case for case in cases if case.skip is None]
    assert [(one.case, one.run) for one in results.conversations] == [
        (case.case.key, run) for case in put for run in range(case.runs)
    ]
    runs = [run for one in results.checks for run in one.runs]
    lost = [run for run in runs if run.reason == "interrupted before it was measured"]
    assert len(runs) - len(lost) == (told[-1].done if told else 0)
    assert results.complete or after is not None
    assert not (lost and results.complete)
    assert results.calls.agent_calls == len(agent.asked)
    assert results.calls.judge_calls == len(judge.asked)
