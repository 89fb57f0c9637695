"""Which results of the baseline stand for what a change doesn't affect, and which can't."""

import dataclasses

import pytest

from mergebar import comparing
from mergebar.comparing import Affects, Carrying
from mergebar.model.documents import Severity
from mergebar.model.plans import PlannedCase, PlannedCheck, Skip, Withholding
from mergebar.model.reports import Report, ReportCheck, ReportError, ReportJudge
from mergebar.model.results import Outcome
from support import artifacts, builders
from support.comparisons import JUDGE, check, measured, report

SUITE = "evals/support.json"


def planned(like: ReportCheck, **more: object) -> PlannedCheck:
    """The check that this result is of, as a plan has it."""
    plain = builders.check(
        like.name, suite=like.suite, case=like.case, turn=like.turn or 0, threshold=like.threshold
    )
    given: dict[str, object] = {"definition": like.definition, "measured": like.measured, **more}
    return dataclasses.replace(plain, **given)  # type: ignore[arg-type]


def unaffected(_: PlannedCheck) -> str | None:
    return None


def carry(
    baseline: Report | ReportCheck,
    *checks: PlannedCheck,
    judge: ReportJudge | None = JUDGE,
    affects: Affects = unaffected,
    skip: Withholding | None = None,
    **renames: str,
) -> Carrying:
    case = PlannedCase(
        suite=SUITE, case=builders.case("a"), agent="support", runs=1, checks=checks, skip=skip
    )
    return comparing.carry(
        [case],
        baseline=baseline if isinstance(baseline, Report) else report(baseline),
        judge=judge,
        affects=affects,
        renames={f"evals/{old}.json": f"evals/{new}.json" for old, new in renames.items()},
    )


def reasons(found: Carrying) -> list[str]:
    assert found.carried == ()
    return [one.reason for one in found.refused]


@pytest.mark.parametrize("outcome", ["pass", "fail", "needs-review"])
def test_a_measured_result_is_carried_and_marked(outcome: str) -> None:
    old = check("a", outcome, flaky=True, stale=True, replayed=True)
    found = carry(old, planned(old))
    assert found.refused == ()
    (result,) = found.carried
    assert (result.carried, result.outcome) == (True, Outcome(outcome))
    assert (result.score, result.reason) == (old.score, old.reason)
    assert (result.flaky, result.stale, result.replayed) == (True, True, True)
    assert [run.score for run in result.runs] == [run.score for run in old.runs]


def test_what_is_carried_costs_nothing_here() -> None:
    old = check("a")
    (result,) = carry(old, planned(old)).carried
    assert result.usage.input_tokens is None
    assert result.duration_s == 0


def test_what_only_decides_is_that_of_the_plan() -> None:
    old = check("a", "fail", weight=1, severity="warning")
    now = planned(old, weight=5.0, severity=Severity.ERROR, must_pass=True, gating=True)
    (result,) = carry(old, now).carried
    assert result.check == now
    assert result.outcome is Outcome.FAIL


def test_what_the_baseline_doesnt_have_is_affected() -> None:
    old = check("a")
    assert reasons(carry(report(), planned(old))) == ["the baseline doesn't have it"]


@pytest.mark.parametrize(
    ("old", "cause"),
    [
        (
            dataclasses.replace(
                check("a", "error"), error=ReportError(error_class="throttled", message="429")
            ),
            "throttled",
        ),
        (check("a", "skipped", skip="withheld"), "withheld"),
        (check("a", "skipped", skip="declined"), "declined"),
    ],
)
def test_what_the_baseline_didnt_measure_is_affected(old: ReportCheck, cause: str) -> None:
    assert reasons(carry(old, planned(old))) == [f"not measured in the baseline ({cause})"]


DECLINED = Withholding(kind=Skip.DECLINED, reason="skipped by its author")
WITHHELD = Withholding(kind=Skip.WITHHELD, reason="secrets are not given to fork pull requests")


def test_what_its_author_skips_on_both_sides_stays_skipped() -> None:
    old = check("a", "skipped", skip="declined")
    for found in (carry(old, planned(old), skip=DECLINED), carry(old, planned(old, skip=DECLINED))):
        (result,) = found.carried
        assert (result.outcome, result.skip) == (Outcome.SKIPPED, Skip.DECLINED)


UNUSED = "`mend` was never invoked in this session"


def graded(session: str, outcome: str = "pass", *, skip: str | None = None) -> ReportCheck:
    """An eval of an artifact on one session."""
    reason = UNUSED if skip == "withheld" else ""
    return check(session, outcome, name="asks-first", skip=skip, reason=reason)


def sessions(*old: ReportCheck, affected: str = "") -> Carrying:
    """What becomes of each, where a change reaches one session at most."""
    (declared,) = artifacts.read().evals[:1]
    return carry(
        report(*old),
        *(planned(one, declared=declared) for one in old),
        affects=lambda planned: "the session changed" if planned.case == affected else None,
    )


def test_a_session_that_says_nothing_of_an_eval_is_carried_beside_one_that_does() -> None:
    (silent, told) = sessions(graded("a", "skipped", skip="withheld"), graded("b", "fail")).carried
    assert (silent.outcome, silent.skip, silent.reason) == (Outcome.SKIPPED, Skip.WITHHELD, UNUSED)
    assert (silent.carried, told.outcome) == (True, Outcome.FAIL)


@pytest.mark.parametrize(
    ("other", "affected"),
    [
        (graded("b"), "b"),
        (graded("b", "error"), ""),
        (graded("b", "skipped", skip="withheld"), ""),
    ],
)
def test_without_a_carried_verdict_on_another_session_it_is_graded_again(
    other: ReportCheck, affected: str
) -> None:
    found = sessions(graded("a", "skipped", skip="withheld"), other, affected=affected)
    refused = {one.check.case: one.reason for one in found.refused}
    assert refused["a"] == "not measured in the baseline (withheld)"


def test_a_case_of_a_document_is_never_excused_by_another_one() -> None:
    old = check("a", "skipped", skip="withheld"), check("b")
    found = carry(report(*old), *map(planned, old))
    assert [one.check.case for one in found.refused] == ["a"]


def test_what_is_withheld_here_is_carried_all_the_same() -> None:
    old = check("a")
    assert len(carry(old, planned(old), skip=WITHHELD).carried) == 1


def test_another_definition_is_never_carried() -> None:
    old = check("a")
    new = planned(old, definition="f" * 64, measured=measured(prompt="q"))
    assert reasons(carry(old, new)) == ["not comparable with the baseline: the prompt changed"]


JUDGED = check("a", name="Relevance", parts=measured(judged=True))


def test_another_judge_makes_what_it_judged_affected() -> None:
    other = dataclasses.replace(JUDGE, model="gpt-5")
    computed = check("a")
    found = carry(report(JUDGED, computed), planned(JUDGED), planned(computed), judge=other)
    assert [one.check.name for one in found.carried] == ["ExactMatch"]
    assert [one.reason for one in found.refused] == [
        "not comparable with the baseline: judge `gpt-5-mini` → `gpt-5`"
    ]


def test_where_nothing_is_judged_here_the_judge_is_still_the_baselines() -> None:
    assert len(carry(JUDGED, planned(JUDGED), judge=None).carried) == 1


def test_a_change_since_the_baselines_commit_is_never_carried_across() -> None:
    old = check("a")
    why = "affected since the baseline: `prompts/support.md` is a source of agent `support`"
    assert reasons(carry(old, planned(old), affects=lambda _: why)) == [why]


def test_one_check_of_a_case_can_be_affected_alone() -> None:
    one, two = check("a"), check("a", name="Tone")
    found = carry(
        report(one, two),
        planned(one),
        planned(two),
        affects=lambda planned: "its code changed" if planned.name == "Tone" else None,
    )
    assert [result.check.name for result in found.carried] == ["ExactMatch"]
    assert [refusal.check.name for refusal in found.refused] == ["Tone"]


def test_results_move_with_a_renamed_suite() -> None:
    old = check("a", suite="evals/old.json")
    new = planned(check("a", suite="evals/new.json"))
    (result,) = carry(old, new, old="new").carried
    assert result.check.suite == "evals/new.json"


def test_results_of_duplicates_stay_with_what_they_measured() -> None:
    one, two = measured(expected="one"), measured(expected="two")
    baseline = report(check("k", "fail", parts=one), check("k~2", parts=two))
    now = (planned(check("k", parts=two)), planned(check("k~2", parts=one)))
    found = carry(baseline, *now)
    assert [result.outcome for result in found.carried] == [Outcome.PASS, Outcome.FAIL]


def test_results_come_in_the_order_of_the_plan() -> None:
    old = [check(case) for case in "abc"]
    found = carry(report(*old), *(planned(one) for one in reversed(old)))
    assert [result.check.case for result in found.carried] == ["c", "b", "a"]
