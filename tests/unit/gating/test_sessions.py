"""Evals on several sessions: one verdict is enough, and a session that can't be read never is."""

from dataclasses import replace

import pytest

from mergebar import gating
from mergebar.model.configuration import GatePolicy
from mergebar.model.conversations import ErrorClass
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.plans import CheckKind, PlannedCheck, Skip, SuiteKind
from mergebar.model.results import CheckResult
from support import builders

SKILL = ".claude/skills/mend/SKILL.md"


def check(name: str, session: str, *, must_pass: bool = False) -> PlannedCheck:
    made = builders.check(
        name, suite=SKILL, case=session, agent=None, group=None, must_pass=must_pass
    )
    return replace(made, kind=CheckKind.GRADER, turn=None, id=f"{SKILL}::{session}::{name}")


def outcome(*checks: CheckResult, policy: GatePolicy | None = None) -> DecisionOutcome:
    suite = replace(builders.suite(SKILL), kind=SuiteKind.ARTIFACT, document=None)
    facts = gating.Facts(checks=checks, suites=(suite,), policy=policy or GatePolicy())
    return gating.decide(facts).outcome


def withheld(name: str, session: str, *, must_pass: bool = False) -> CheckResult:
    return builders.skipped(check(name, session, must_pass=must_pass), Skip.WITHHELD)


def errored(name: str, session: str, error: ErrorClass) -> CheckResult:
    return builders.errored(check(name, session), error=builders.failure("lost", error))


def test_a_verdict_on_one_session_makes_up_for_those_that_did_not_use_it() -> None:
    assert outcome(
        builders.passed(check("dry", "a")), withheld("dry", "b"), withheld("dry", "c")
    ) is DecisionOutcome.PASSED  # fmt: skip


def test_each_eval_needs_a_verdict_of_its_own() -> None:
    assert outcome(
        builders.passed(check("dry", "a")), withheld("dry", "b"), withheld("clean", "a")
    ) is DecisionOutcome.COULD_NOT_EVALUATE  # fmt: skip


def test_without_any_verdict_it_is_unmeasured() -> None:
    assert outcome(withheld("dry", "a"), withheld("dry", "b")) is DecisionOutcome.COULD_NOT_EVALUATE


def test_a_fail_is_a_verdict_and_blocks() -> None:
    assert (
        outcome(builders.failed(check("dry", "a")), withheld("dry", "b")) is DecisionOutcome.FAILED
    )


def test_a_check_that_waits_for_a_person_is_a_verdict() -> None:
    assert (
        outcome(builders.needs_review(check("dry", "a")), withheld("dry", "b"))
        is DecisionOutcome.NEEDS_REVIEW
    )


def test_what_must_pass_is_made_up_for_too() -> None:
    passed = builders.passed(check("dry", "a", must_pass=True))

    assert outcome(passed, withheld("dry", "b", must_pass=True)) is DecisionOutcome.PASSED


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ErrorClass.TIMEOUT, DecisionOutcome.PASSED),
        (ErrorClass.THROTTLED, DecisionOutcome.PASSED),
        (ErrorClass.BAD_RESPONSE, DecisionOutcome.COULD_NOT_EVALUATE),
        (ErrorClass.BUDGET, DecisionOutcome.COULD_NOT_EVALUATE),
    ],
)
def test_an_error_is_made_up_for_unless_somebody_has_to_look_at_it(
    error: ErrorClass, expected: DecisionOutcome
) -> None:
    assert outcome(builders.passed(check("dry", "a")), errored("dry", "b", error)) is expected


def test_the_evaluators_of_documents_never_make_up_for_one_another() -> None:
    case = builders.check("ExactMatch", case="a")
    other = builders.check("ExactMatch", case="b")
    suite = builders.suite()
    facts = gating.Facts(
        checks=(builders.passed(case), builders.skipped(other, Skip.WITHHELD)),
        suites=(suite,),
        policy=GatePolicy(),
    )

    assert gating.decide(facts).outcome is DecisionOutcome.COULD_NOT_EVALUATE


def test_what_is_made_up_for_is_in_neither_half_of_the_share() -> None:
    policy = GatePolicy(unmeasured=0.4)
    checks = [builders.passed(check("dry", "a")), withheld("clean", "a")]
    checks += [withheld("dry", each) for each in "bcdefgh"]

    assert outcome(*checks, policy=policy) is DecisionOutcome.COULD_NOT_EVALUATE
