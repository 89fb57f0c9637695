"""Where the configuration of a change asks for less than that of the base."""

import dataclasses
from collections.abc import Sequence

import pytest

from mergebar import comparing
from mergebar.comparing import Circumstances, Policies
from mergebar.comparing.policies import compare
from mergebar.model.comparisons import Loosening
from mergebar.model.configuration import Config, GatePolicy, Match, Mode, Rule
from mergebar.model.documents import Severity
from mergebar.model.problems import Location
from support.builders import config, group, judge_config
from support.comparisons import BASELINE, JUDGE, check, measured, report


def said(base: Config, head: Config, *, rules: bool = True) -> list[str]:
    found = compare(Policies(base=base, head=head, rules=rules))
    return [f"{one.what} {one.was} → {one.now}" for one in found]


@pytest.mark.parametrize(
    ("looser", "expected"),
    [
        (GatePolicy(mode=Mode.ADVISE), "`gate.mode` enforce → advise"),
        (GatePolicy(known_failures_block=False), "`gate.known_failures` block → allow"),
        (GatePolicy(new_failures_block=False), "`gate.new_failures` block → warn"),
        (GatePolicy(reviews_block=False), "`gate.reviews` block → ignore"),
        (GatePolicy(unmeasured=0.25), "`gate.unmeasured` 0 → 0.25"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_looser_gate_is_told_and_a_stricter_one_isnt(looser: GatePolicy, expected: str) -> None:
    assert said(config(), config(gate=looser)) == [expected]
    assert said(config(gate=looser), config()) == []


@pytest.mark.parametrize(
    ("strict", "loose", "expected"),
    [
        (
            GatePolicy(severity=Severity.NOTICE),
            GatePolicy(severity=Severity.ERROR),
            "`gate.severity` notice → error",
        ),
        (GatePolicy(loosened_review=True), GatePolicy(), "`gate.loosened` review → report"),
        (GatePolicy(max_drop=0.05), GatePolicy(), "`gate.max_drop` 0.05 → unset"),
        (GatePolicy(max_drop=0.05), GatePolicy(max_drop=0.1), "`gate.max_drop` 0.05 → 0.1"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_was_strict_on_the_base_is_told(
    strict: GatePolicy, loose: GatePolicy, expected: str
) -> None:
    assert said(config(gate=strict), config(gate=loose)) == [expected]
    assert said(config(gate=loose), config(gate=strict)) == []


def test_a_floor_where_all_had_to_pass_is_looser_and_so_is_a_lower_one() -> None:
    bare, high, low = (
        config(documents=[group("evals/**", min_pass_rate=floor)]) for floor in (None, 0.9, 0.5)
    )
    assert said(bare, high) == ["`min_pass_rate` of `evals/**` unset → 0.9"]
    assert said(high, low) == ["`min_pass_rate` of `evals/**` 0.9 → 0.5"]
    assert said(low, high) == said(high, bare) == []


def test_fewer_runs_of_a_group_are_looser() -> None:
    many, few = (config(documents=[group("evals/**", runs=runs)]) for runs in (5, 1))
    assert said(many, few) == ["`runs` of `evals/**` 5 → 1"]
    assert said(few, many) == []


def test_groups_are_known_by_their_paths() -> None:
    base = config(documents=[group("a/**", runs=5), group("b/**", runs=1)])
    head = config(documents=[group("b/**", runs=1), group("a/**", runs=5)])
    assert said(base, head) == []


JUDGED = judge_config()


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (dataclasses.replace(JUDGED, model="gpt-5"), "`judge.model` `gpt-5-mini` → `gpt-5`"),
        (dataclasses.replace(JUDGED, type="azure"), "`judge.type` `openai` → `azure`"),
        (
            dataclasses.replace(JUDGED, options={"base_url": "http://elsewhere"}),
            "options of `judge` as on the base → changed",
        ),
        (dataclasses.replace(JUDGED, confirm_failures=2), "`judge.confirm_failures` 0 → 2"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_another_judge_or_a_milder_one_is_told(head: object, expected: str) -> None:
    base = config(judge=JUDGED)
    found = said(base, dataclasses.replace(base, judge=head))  # type: ignore[arg-type]
    assert expected in found


def test_fewer_votes_are_told_and_a_slower_judge_isnt() -> None:
    three = dataclasses.replace(JUDGED, runs=3)
    assert said(config(judge=three), config(judge=JUDGED)) == ["`judge.runs` 3 → 1"]
    slow = dataclasses.replace(JUDGED, timeout_s=1, attempts=1, concurrency=1)
    assert said(config(judge=JUDGED), config(judge=slow)) == []


def rule(
    evaluator: str = "Coherence",
    *,
    severity: Severity | None = None,
    weight: float | None = None,
    must_pass: bool = False,
    enforce: bool = False,
    line: int = 1,
) -> Rule:
    return Rule(
        match=Match(evaluator=evaluator),
        severity=severity,
        weight=weight,
        must_pass=must_pass,
        enforce=enforce,
        location=Location(path="mergebar.yml", line=line),
    )


WARNING = rule(severity=Severity.WARNING)
STRICT = rule(must_pass=True)
TITLE = "rule `evaluator: Coherence`"


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ([], [WARNING], [f"{TITLE} no rule → severity warning"]),
        ([], [rule(weight=0.5)], [f"{TITLE} no rule → weight 0.5"]),
        ([STRICT], [], [f"{TITLE} must pass → no rule"]),
        ([rule(weight=3)], [], [f"{TITLE} weight 3 → no rule"]),
        ([rule(weight=3)], [rule(weight=2)], [f"{TITLE} weight 3 → weight 2"]),
        ([STRICT], [WARNING], [f"{TITLE} must pass → severity warning"]),
        (
            [rule(severity=Severity.ERROR, enforce=True)],
            [rule(severity=Severity.ERROR)],
            [f"{TITLE} severity error, enforced → severity error"],
        ),
        ([WARNING], [], []),
        ([], [STRICT], []),
        ([], [rule(weight=3)], []),
        ([WARNING], [rule(severity=Severity.ERROR)], []),
        ([rule(line=1)], [rule(line=9)], []),
        ([WARNING, STRICT], [WARNING], [f"{TITLE} must pass → no rule"]),
    ],
)
def test_rules_that_let_off_are_told(
    base: Sequence[Rule], head: Sequence[Rule], expected: list[str]
) -> None:
    assert said(config(rules=base), config(rules=head)) == expected


def test_the_order_of_rules_matters_because_the_last_one_wins() -> None:
    one, two = rule("A", severity=Severity.ERROR), rule("B", severity=Severity.ERROR)
    assert said(config(rules=[one, two]), config(rules=[two, one])) == [
        "order of `rules` as on the base → changed"
    ]
    assert said(config(rules=[one, two]), config(rules=[one, rule("C"), two])) == []


def test_rules_are_left_out_where_their_effects_show_in_the_checks() -> None:
    assert said(config(), config(rules=[WARNING]), rules=False) == []


def test_a_configuration_isnt_looser_than_itself() -> None:
    rules = [WARNING, STRICT, rule("X", weight=0.1)]
    everything = config(
        judge=JUDGED, rules=rules, gate=GatePolicy(mode=Mode.ADVISE, unmeasured=1, max_drop=0.5)
    )
    assert said(everything, everything) == []


def test_another_judge_in_the_policy_isnt_told_again_for_the_checks() -> None:
    base = config(judge=JUDGED)
    head = dataclasses.replace(base, judge=dataclasses.replace(JUDGED, model="gpt-5"))
    judged = check("a", name="Relevance", parts=measured(judged=True))
    found = comparing.compare(
        report(judged),
        report(judged, judge=dataclasses.replace(JUDGE, model="gpt-5")),
        baseline=BASELINE,
        circumstances=Circumstances(policies=Policies(base=base, head=head)),
    )
    assert [(one.kind, one.what) for one in found.loosened] == [(Loosening.JUDGE, "`judge.model`")]


def test_a_looser_policy_is_told_without_a_baseline_too() -> None:
    policies = Policies(base=config(), head=config(gate=GatePolicy(mode=Mode.ADVISE)))
    found = comparing.compare(
        None, report(check("a")), baseline=None, circumstances=Circumstances(policies=policies)
    )
    assert [one.kind for one in found.loosened] == [Loosening.POLICY]


def test_fewer_runs_of_a_group_that_show_in_its_checks_are_told_once() -> None:
    """And those of a group of which nothing was measured are told by the group."""
    base = config(documents=[group("evals/**", runs=3), group("more/**", runs=5)])
    head = config(documents=[group("evals/**", runs=1), group("more/**", runs=2)])
    found = comparing.compare(
        report(check("a", "fail", parts=measured(runs=3))),
        report(check("a", parts=measured(runs=1))),
        baseline=BASELINE,
        circumstances=Circumstances(policies=Policies(base=base, head=head)),
    ).loosened

    told = [(one.what, one.was, one.now, len(one.failing)) for one in found]
    assert told == [("runs of `ExactMatch`", "3", "1", 1), ("`runs` of `more/**`", "5", "2", 0)]
