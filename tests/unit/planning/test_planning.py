"""Groups, selection, repeats, what is withheld, and what makes a plan invalid."""

from dataclasses import replace

import pytest

from mergebar.model.changes import Changes
from mergebar.model.configuration import Config, GatePolicy
from mergebar.model.documents import Case, Document, Origin, Severity
from mergebar.model.plans import Plan, PlannedCheck, Skip
from mergebar.model.problems import Level
from mergebar.planning import PlanOptions, plan
from support.builders import agent_config, config, document, group, judge_config, problem, turn, use
from support.builders import case as a_case

EVERYTHING = Changes(everything=True, reason="everything was asked for")


def planned(
    *documents: Document,
    config: Config = config(),  # noqa: B008 - frozen
    options: PlanOptions = PlanOptions(),  # noqa: B008 - frozen
) -> Plan:
    return plan(documents, config=config, changes=EVERYTHING, options=options)


def checks(found: Plan) -> list[PlannedCheck]:
    return [check for case in found.cases for check in case.checks]


def rules(found: Plan) -> list[str]:
    of_suites = [one.rule for suite in found.suites for one in suite.problems]
    return [*of_suites, *(one.rule for one in found.problems)]


JUDGED = a_case("j", turn(evaluators=[use("Relevance", threshold=3), use("ExactMatch")]))
THREAD = a_case("t", turn("First?"), turn("Then?", index=1, evaluators=["PartialMatch"]))


def test_suites_come_in_path_order_and_checks_in_the_order_of_the_turns() -> None:
    found = planned(document("evals/b.json"), document("evals/a.json", THREAD, JUDGED))
    assert [suite.path for suite in found.suites] == ["evals/a.json", "evals/b.json"]
    found = planned(document("evals/a.json", THREAD, JUDGED), config=config(judge=judge_config()))
    assert [check.id for check in checks(found)] == [
        "evals/a.json::t::0::ExactMatch",
        "evals/a.json::t::1::PartialMatch",
        "evals/a.json::j::0::Relevance",
        "evals/a.json::j::0::ExactMatch",
    ]


def test_a_named_document_in_two_groups_is_invalid() -> None:
    settings = config(documents=[group("evals/*.json"), group("evals/a.*")])
    options = PlanOptions(only=("evals/a.json",))
    found = planned(document("evals/a.json"), config=settings, options=options)
    assert rules(found) == ["config/two-groups"]
    assert found.cases == ()


def test_a_broken_configuration_is_not_told_that_it_names_nothing() -> None:
    assert rules(planned(config=config(documents=[]), options=PlanOptions(searched=False))) == []


def test_a_group_names_the_agent_and_the_first_of_its_index() -> None:
    settings = config(
        agents=[agent_config("one"), agent_config("two")],
        documents=[group("evals/*.json", agent="one"), group("more/*.json", agent="two")],
    )
    found = planned(document("evals/a.json"), document("more/b.json"), config=settings)
    assert [(check.agent, check.group) for check in checks(found)] == [("one", 0), ("two", 1)]


def test_an_invalid_suite_has_no_cases_and_keeps_its_problems() -> None:
    found = planned(document("evals/a.json", problems=[problem()]))
    assert found.suites[0].affected
    assert found.cases == ()
    assert rules(found) == ["schema/required"]


def test_a_warning_doesnt_make_a_suite_invalid() -> None:
    found = planned(document("evals/a.json", problems=[problem(level=Level.WARNING)]))
    assert len(found.cases) == 1


@pytest.mark.parametrize(
    ("asked", "own", "of_group", "expected"),
    [(5, 3, 2, 5), (None, 3, 2, 3), (None, None, 2, 2), (None, None, 1, 1)],
)
def test_runs_are_those_asked_for_else_the_cases_else_the_groups(
    asked: int | None, own: int | None, of_group: int, expected: int
) -> None:
    settings = config(documents=[group(runs=of_group)])
    found = planned(
        document("evals/a.json", a_case(runs=own)),
        config=settings,
        options=PlanOptions(runs=asked),
    )
    assert found.cases[0].runs == expected


def test_the_estimate_counts_turns_runs_and_votes() -> None:
    settings = config(judge=judge_config(runs=3), documents=[group(runs=2)])
    found = planned(document("evals/a.json", THREAD, JUDGED), config=settings)
    assert found.estimate.agent_calls == 2 * (2 + 1)
    assert found.estimate.judge_calls == 2 * 3


def test_what_is_replayed_takes_no_calls() -> None:
    settings = config(
        agents=[agent_config(type="replay")], judge=judge_config("replay"), documents=[group()]
    )
    found = planned(document("evals/a.json", JUDGED), config=settings)
    assert (found.estimate.agent_calls, found.estimate.judge_calls) == (0, 0)


# --- selection


def test_only_the_named_agents_suites_run() -> None:
    settings = config(
        agents=[agent_config("one"), agent_config("two")],
        documents=[group("evals/*.json", agent="one"), group("more/*.json", agent="two")],
    )
    found = planned(
        document("evals/a.json"),
        document("more/b.json"),
        config=settings,
        options=PlanOptions(agent="two"),
    )
    assert [suite.affected for suite in found.suites] == [False, True]
    assert found.suites[0].reason == (
        "not selected: its agent is `one`, and only suites of `two` were asked for"
    )


def test_an_agent_that_doesnt_exist_cant_be_selected() -> None:
    found = planned(document("evals/a.json"), options=PlanOptions(agent="supprot"))
    assert [one.message for one in found.problems] == [
        "there is no agent `supprot` to select suites by; configured: `support`"
    ]


@pytest.mark.parametrize(
    ("named", "selected"),
    [
        ("evals/a.json", ["evals/a.json"]),
        ("evals", ["evals/a.json", "evals/b.json"]),
        ("evals/", ["evals/a.json", "evals/b.json"]),
        (".", ["evals-2/c.json", "evals/a.json", "evals/b.json"]),
        ("evals/a", []),
    ],
)
def test_paths_select_files_and_folders(named: str, selected: list[str]) -> None:
    documents = [document(path) for path in ("evals/a.json", "evals/b.json", "evals-2/c.json")]
    settings = config(documents=[group("**/*.json")])
    found = planned(*documents, config=settings, options=PlanOptions(only=(named,)))
    assert [suite.path for suite in found.suites if suite.affected] == selected


def test_tags_select_cases() -> None:
    tagged = a_case("x", turn(tags=["smoke"]))
    found = planned(
        document("evals/a.json", tagged, a_case("y")),
        document("evals/b.json"),
        options=PlanOptions(tags=("smoke", "slow")),
    )
    assert [case.case.key for case in found.cases] == ["x"]
    assert found.suites[1].reason == "not selected: none of its cases is tagged `smoke` or `slow`"
    assert rules(found) == ["config/unknown-tag"]
    assert "`slow`" in found.problems[0].message


# --- no agent, no judge


def test_without_an_agent_stored_responses_are_scored_again() -> None:
    stored = document("evals/a.json", a_case("k", turn(stored="Hold it.")))
    found = planned(stored, config=config(agents=[], documents=[], path=None))
    assert [(case.agent, case.case.key) for case in found.cases] == [(None, "k")]
    assert found.estimate.agent_calls == 0
    assert rules(found) == []


def test_without_an_agent_a_document_without_responses_is_invalid() -> None:
    half = a_case("k", turn(stored="Hold it."), turn(index=1))
    found = planned(document("evals/a.json", half), config=config(agents=[], documents=[]))
    assert found.cases == ()
    assert rules(found) == ["config/no-agent"]
    assert "1 of its 2 turns" in found.suites[0].problems[0].message


def test_a_missing_judge_is_said_once_and_stops_the_suites_that_need_it() -> None:
    found = planned(
        document("evals/a.json", JUDGED), document("evals/b.json", JUDGED), document("evals/c.json")
    )
    assert [case.suite for case in found.cases] == ["evals/c.json"]
    assert rules(found) == ["config/no-judge"]
    assert "`Relevance`" in found.problems[0].message
    assert found.problems[0].path == "evals/a.json"


def test_without_a_judge_what_isnt_judged_still_runs() -> None:
    found = planned(document("evals/a.json", JUDGED), options=PlanOptions(judge=False))
    skips = [check.skip.kind if check.skip else None for check in checks(found)]
    assert skips == [Skip.DECLINED, None]
    assert found.cases[0].skip is None
    assert found.estimate.judge_calls == 0
    assert rules(found) == []


def test_a_case_of_which_every_check_is_declined_isnt_put() -> None:
    judged = a_case("j", turn(evaluators=["Relevance", "Coherence"]))
    found = planned(document("evals/a.json", judged), options=PlanOptions(judge=False))
    skip = found.cases[0].skip
    assert skip is not None
    assert (skip.kind, skip.reason) == (Skip.DECLINED, "declined by `--no-judge`")
    assert found.estimate.agent_calls == 0


# --- trust


def test_untrusted_events_run_no_repository_code() -> None:
    found = planned(document("evals/a.json"), options=PlanOptions(trusted=False))
    skip = found.cases[0].skip
    assert skip is not None
    assert skip.kind is Skip.WITHHELD
    assert skip.reason == "repository code does not run for untrusted events"
    assert found.estimate.agent_calls == 0


def test_repository_code_can_be_ruled_out() -> None:
    settings = config(repository_code=False)
    skip = planned(document("evals/a.json"), config=settings).cases[0].skip
    assert skip is not None
    assert "`execution.repository_code` is `never`" in skip.reason


def test_a_replay_agent_runs_for_everyone() -> None:
    settings = config(agents=[agent_config(type="replay")])
    found = planned(document("evals/a.json"), config=settings, options=PlanOptions(trusted=False))
    assert found.cases[0].skip is None


HOSTED = config(agents=[agent_config(type="http")], judge=judge_config())


def test_without_secrets_an_untrusted_event_withholds_what_needs_them() -> None:
    found = planned(
        document("evals/a.json"),
        config=HOSTED,
        options=PlanOptions(trusted=False, secrets_missing={"support": ("KEY",)}),
    )
    skip = found.cases[0].skip
    assert skip is not None
    assert skip.reason == "secrets are not given to fork pull requests"
    assert rules(found) == []


def test_without_the_judges_secrets_an_untrusted_event_withholds_what_is_judged() -> None:
    options = PlanOptions(trusted=False, judge_secrets_missing=("KEY",))
    found = planned(document("evals/a.json", JUDGED), config=HOSTED, options=options)
    skips = [check.skip.kind if check.skip else None for check in checks(found)]
    assert skips == [Skip.WITHHELD, None]


def test_without_secrets_a_trusted_event_is_invalid_once_for_each() -> None:
    options = PlanOptions(
        secrets_missing={"support": ("URL", "KEY"), "unused": ("X",)},
        judge_secrets_missing=("JUDGE_KEY",),
    )
    found = planned(
        document("evals/a.json", JUDGED), document("evals/b.json"), config=HOSTED, options=options
    )
    assert [one.message for one in found.problems] == [
        "agent `support` needs `URL`, `KEY`, which are unset or empty: set it where mergebar runs",
        "the judge needs `JUDGE_KEY`, which is unset or empty: set it where mergebar runs",
    ]
    assert found.cases == ()


def test_what_isnt_affected_needs_no_secret_no_judge_and_no_agent() -> None:
    settings = replace(HOSTED, judge=None)
    found = plan(
        [document("evals/a.json", JUDGED)],
        config=settings,
        changes=Changes(),
        options=PlanOptions(secrets_missing={"support": ("URL",)}),
    )
    assert rules(found) == []


# --- what was configured and doesn't exist


def test_no_document_and_no_configuration_is_invalid() -> None:
    implied = group("evals/*.json", ".evals/*.json", agent=None, implied=True)
    settings = config(agents=[], documents=[implied], path=None)
    assert rules(planned(config=settings)) == ["config/nothing-found"]
    stored = document("evals/a.json", a_case("k", turn(stored="Hold it.")))
    assert rules(planned(stored, config=settings)) == []


# --- checks


def test_a_check_stands_where_its_evaluator_is_written_or_else_at_its_turn() -> None:
    inherited = replace(use("PartialMatch"), origin=Origin.DEFAULT)
    case = a_case("k", turn(evaluators=[use("ExactMatch"), inherited]))
    own, default = checks(planned(document("evals/a.json", case)))
    assert own.location.line == 7
    assert default.location.line == 5


def definitions(case: Case) -> list[str]:
    return [check.definition for check in checks(planned(document("evals/a.json", case)))]


def test_a_definition_holds_the_earlier_prompts_of_the_thread() -> None:
    after_a = definitions(a_case("t", turn("A?"), turn("B?", index=1)))
    after_c = definitions(a_case("t", turn("C?"), turn("B?", index=1)))
    alone = definitions(a_case("t", turn("A?")))
    assert after_a[0] == alone[0]
    assert after_a[1] != after_c[1]
    assert after_a[0] != after_c[0]


def test_a_definition_holds_the_threshold_and_no_severity() -> None:
    low = definitions(a_case("t", turn(evaluators=[use("PartialMatch", threshold=0.5)])))
    high = definitions(a_case("t", turn(evaluators=[use("PartialMatch", threshold=0.8)])))
    assert low != high
    lax = config(gate=GatePolicy(severity=Severity.NOTICE))
    assert [
        check.definition for check in checks(planned(document("evals/a.json"), config=lax))
    ] == definitions(a_case())
