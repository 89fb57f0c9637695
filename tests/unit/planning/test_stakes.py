"""Severity, weight and must-pass: an enforced rule, else the file, else the last rule, else the default."""

from dataclasses import replace

import pytest

from mergebar.model.changes import Changes
from mergebar.model.configuration import Config, GatePolicy, Match, Rule
from mergebar.model.documents import Declared, Severity
from mergebar.model.plans import PlannedCheck
from mergebar.planning import PlanOptions, plan
from support.builders import case as a_case
from support.builders import config, document, rule, turn

ERROR, WARNING, NOTICE = Severity.ERROR, Severity.WARNING, Severity.NOTICE


def check(
    *rules: Rule, declared: Declared | None = None, settings: Config | None = None
) -> PlannedCheck:
    case = a_case("late-refund", turn(declared=declared, tags=["slow", "money"]))
    found = plan(
        [document("evals/a.json", case)],
        config=replace(settings or config(), rules=rules),
        changes=Changes(everything=True),
        options=PlanOptions(),
    )
    return found.cases[0].checks[0]


def test_unsaid_is_an_error_of_weight_one() -> None:
    found = check()
    assert (found.severity, found.weight, found.must_pass, found.gating) == (ERROR, 1, False, True)


def test_the_last_matching_rule_wins() -> None:
    found = check(rule(severity=NOTICE, weight=2), rule(severity=WARNING, weight=3))
    assert (found.severity, found.weight) == (WARNING, 3)


def test_a_rule_that_is_silent_on_one_thing_leaves_it_to_an_earlier_rule() -> None:
    found = check(rule(severity=NOTICE), rule(weight=3))
    assert (found.severity, found.weight) == (NOTICE, 3)


def test_what_the_file_says_goes_before_a_rule() -> None:
    found = check(rule(severity=NOTICE, weight=9), declared=Declared(severity=WARNING, weight=0))
    assert (found.severity, found.weight) == (WARNING, 0)


def test_an_enforced_rule_goes_before_the_file_and_before_later_rules() -> None:
    found = check(
        rule(severity=ERROR, weight=5, enforce=True),
        rule(severity=NOTICE, weight=2),
        declared=Declared(severity=WARNING, weight=3),
    )
    assert (found.severity, found.weight) == (ERROR, 5)


def test_must_pass_implies_severity_error_whatever_else_is_said() -> None:
    found = check(rule(must_pass=True), rule(severity=NOTICE), declared=Declared(severity=WARNING))
    assert (found.severity, found.must_pass, found.gating) == (ERROR, True, True)


@pytest.mark.parametrize(
    ("bar", "severity", "gating"),
    [
        (ERROR, ERROR, True),
        (ERROR, WARNING, False),
        (WARNING, WARNING, True),
        (WARNING, NOTICE, False),
        (NOTICE, NOTICE, True),
    ],
)
def test_a_check_gates_at_or_above_the_bar(
    bar: Severity,
    severity: Severity,
    gating: bool,  # noqa: FBT001 - a table
) -> None:
    settings = config(gate=GatePolicy(severity=bar))
    assert check(rule(severity=severity), settings=settings).gating is gating


@pytest.mark.parametrize(
    ("match", "matches"),
    [
        (Match(), True),
        (Match(path="evals/**"), True),
        (Match(path="other/**"), False),
        (Match(kind="evaluator"), True),
        (Match(kind="grader"), False),
        (Match(evaluator="ExactMatch"), True),
        (Match(evaluator="exactmatch"), False),
        (Match(agent="support"), True),
        (Match(agent="billing"), False),
        (Match(tag="money"), True),
        (Match(tag="fast"), False),
        (Match(id="late-*"), True),
        (Match(id="own-id"), True),
        (Match(id="early-*"), False),
        (Match(tag="money", evaluator="ExactMatch", path="evals/a.json"), True),
        (Match(tag="money", evaluator="Citations"), False),
    ],
)
def test_a_rule_matches_where_every_key_that_is_set_does(
    match: Match,
    matches: bool,  # noqa: FBT001 - a table
) -> None:
    found = check(rule(match, severity=NOTICE), declared=Declared(id="own-id"))
    assert (found.severity is NOTICE) is matches
