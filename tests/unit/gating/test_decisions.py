"""The decision, rule by rule (product contract, section 8)."""

from dataclasses import replace

import pytest

from mergebar import gating
from mergebar.gating import Facts
from mergebar.model.comparisons import Loosened, Loosening
from mergebar.model.configuration import GatePolicy
from mergebar.model.conversations import ErrorClass
from mergebar.model.decisions import Decision, DecisionOutcome
from mergebar.model.documents import Severity
from mergebar.model.plans import Skip, Withholding
from mergebar.model.problems import Level
from mergebar.model.results import CheckResult
from support import comparisons
from support.builders import (
    check,
    errored,
    failed,
    failure,
    needs_review,
    passed,
    planned_case,
    problem,
    skipped,
)
from support.builders import suite as a_suite

PASSED, FAILED = DecisionOutcome.PASSED, DecisionOutcome.FAILED
INVALID, UNSURE = DecisionOutcome.INVALID, DecisionOutcome.COULD_NOT_EVALUATE
REVIEW = DecisionOutcome.NEEDS_REVIEW


def facts(*checks: CheckResult, **policy: object) -> Facts:
    """Facts over checks, each under its own id, in affected suites."""
    numbered = tuple(
        replace(one, check=replace(one.check, id=f"{one.check.suite}::c{index}::0::X"))
        for index, one in enumerate(checks)
    )
    paths = sorted({one.check.suite for one in checks})
    return Facts(
        checks=numbered,
        suites=tuple(a_suite(path) for path in paths),
        policy=replace(GatePolicy(), **policy),  # type: ignore[arg-type]
    )


def decide(*checks: CheckResult, **policy: object) -> Decision:
    return gating.decide(facts(*checks, **policy))


def verdict(decision: Decision) -> tuple[DecisionOutcome, str]:
    return decision.outcome, decision.headline


def reasons(decision: Decision) -> dict[str, str]:
    return {reason.rule: reason.message for reason in decision.reasons}


WARNING = check(severity=Severity.WARNING)
MUST = check(must_pass=True)
ELSEWHERE = check(suite="evals/b.json")


# --- passed


def test_all_measured_and_passed_is_a_pass() -> None:
    decision = decide(passed(), passed())
    assert verdict(decision) == (PASSED, "2 checks measured")
    assert (decision.exit_code, decision.reasons) == (0, ())


def test_nothing_affected_is_a_pass_and_says_so() -> None:
    unaffected = Facts(checks=(), suites=(a_suite(affected=False),), policy=GatePolicy())
    assert verdict(gating.decide(unaffected)) == (PASSED, "nothing affected")
    assert verdict(gating.decide(replace(unaffected, suites=()))) == (PASSED, "nothing affected")


def test_where_all_was_declined_the_headline_says_that_nothing_was_measured() -> None:
    decision = decide(skipped(), skipped())
    assert verdict(decision) == (PASSED, "nothing measured: skipped by its authors")


def test_a_failing_check_below_the_bar_passes_and_says_why() -> None:
    decision = decide(passed(), failed(WARNING))
    assert verdict(decision) == (PASSED, "2 checks measured")
    assert reasons(decision) == {
        "below-severity": ("1 failing check does not block: severity `warning` is below `error`")
    }
    assert decision.reasons[0].checks == ("evals/a.json::c1::0::X",)


# --- failed


def test_a_failing_gating_check_blocks() -> None:
    decision = decide(passed(), failed(), failed())
    assert verdict(decision) == (FAILED, "2 checks block")
    assert decision.exit_code == 1
    assert decision.reasons[0].checks == ("evals/a.json::c1::0::X", "evals/a.json::c2::0::X")
    assert decide(failed()).headline == "1 check blocks"


def test_quality_beats_infrastructure() -> None:
    decision = decide(failed(), errored(), errored())
    assert decision.outcome is FAILED
    assert list(reasons(decision)) == ["check-failed", "unmeasured"]


def test_a_must_pass_check_blocks_whatever_is_let_pass() -> None:
    lax = {"new_failures_block": False, "known_failures_block": False, "severity": Severity.ERROR}
    assert decide(failed(MUST), **lax).outcome is FAILED
    known = replace(facts(failed(MUST), **lax), known=frozenset({"evals/a.json::c0::0::X"}))
    assert gating.decide(known).outcome is FAILED
    rated = replace(facts(failed(MUST), *[passed()] * 9), groups=(0.5,))
    assert gating.decide(rated).outcome is FAILED


def test_a_known_failure_is_let_pass_only_where_that_is_allowed() -> None:
    known = replace(
        facts(failed(), passed()), known=frozenset({"evals/a.json::c0::0::X"}), new=frozenset()
    )
    assert gating.decide(known).outcome is FAILED
    allowed = gating.decide(replace(known, policy=GatePolicy(known_failures_block=False)))
    assert allowed.outcome is PASSED
    assert reasons(allowed)["failure-allowed"] == (
        "1 failing check does not block: known failures, and `gate.known_failures` is `allow`"
    )


def test_without_a_baseline_every_failure_is_a_new_one() -> None:
    warned = decide(failed(), new_failures_block=False)
    assert warned.outcome is PASSED
    assert "no baseline knows" in reasons(warned)["failure-allowed"]


def test_with_a_baseline_only_what_it_doesnt_know_is_new() -> None:
    given = replace(
        facts(failed(), failed(), new_failures_block=False),
        new=frozenset({"evals/a.json::c0::0::X"}),
    )
    decision = gating.decide(given)
    assert verdict(decision) == (FAILED, "1 check blocks")
    assert decision.reasons[0].checks == ("evals/a.json::c1::0::X",)


def test_a_rated_group_below_its_floor_blocks() -> None:
    given = replace(facts(failed(), passed(), passed()), groups=(0.7,))
    decision = gating.decide(given)
    assert verdict(decision) == (FAILED, "1 rated group below the floor")
    assert reasons(decision)["rate-below-floor"] == (
        "the pass rate of document group 1 is below its floor: 0.6666 < 0.7"
    )


def test_a_rated_group_at_its_floor_passes_with_its_failures_said() -> None:
    given = replace(facts(failed(), passed(), passed(), passed()), groups=(0.75,))
    decision = gating.decide(given)
    assert decision.outcome is PASSED
    assert reasons(decision)["rate-above-floor"] == (
        "1 failing check does not block: the pass rate of document group 1 is 0.7500, "
        "and its floor is 0.75"
    )


def test_weights_count_in_the_rate_of_a_group() -> None:
    heavy = failed(check(weight=3))
    assert gating.decide(replace(facts(heavy, passed()), groups=(0.5,))).outcome is FAILED
    assert gating.decide(replace(facts(failed(), passed()), groups=(0.5,))).outcome is PASSED


def test_a_drop_of_the_pass_rate_blocks() -> None:
    decision = gating.decide(replace(facts(passed()), drop="the pass rate fell by 0.08"))
    assert verdict(decision) == (FAILED, "the pass rate fell by 0.08")


# --- could not evaluate


def test_an_unmeasured_check_cant_pass() -> None:
    decision = decide(*[passed()] * 6, *[errored()] * 14)
    assert verdict(decision) == (UNSURE, "14 of 20 checks not measured: throttled")
    assert decision.exit_code == 3


def test_a_share_of_checks_may_go_unmeasured_where_that_is_said() -> None:
    decision = decide(passed(), passed(), passed(), errored(), unmeasured=0.25)
    assert decision.outcome is PASSED
    assert reasons(decision)["unmeasured-allowed"] == (
        "1 of 4 gating checks not measured (throttled), within the 0.25 that "
        "`gate.unmeasured` allows"
    )
    assert decide(passed(), passed(), errored(), unmeasured=0.25).outcome is UNSURE


def test_declined_checks_dont_thin_out_the_unmeasured() -> None:
    declined = [skipped()] * 20
    assert decide(passed(), errored(), *declined, unmeasured=0.25).outcome is UNSURE


def test_withheld_is_unmeasured_and_declined_is_not() -> None:
    assert decide(passed(), skipped(kind=Skip.DECLINED)).outcome is PASSED
    decision = decide(passed(), skipped(kind=Skip.WITHHELD))
    assert verdict(decision) == (UNSURE, "1 of 2 checks not measured: something is missing")


def test_a_check_that_cant_block_may_go_unmeasured() -> None:
    decision = decide(passed(), errored(WARNING))
    assert decision.outcome is PASSED
    assert reasons(decision)["unmeasured-allowed"] == (
        "1 check that can't block not measured (throttled)"
    )


def test_a_suite_of_which_nothing_was_measured_cant_pass_whatever_is_tolerated() -> None:
    decision = decide(*[passed()] * 9, errored(ELSEWHERE), unmeasured=1.0)
    assert decision.outcome is UNSURE
    assert reasons(decision)["suite-unmeasured"] == (
        "nothing was measured of 1 affected suite: `evals/b.json`"
    )


def test_a_suite_whose_checks_cant_block_still_has_to_be_measured() -> None:
    assert decide(passed(), errored(replace(ELSEWHERE, gating=False))).outcome is UNSURE


def test_an_affected_suite_without_any_check_cant_pass() -> None:
    empty = Facts(checks=(), suites=(a_suite(),), policy=GatePolicy())
    assert verdict(gating.decide(empty)) == (UNSURE, "nothing to measure in `evals/a.json`")


def test_declined_and_unmeasured_together_are_not_declined() -> None:
    assert decide(skipped(), errored(WARNING), unmeasured=1.0).outcome is UNSURE


def test_an_unmeasured_must_pass_check_cant_pass_whatever_is_tolerated() -> None:
    decision = decide(passed(), errored(MUST), unmeasured=1.0)
    assert decision.outcome is UNSURE
    assert reasons(decision)["must-pass-unmeasured"] == (
        "1 check that must pass not measured: throttled"
    )


def test_a_budget_used_up_cant_pass_whatever_is_tolerated() -> None:
    spent = errored(WARNING, error=failure("no calls left", ErrorClass.BUDGET))
    decision = decide(passed(), spent, unmeasured=1.0)
    assert decision.outcome is UNSURE
    assert reasons(decision)["budget-used-up"].startswith("the budget ran out before 1 check: ")


def test_several_causes_are_named_the_most_frequent_first() -> None:
    slow = errored(error=failure("too slow", ErrorClass.TIMEOUT))
    refused = errored(error=failure("401", ErrorClass.AUTH))
    assert decide(passed(), slow, slow, errored()).headline == (
        "3 of 4 checks not measured: timeout, throttled"
    )
    assert decide(slow, slow, errored(), refused).headline == (
        "4 of 4 checks not measured: timeout, auth, …"
    )


def test_an_interrupted_run_counts_what_nobody_came_to() -> None:
    done, left, declined = (replace(check(), id=name) for name in ("done", "left", "declined"))
    by_author = Withholding(kind=Skip.DECLINED, reason="skipped by its author")
    case = replace(
        planned_case(),
        checks=(done, left, replace(left, id="more"), replace(declined, skip=by_author)),
    )
    cut = Facts(
        checks=(passed(done),),
        suites=(replace(a_suite(), cases=(case,)),),
        policy=GatePolicy(),
        complete=False,
    )

    reasons = [reason.message for reason in gating.decide(cut).reasons]

    assert "the run was interrupted with 1 of 3 checks measured" in reasons


def test_an_interrupted_run_is_at_best_not_evaluated() -> None:
    cut = replace(facts(passed(), errored()), complete=False)
    assert verdict(gating.decide(cut)) == (UNSURE, "1 of 2 checks not measured: interrupted")
    assert gating.decide(replace(facts(passed()), complete=False)).outcome is UNSURE
    assert gating.decide(replace(facts(failed()), complete=False)).outcome is FAILED


# --- needs review


def test_an_outstanding_review_is_what_is_left() -> None:
    decision = decide(passed(), needs_review())
    assert verdict(decision) == (REVIEW, "1 check needs review")
    assert decision.exit_code == 4
    assert decide(passed(), needs_review(), reviews_block=False).outcome is PASSED
    assert decide(passed(), needs_review(WARNING)).outcome is PASSED
    assert decide(needs_review(), errored()).outcome is UNSURE


# --- invalid


def test_an_invalid_configuration_beats_everything_and_the_rest_is_still_said() -> None:
    given = replace(facts(failed()), config_problems=(problem("`x` is unknown", path="m.yml"),))
    decision = gating.decide(given)
    assert verdict(decision) == (INVALID, "the configuration is invalid: 1 problem")
    assert decision.exit_code == 2
    assert reasons(decision)["config-invalid"] == "m.yml:3:1: `x` is unknown"
    assert "check-failed" in reasons(decision)


def test_a_warning_about_the_configuration_decides_nothing() -> None:
    given = replace(facts(passed()), config_problems=(problem(level=Level.WARNING),))
    assert gating.decide(given).outcome is PASSED


def test_an_invalid_affected_suite_is_invalid_and_an_unaffected_one_only_said() -> None:
    broken = a_suite("evals/b.json", problems=[problem(path="evals/b.json")])
    given = facts(passed())
    decision = gating.decide(replace(given, suites=(*given.suites, broken)))
    assert verdict(decision) == (INVALID, "1 affected suite is invalid: `evals/b.json`")
    assert reasons(decision) == {
        "suite-invalid": "`evals/b.json` is invalid (1 error): evals/b.json:3:1: it is broken"
    }
    aside = replace(broken, affected=False)
    decision = gating.decide(replace(given, suites=(*given.suites, aside)))
    assert decision.outcome is PASSED
    assert "not affected" in reasons(decision)["unaffected-invalid"]


def test_many_suites_are_counted_and_a_few_are_named() -> None:
    suites = tuple(a_suite(f"evals/{n}.json", problems=[problem()]) for n in range(5))
    decision = gating.decide(Facts(checks=(), suites=suites, policy=GatePolicy()))
    assert decision.headline == (
        "5 affected suites are invalid: `evals/0.json`, `evals/1.json`, `evals/2.json` and 2 more"
    )


# --- carried


def carried(result: CheckResult) -> CheckResult:
    return replace(result, carried=True)


def test_a_carried_failure_is_said_and_doesnt_block() -> None:
    decision = decide(passed(), carried(failed()), carried(failed()))
    assert verdict(decision) == (PASSED, "1 check measured, 2 carried from the baseline")
    assert reasons(decision) == {
        "carried-failures": "2 failing checks do not block: this change doesn't affect them"
    }


def test_a_carried_check_that_must_pass_doesnt_block_what_doesnt_touch_it() -> None:
    assert decide(passed(), carried(failed(MUST))).outcome is PASSED


def test_a_carried_review_is_not_outstanding() -> None:
    assert decide(passed(), carried(needs_review())).outcome is PASSED


def test_a_group_below_its_floor_blocks_only_where_a_check_of_it_failed_here() -> None:
    others = [carried(failed()), carried(failed()), passed()]
    assert gating.decide(replace(facts(*others), groups=(0.9,))).outcome is PASSED
    blocked = gating.decide(replace(facts(*others, failed()), groups=(0.9,)))
    assert blocked.outcome is FAILED
    assert blocked.reasons[0].checks == ("evals/a.json::c3::0::X",)


def test_carried_checks_lift_the_rate_of_a_group() -> None:
    given = replace(facts(*[carried(passed())] * 9, failed()), groups=(0.9,))
    assert gating.decide(given).outcome is PASSED


def test_carried_checks_dont_thin_out_the_unmeasured() -> None:
    mostly = [carried(passed())] * 20
    decision = decide(passed(), errored(), *mostly, unmeasured=0.25)
    assert verdict(decision) == (UNSURE, "1 of 2 checks not measured: throttled")


def test_a_suite_of_which_only_carried_checks_have_a_result_was_not_measured() -> None:
    decision = decide(passed(ELSEWHERE), errored(WARNING), carried(passed()))
    assert decision.outcome is UNSURE
    assert reasons(decision)["suite-unmeasured"] == (
        "nothing was measured of 1 affected suite: `evals/a.json`"
    )


def test_where_all_that_was_left_of_a_suite_is_carried_nothing_was_affected() -> None:
    decision = decide(carried(passed()), carried(failed()))
    assert verdict(decision) == (PASSED, "nothing affected, 2 carried from the baseline")


# --- loosened


def test_a_looser_bar_is_said_and_passes() -> None:
    given = replace(facts(passed()), loosened="3 loosened, 1 of them failing on main")
    assert verdict(gating.decide(given)) == (
        PASSED,
        "1 check measured · 3 loosened, 1 of them failing on main",
    )


def test_a_looser_bar_waits_for_a_person_where_the_gate_says_so() -> None:
    given = replace(
        facts(passed(), needs_review(), loosened_review=True),
        loosened="1 loosened",
        comparison=comparisons.comparison(
            loosened=[
                Loosened(
                    kind=Loosening.SKIP,
                    suite="evals/a.json",
                    what="`X`",
                    was="measured",
                    now="skipped",
                    checks=("b", "a"),
                )
            ]
        ),
    )
    decision = gating.decide(given)
    assert verdict(decision) == (REVIEW, "1 check needs review · 1 loosened")
    assert decision.reasons[-1].message == "1 loosened, and `gate.loosened` is `review`"
    assert decision.reasons[-1].checks == ("a", "b")
    assert gating.decide(replace(given, checks=(failed(),))).headline == (
        "1 check blocks · 1 loosened"
    )


# --- the pass rate


@pytest.mark.parametrize(
    ("checks", "rate"),
    [
        ([], None),
        ([errored(), skipped(), needs_review()], None),
        ([failed(WARNING)], None),
        ([passed(), failed(), errored(), failed(WARNING)], 0.5),
        ([passed(check(weight=3)), failed()], 0.75),
        ([passed(check(weight=0))], None),
        ([carried(passed()), carried(failed()), passed(), passed()], 0.75),
        ([passed(check(weight=0.1))] * 9 + [failed(check(weight=0.1))], 0.9),
    ],
)
def test_the_pass_rate_is_by_weight_over_what_was_graded_and_gates(
    checks: list[CheckResult], rate: float | None
) -> None:
    assert gating.pass_rate(checks) == rate
