"""What holds for every gate, whatever was measured."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mergebar import gating
from mergebar.gating import Facts
from mergebar.model.configuration import GatePolicy
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.documents import Severity
from mergebar.model.plans import PlannedCheck, Skip
from mergebar.model.results import CheckResult, Outcome
from support.builders import check, errored, failed, needs_review, passed, skipped
from support.builders import suite as a_suite

PATHS = ("evals/a.json", "evals/b.json", "evals/c.json")
MEASURED = {Outcome.PASS, Outcome.FAIL, Outcome.NEEDS_REVIEW}
BUILD = (
    passed,
    failed,
    errored,
    needs_review,
    skipped,
    lambda of: skipped(of, Skip.WITHHELD),
)


@st.composite
def results(draw: st.DrawFn) -> tuple[CheckResult, ...]:
    made = []
    for index in range(draw(st.integers(0, 8))):
        suite = draw(st.sampled_from(PATHS[:2]))
        severity = draw(st.sampled_from(list(Severity)))
        must_pass = draw(st.booleans())
        planned: PlannedCheck = replace(
            check(suite=suite, severity=severity, must_pass=must_pass),
            id=f"{suite}::{index}::0::X",
            weight=draw(st.sampled_from([0.0, 0.1, 1.0, 2.5, 3.0])),
            group=draw(st.sampled_from([0, 1, None])),
            agent=suite,
        )
        result = draw(st.sampled_from(BUILD))(planned)
        carried = result.outcome in MEASURED and draw(st.booleans())
        made.append(replace(result, carried=carried))
    return tuple(made)


@st.composite
def facts(draw: st.DrawFn) -> Facts:
    checks = draw(results())
    ids = [one.check.id for one in checks]
    some_ids = st.frozensets(st.sampled_from(ids)) if ids else st.just(frozenset[str]())
    affected = {one.check.suite for one in checks}
    return Facts(
        checks=checks,
        suites=tuple(a_suite(path, affected=path in affected) for path in PATHS),
        policy=GatePolicy(
            severity=draw(st.sampled_from(list(Severity))),
            known_failures_block=draw(st.booleans()),
            new_failures_block=draw(st.booleans()),
            reviews_block=draw(st.booleans()),
            unmeasured=draw(st.sampled_from([0.0, 0.25, 1.0])),
            loosened_review=draw(st.booleans()),
        ),
        groups=(draw(st.sampled_from([None, 0.5, 0.9])), None),
        complete=draw(st.booleans()),
        known=draw(some_ids),
        new=draw(st.none() | some_ids),
        drop=draw(st.sampled_from([None, None, "the pass rate fell"])),
        loosened=draw(st.sampled_from([None, "1 loosened"])),
    )


GOODNESS = {
    DecisionOutcome.FAILED: 0,
    DecisionOutcome.COULD_NOT_EVALUATE: 1,
    DecisionOutcome.NEEDS_REVIEW: 2,
    DecisionOutcome.PASSED: 3,
}


@given(facts(), st.data())
def test_order_never_matters(given_facts: Facts, data: st.DataObject) -> None:
    checks = data.draw(st.permutations(given_facts.checks))
    suites = data.draw(st.permutations(given_facts.suites))
    shuffled = replace(given_facts, checks=tuple(checks), suites=tuple(suites))
    assert gating.decide(shuffled) == gating.decide(given_facts)


@given(facts(), st.sampled_from(PATHS[:2]))
def test_an_unreachable_agent_never_passes(given_facts: Facts, agent: str) -> None:
    unreachable = tuple(
        errored(one.check) if one.check.agent == agent else one for one in given_facts.checks
    )
    asked = any(one.check.agent == agent for one in unreachable)
    decision = gating.decide(replace(given_facts, checks=unreachable))
    assert not asked or decision.outcome is not DecisionOutcome.PASSED


@given(facts(), st.data())
def test_a_better_result_never_makes_the_decision_worse(
    given_facts: Facts, data: st.DataObject
) -> None:
    failing = [
        index
        for index, one in enumerate(given_facts.checks)
        if one.outcome in {Outcome.FAIL, Outcome.ERROR, Outcome.NEEDS_REVIEW}
    ]
    if not failing:
        return
    index = data.draw(st.sampled_from(failing))
    checks = list(given_facts.checks)
    checks[index] = passed(checks[index].check)
    better = gating.decide(replace(given_facts, checks=tuple(checks)))
    before = gating.decide(given_facts)
    assert GOODNESS[better.outcome] >= GOODNESS[before.outcome]


@given(facts(), st.floats(0.001, 1000))
def test_scaling_all_weights_changes_nothing(given_facts: Facts, factor: float) -> None:
    scaled = tuple(
        replace(one, check=replace(one.check, weight=one.check.weight * factor))
        for one in given_facts.checks
    )
    assert gating.decide(replace(given_facts, checks=scaled)) == gating.decide(given_facts)
    assert gating.pass_rate(scaled) == gating.pass_rate(given_facts.checks)


@given(facts())
def test_never_green_with_something_affected_and_nothing_measured(given_facts: Facts) -> None:
    unmeasured = tuple(
        errored(one.check) if one.outcome in MEASURED and not one.carried else one
        for one in given_facts.checks
    )
    decision = gating.decide(replace(given_facts, checks=unmeasured))
    if decision.outcome is DecisionOutcome.PASSED:
        assert all(one.skip is Skip.DECLINED or one.carried for one in unmeasured)
        assert decision.headline.startswith(
            ("nothing affected", "nothing measured: skipped by its authors")
        )


@given(facts(), st.data())
def test_what_is_carried_never_blocks_by_itself(given_facts: Facts, data: st.DataObject) -> None:
    """Unrated, its outcome changes nothing at all, and it doesn't even have to be there."""
    unrated = replace(given_facts, groups=())
    builds = st.sampled_from((passed, failed, needs_review))
    otherwise = tuple(
        replace(data.draw(builds)(one.check), carried=True) if one.carried else one
        for one in unrated.checks
    )
    before = gating.decide(unrated)
    after = gating.decide(replace(unrated, checks=otherwise))
    assert (after.outcome, after.headline) == (before.outcome, before.headline)
    failing = {one.check.id for one in otherwise if one.carried}
    for reason in after.reasons:
        if reason.rule not in {"carried-failures", "declined"}:
            assert failing.isdisjoint(reason.checks)


@given(facts())
def test_a_looser_bar_passes_only_where_nobody_has_to_look_at_it(given_facts: Facts) -> None:
    decision = gating.decide(replace(given_facts, loosened="2 loosened"))
    assert "2 loosened" in decision.headline
    if given_facts.policy.loosened_review:
        assert decision.outcome is not DecisionOutcome.PASSED


@given(facts())
def test_a_decision_says_why_unless_it_passed(given_facts: Facts) -> None:
    decision = gating.decide(given_facts)
    assert decision.headline
    assert decision.reasons or decision.outcome is DecisionOutcome.PASSED
