"""Answers of a whole case are taken from the cache, or none."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from mergebar import running
from mergebar.caching import CachingAgent, Keeper, Store
from mergebar.model.plans import PlannedCase
from mergebar.model.results import Results
from mergebar.model.text import Json
from mergebar.running import RunOptions
from support.builders import case, failure, plan, planned_case, suite, turn
from support.scripted import ScriptedAgent, ScriptedEvaluator

THREAD = planned_case(case("t", turn("A?"), turn("B?", index=1)), runs=2)


def cached(folder: Path, inner: ScriptedAgent, **about: Json) -> CachingAgent:
    return CachingAgent(lambda: inner, Keeper(Store(folder, max_size=10**6), about, str))


def run(agent: CachingAgent, cases: Sequence[PlannedCase] = (THREAD,)) -> Results:
    results = asyncio.run(
        running.run(
            plan(suite("evals/a.json", *cases)),
            agents={"support": agent},
            judge=None,
            evaluators={"ExactMatch": ScriptedEvaluator()},
            options=RunOptions(),
            clock=lambda: 0.0,
        )
    )
    asyncio.run(agent.aclose())
    return results


def test_a_second_run_asks_nobody_and_finds_the_same(tmp_path: Path) -> None:
    first = run(cached(tmp_path, ScriptedAgent()))
    inner = ScriptedAgent()

    second = run(cached(tmp_path, inner))

    assert inner.asked == []
    assert second.conversations == first.conversations
    assert [one.outcome for one in second.checks] == [one.outcome for one in first.checks]
    assert (first.calls.agent_calls, first.calls.cache_hits) == (4, 0)
    assert (second.calls.agent_calls, second.calls.cache_hits) == (0, 4)


def test_another_prompt_key_run_or_agent_is_asked(tmp_path: Path) -> None:
    run(cached(tmp_path, ScriptedAgent()))

    for cases, about in (
        ([planned_case(case("t", turn("A?"), turn("C?", index=1)))], {}),
        ([planned_case(case("t", turn("A?")))], {}),
        ([planned_case(case("u", turn("A?"), turn("B?", index=1)))], {}),
        ([THREAD], {"model": "other"}),
    ):
        inner = ScriptedAgent()
        results = run(cached(tmp_path, inner, **about), cases)
        assert len(inner.asked) == results.calls.agent_calls > 0


def test_a_case_that_failed_half_way_is_asked_again_from_its_start(tmp_path: Path) -> None:
    run(cached(tmp_path, ScriptedAgent(script={("t", 1): failure()})))
    inner = ScriptedAgent()

    results = run(cached(tmp_path, inner))

    assert len(inner.asked) == 4
    assert results.calls.cache_hits == 0


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_more_or_fewer_answers_than_prompts_are_none(tmp_path: Path, kept: int) -> None:
    run(cached(tmp_path, ScriptedAgent()))
    for file in tmp_path.glob("*/*.json"):
        entry = json.loads(file.read_text())
        answers = entry["value"]["answers"]
        entry["value"]["answers"] = [*answers, *answers][:kept]
        file.write_text(json.dumps(entry))
    inner = ScriptedAgent()

    results = run(cached(tmp_path, inner))

    assert len(inner.asked) == 4
    assert results.calls.cache_hits == 0
