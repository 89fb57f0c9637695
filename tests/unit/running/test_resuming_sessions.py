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

    async def open(self, scenario: Scenario, /) -> "Opened":
        self.opened.append(scenario.key)
        return Opened(self, scenario.key)

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


def planned(*keys: str, trace: bool = False) -> Plan:
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
        cases.append(replace(made, scenario=scenario))
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
