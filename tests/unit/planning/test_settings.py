"""Which checks an edit of the configuration affects."""

from dataclasses import replace

import pytest

from mergebar.model.changes import Change, Changes
from mergebar.model.configuration import Config, GatePolicy
from mergebar.model.documents import Severity
from mergebar.planning import Earlier, PlanOptions, plan
from support.builders import agent_config, case, config, document, group, judge_config, turn, use

CHANGES = Changes(files=(Change(path="mergebar.yml"),))
DOCUMENTS = [
    document("evals/a.json", case("x", turn(evaluators=[use("Relevance"), use("ExactMatch")]))),
    document("more/b.json", case("y", turn(evaluators=["ExactMatch"]), runs=2)),
]
ONE, TWO = agent_config("one"), agent_config("two")
GROUPS = (group("evals/*.json", agent="one"), group("more/*.json", agent="two"))
OLD = config(agents=[ONE, TWO], judge=judge_config(), documents=GROUPS)


def affected(now: Config, before: Config | None = OLD) -> set[str]:
    found = plan(
        DOCUMENTS,
        config=now,
        changes=CHANGES,
        options=PlanOptions(),
        earlier=Earlier(config=before),
        whole=True,
    )
    return {check.id for one in found.cases for check in one.checks}


X_JUDGED, X_EXACT = "evals/a.json::x::0::Relevance", "evals/a.json::x::0::ExactMatch"
Y = "more/b.json::y::0::ExactMatch"
ALL = {X_JUDGED, X_EXACT, Y}


def test_what_measures_decides() -> None:
    assert affected(replace(OLD, agents=(replace(ONE, timeout_s=1), TWO))) == {X_JUDGED, X_EXACT}
    assert affected(replace(OLD, agents=(ONE, replace(TWO, type="replay")))) == {Y}
    assert affected(replace(OLD, judge=replace(judge_config(), model="gpt-5"))) == {X_JUDGED}
    assert affected(replace(OLD, judge=judge_config(runs=3))) == {X_JUDGED}


@pytest.mark.parametrize(
    "now",
    [
        replace(OLD, agents=(replace(ONE, concurrency=1, attempts=9), TWO)),
        replace(OLD, judge=replace(judge_config(), concurrency=1, attempts=9, timeout_s=1)),
        replace(OLD, gate=GatePolicy(severity=Severity.NOTICE)),
        replace(OLD, documents=(replace(GROUPS[0], min_pass_rate=0.5), GROUPS[1])),
        replace(OLD, repository_code=False),
    ],
)
def test_what_only_decides_or_hurries_measures_nothing(now: Config) -> None:
    assert affected(now) == set()


def test_runs_of_a_group_count_for_cases_that_dont_say_it_themselves() -> None:
    now = replace(OLD, documents=tuple(replace(one, runs=5) for one in GROUPS))
    assert affected(now) == {X_JUDGED, X_EXACT}


def test_a_group_that_takes_a_suite_in_or_gives_it_another_agent_affects_it() -> None:
    assert affected(OLD, replace(OLD, documents=GROUPS[:1])) == {Y}
    swapped = (GROUPS[0], replace(GROUPS[1], agent="one"))
    assert affected(replace(OLD, documents=swapped)) == {Y}


def test_where_the_base_isnt_known_everything_it_configures_is_affected() -> None:
    assert affected(OLD, None) == ALL


def test_without_a_baseline_an_affected_rated_group_runs_whole() -> None:
    rated = replace(OLD, documents=(group("**/*.json", agent="one", min_pass_rate=0.5),))
    found = plan(
        DOCUMENTS,
        config=rated,
        changes=Changes(files=(Change(path="more/b.json"),)),
        options=PlanOptions(),
    )
    assert [suite.reason for suite in found.suites] == [
        "affected: its group is rated, and there is no baseline to carry the rest of it from",
        "affected: `more/b.json` changed",
    ]
