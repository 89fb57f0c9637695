"""Sessions of an interrupted run: a run one is known as a whole or run again, within the budget."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from mergebar import journal, running
from mergebar.journal import Journal
from mergebar.model.artifacts import Artifact
from mergebar.model.configuration import BudgetConfig
from mergebar.model.judgements import Judge
from mergebar.model.plans import Plan, PlannedCheck, Skip, Withholding
from mergebar.model.results import Outcome, Results, RunResult
from mergebar.model.scenarios import Scenario
from mergebar.running import RunOptions
from support import artifacts
from support.builders import case, check, failure, plan, planned_case, suite

ARTIFACT = artifacts.read(
    "metadata:\n  evals:\n    - {id: dry, assertion: Dry.}\n    - {id: kind, assertion: Kind.}\n"
)
PASS = RunResult(outcome=Outcome.PASS, score=1.0, reason="so it is")
ERROR = RunResult(outcome=Outcome.ERROR, reason="x", error=failure())
UNUSED = Withholding(kind=Skip.WITHHELD, reason="not used")
Says = Mapping[tuple[str, str], RunResult | Withholding]


@dataclass
class Sessions:
    """Sessions that give each eval what it is told, a pass else; remembers what was done."""

    says: Says = field(default_factory=dict)
    opened: list[str] = field(default_factory=list)
    graded: list[str] = field(default_factory=list)

    @property
    def runs(self) -> int:
        return len(self.opened)

    async def open(self, scenario: Scenario, /, *, run: int) -> "Opened":
        key = f"{scenario.key}#{run + 1}" if run else scenario.key
        self.opened.append(key)
        return Opened(self, key)

    async def aclose(self) -> None:
        return


@dataclass
class Opened:
    sessions: Sessions
    key: str

    async def grade(
        self, check: PlannedCheck, artifact: Artifact, /, *, judge: Judge | None
    ) -> RunResult | Withholding:
        del artifact, judge
        await asyncio.sleep(0)
        self.sessions.graded.append(check.id)
        return self.sessions.says.get((self.key, check.name), PASS)

    async def close(self) -> None:
        return


def planned(*keys: str, trace: bool = False, runs: int = 1) -> Plan:
    cases = []
    for key in keys:
        scenario = Scenario(
            key=key, group=0, trace=key if trace else None, prompt=None if trace else key
        )
        checks = [
            replace(
                check(one.key, suite=artifacts.SKILL, case=key),
                id=f"{artifacts.SKILL}::{key}::{one.key}",
                declared=one,
                turn=None,
            )
            for one in ARTIFACT.evals
        ]
        made = planned_case(case(key), *checks, suite=artifacts.SKILL)
        cases.append(replace(made, scenario=scenario, runs=runs))
    return plan(replace(suite(artifacts.SKILL, *cases), artifact=ARTIFACT))


def run(
    path: Path, given: Plan, sessions: Sessions, *, budget: BudgetConfig | None = None
) -> Results:
    book = _opened(path)
    try:
        return asyncio.run(
            running.run(
                given,
                agents={},
                judge=None,
                evaluators={},
                options=RunOptions(sessions=(1,), budget=budget),
                clock=lambda: 0.0,
                sessions=sessions,
                journal=book,
            )
        )
    finally:
        book.close()


def _opened(path: Path) -> Journal:
    book = journal.start(
        path / "journal", "p", anew=False, redact=str, clock=lambda: 0.0, now=lambda: 0.0
    )
    assert book is not None
    return book


def test_a_session_of_which_all_is_known_is_not_run_again(tmp_path: Path) -> None:
    says: Says = {("a", "dry"): UNUSED, ("b", "kind"): ERROR}
    first = run(tmp_path, planned("a", "b"), Sessions(says=says))
    again = Sessions()

    second = run(tmp_path, planned("a", "b"), again)

    assert again.opened == ["b"]
    assert len(again.graded) == 2
    assert [one.outcome.value for one in first.checks] == ["skipped", "pass", "pass", "error"]
    assert [one.outcome.value for one in second.checks] == ["skipped", "pass", "pass", "pass"]
    assert (first.calls.agent_calls, second.calls.agent_calls) == (2, 2)


def test_a_recorded_session_is_looked_at_again_where_no_judge_was_asked(tmp_path: Path) -> None:
    run(tmp_path, planned("a", trace=True), Sessions())
    again = Sessions()

    results = run(tmp_path, planned("a", trace=True), again)

    assert len(again.graded) == 2
    assert results.calls.agent_calls == 0


@pytest.mark.parametrize("left", [0, 1])
def test_a_session_that_is_run_is_a_call_of_an_agent(tmp_path: Path, left: int) -> None:
    sessions = Sessions()

    results = run(tmp_path, planned("a", "b"), sessions, budget=BudgetConfig(agent_calls=left))

    assert sessions.opened == ["a", "b"][:left]
    errors = [one.error.error_class.value for one in results.checks if one.error is not None]
    assert errors == ["budget"] * (4 - 2 * left)


def test_sessions_that_were_recorded_take_nothing_of_the_budget(tmp_path: Path) -> None:
    results = run(
        tmp_path,
        planned("a", trace=True),
        Sessions(),
        budget=BudgetConfig(agent_calls=0, judge_calls=0),
    )

    assert {one.outcome for one in results.checks} == {Outcome.PASS}


def test_each_repeat_is_a_session_of_its_own(tmp_path: Path) -> None:
    fails = RunResult(outcome=Outcome.FAIL, score=0.0, reason="it is not")
    sessions = Sessions(says={("a#2", "dry"): fails, ("a#3", "kind"): ERROR})

    results = run(tmp_path, planned("a", runs=3), sessions)

    assert sessions.opened == ["a", "a#2", "a#3"]
    assert results.calls.agent_calls == 3
    dry, kind = results.checks
    assert [one.outcome.value for one in dry.runs] == ["pass", "fail", "pass"]
    assert (dry.outcome, dry.flaky) == (Outcome.PASS, True)
    assert (kind.outcome, kind.flaky) == (Outcome.PASS, False)


def test_repeats_that_are_known_are_not_run_again(tmp_path: Path) -> None:
    run(tmp_path, planned("a", runs=3), Sessions(says={("a#2", "dry"): ERROR}))
    again = Sessions()

    results = run(tmp_path, planned("a", runs=3), again)

    assert again.opened == ["a#2"]
    assert results.calls.agent_calls == 3
    assert [len(one.runs) for one in results.checks] == [3, 3]


def test_a_repeat_is_a_call_of_an_agent(tmp_path: Path) -> None:
    sessions = Sessions()

    results = run(tmp_path, planned("a", runs=3), sessions, budget=BudgetConfig(agent_calls=2))

    assert sessions.opened == ["a", "a#2"]
    assert {one.outcome for one in results.checks} == {Outcome.PASS}
    assert [one.outcome.value for one in results.checks[0].runs] == ["pass", "pass", "error"]
