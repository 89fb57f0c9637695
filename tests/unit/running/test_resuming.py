"""A run that takes up what an interrupted one measured asks for the rest alone."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar import journal, running
from mergebar.journal import Journal
from mergebar.model.configuration import BudgetConfig
from mergebar.model.conversations import Question
from mergebar.model.plans import PlannedCase
from mergebar.model.results import Results
from mergebar.running import Progress, RunOptions
from support.builders import case, check, failure, plan, planned_case, suite, turn
from support.scripted import (
    AskingEvaluator,
    ScriptedAgent,
    ScriptedEvaluator,
    ScriptedJudge,
    pause,
)

THREAD = case("t", turn("A?"), turn("B?", index=1), turn("C?", index=2))
CASES = (
    planned_case(THREAD, runs=2),
    planned_case(case("u"), check("Relevance", case="u", threshold=3), check(case="u")),
    planned_case(case("v"), check("Relevance", case="v", threshold=3), runs=3),
)


def opened(path: Path) -> Journal:
    found = journal.start(path, "p", anew=False, redact=str, clock=lambda: 0.0, now=lambda: 0.0)
    assert found is not None
    return found


def run(
    cases: Sequence[PlannedCase],
    agent: ScriptedAgent,
    judge: ScriptedJudge,
    book: Journal | None,
    *,
    after: int | None = None,
    options: RunOptions | None = None,
    told: list[Progress] | None = None,
) -> Results:
    async def main() -> Results:
        stop = asyncio.Event()
        task = asyncio.create_task(
            running.run(
                plan(suite("evals/a.json", *cases)),
                agents={"support": agent},
                judge=judge,
                evaluators={"ExactMatch": ScriptedEvaluator(), "Relevance": AskingEvaluator()},
                options=options or RunOptions(concurrency={"support": 2}, judge_runs=2),
                clock=lambda: 0.0,
                stop=stop,
                journal=book,
                progress=None if told is None else told.append,
            )
        )
        if after is not None:
            await pause(after)
            stop.set()
        return await task

    return asyncio.run(main())


def asked(questions: Sequence[Question]) -> list[tuple[str, int, int]]:
    return [(one.case, one.run, one.turn) for one in questions]


@settings(deadline=None)
@given(
    stops=st.lists(st.integers(0, 40), max_size=3),
    ticks=st.lists(st.integers(0, 5), min_size=1, max_size=5),
)
def test_however_often_it_is_interrupted_the_end_is_the_same_and_nothing_is_asked_twice(
    tmp_path_factory: pytest.TempPathFactory, stops: list[int], ticks: list[int]
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"

    def wait(question: Question) -> int:
        return ticks[(question.turn + question.run) % len(ticks)]

    undisturbed = run(CASES, ScriptedAgent(ticks=wait), ScriptedJudge(), None)
    kept: set[tuple[str, int, int]] = set()
    results = None
    for after in [*stops, None]:
        agent, judge = ScriptedAgent(ticks=wait), ScriptedJudge(ticks=3)
        book = opened(path)
        kept |= {(one, run, turn) for _, one, run, turn in book.turns}
        results = run(CASES, agent, judge, book, after=after)
        book.close()
        assert not kept & set(asked(agent.asked))
        scored = {(key.split("::")[1], run) for key, run in book.checks if "Relevance" in key}
        assert not scored & {(one.case, one.run) for one in judge.asked}

    assert results == undisturbed


def test_what_failed_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    book = opened(path)
    run([planned_case(THREAD)], ScriptedAgent(script={("t", 1): failure()}), ScriptedJudge(), book)
    book.close()
    agent = ScriptedAgent()

    results = run([planned_case(THREAD)], agent, ScriptedJudge(), opened(path))

    assert asked(agent.asked) == [("t", 0, 1), ("t", 0, 2)]
    assert agent.asked[0].history[0].response == "echo A?"
    assert agent.asked[0].conversation_id == "c-t"
    assert [one.outcome.value for one in results.checks] == ["pass"] * 3
    assert results.calls.agent_calls == 3


def test_what_was_taken_before_is_taken_from_the_budget(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    book = opened(path)
    run([planned_case(THREAD)], ScriptedAgent(script={("t", 1): failure()}), ScriptedJudge(), book)
    book.close()
    options = RunOptions(budget=BudgetConfig(agent_calls=2))
    told: list[Progress] = []

    results = run(
        [planned_case(THREAD)],
        ScriptedAgent(),
        ScriptedJudge(),
        opened(path),
        options=options,
        told=told,
    )

    assert [one.outcome.value for one in results.checks] == ["pass", "pass", "error"]
    assert results.calls.agent_calls == 2
    assert (told[0].before, told[0].done, told[0].total) == (1, 1, 3)
