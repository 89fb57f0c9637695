"""What became of each check, with its marks, and which failures are known."""

import dataclasses

import pytest

from mergebar import comparing
from mergebar.comparing import Circumstances
from mergebar.model.changes import Change, Status
from mergebar.model.comparisons import ChangeKind, CheckChange, Comparison, Mark, Renamed
from mergebar.model.problems import Level
from mergebar.model.reports import Report, ReportCheck, ReportError
from support import reports
from support.comparisons import BASELINE, check, measured, report


def compare(
    base: ReportCheck | Report | None, head: ReportCheck | Report | None, **more: object
) -> Comparison:
    sides = [
        one if isinstance(one, Report) else report(*([one] if one else [])) for one in (base, head)
    ]
    circumstances = Circumstances(**more)  # type: ignore[arg-type]
    return comparing.compare(sides[0], sides[1], baseline=BASELINE, circumstances=circumstances)


def change(base: ReportCheck | Report | None, head: ReportCheck | Report | None) -> CheckChange:
    (only,) = compare(base, head).changes
    return only


@pytest.mark.parametrize(
    ("base", "head", "kind"),
    [
        ("pass", "fail", ChangeKind.REGRESSED),
        ("fail", "pass", ChangeKind.IMPROVED),
        ("fail", "fail", ChangeKind.STILL_FAILING),
        ("pass", "pass", ChangeKind.STILL_PASSING),
    ],
)
def test_two_verdicts_make_a_change(base: str, head: str, kind: ChangeKind) -> None:
    found = change(check("a", base), check("a", head))
    assert (found.change, found.comparable, found.reason) == (kind, True, "")
    assert (found.base_outcome, found.base_score) == (base, 4.0 if base == "pass" else 2.0)


ERRORED = dataclasses.replace(
    check("a", "error"), error=ReportError(error_class="throttled", message="429")
)


@pytest.mark.parametrize(
    ("base", "head", "said"),
    [
        (check("a"), ERRORED, "not measured (throttled) here"),
        (ERRORED, check("a"), "not measured (throttled) in the baseline"),
        (check("a"), check("a", "skipped"), "declined here"),
        (check("a", "skipped", skip="withheld"), check("a"), "withheld in the baseline"),
        (check("a"), check("a", "needs-review"), "waits for a review here"),
    ],
)
def test_what_wasnt_measured_is_missing_and_not_a_loss(
    base: ReportCheck, head: ReportCheck, said: str
) -> None:
    found = change(base, head)
    assert (found.change, found.comparable) == (ChangeKind.NOT_COMPARABLE, False)
    assert found.reason == said


@pytest.mark.parametrize("outcome", ["error", "skipped", "needs-review"])
def test_what_was_measured_on_neither_side_is_no_change(outcome: str) -> None:
    assert compare(check("a", outcome), check("a", outcome)).changes == ()


def test_a_check_that_the_baseline_doesnt_have_is_new() -> None:
    found = change(None, check("a", "fail"))
    assert (found.change, found.comparable, found.known) == (ChangeKind.NEW, False, False)
    assert found.base_outcome is None


def test_a_removed_check_is_named_as_people_know_it() -> None:
    gone = report(check("a"), check("b", "fail", label="Where is it?"))
    found = compare(gone, report(check("a"))).changes[-1]
    assert found.change is ChangeKind.REMOVED
    assert (found.label, found.base_outcome) == ("Where is it?", "fail")
    assert found.reason == "its case is gone"


def test_a_removed_evaluator_and_a_removed_suite_are_told_from_a_removed_case() -> None:
    other = check("c", suite="evals/other.json")
    base = report(check("a"), check("a", name="Relevance"), other)
    said = {one.check: one.reason for one in compare(base, report(check("a"))).changes}
    assert said[check("a", name="Relevance").id] == "`Relevance` is gone from its case"
    assert said[other.id] == "its suite is gone"


def test_carried_checks_are_carried_and_keep_what_they_were() -> None:
    found = change(check("a", "fail"), check("a", "fail", carried=True))
    assert (found.change, found.comparable, found.known) == (ChangeKind.CARRIED, True, True)


def test_a_check_carried_from_elsewhere_doesnt_hide_its_difference() -> None:
    assert change(check("a", "fail"), check("a", carried=True)).change is ChangeKind.IMPROVED
    assert change(None, check("a", carried=True)).change is ChangeKind.NEW


def test_marks_of_either_side_are_kept() -> None:
    found = change(check("a", flaky=True), check("a", "fail", replayed=True, stale=True))
    assert found.marks == (Mark.FLAKY, Mark.STALE, Mark.REPLAYED)
    assert change(check("a"), check("a", replayed=True)).marks == (Mark.REPLAYED,)
    assert change(check("a"), check("a")).marks == ()


def test_a_failure_of_the_baseline_is_known() -> None:
    assert change(check("a", "fail"), check("a", "fail")).known
    assert change(check("a", "fail"), check("a", "error")).known
    assert not change(check("a"), check("a", "fail")).known


def test_a_failure_that_was_flaky_on_the_baseline_isnt_known() -> None:
    assert not change(check("a", "fail", flaky=True), check("a", "fail")).known


def test_a_failure_that_isnt_comparable_is_neither_known_nor_new() -> None:
    found = compare(check("a", "fail"), check("a", "fail", threshold=4))
    assert found.changes[0].change is ChangeKind.NOT_COMPARABLE
    assert found.changes[0].reason == "threshold 3 → 4"
    assert comparing.known(found) == comparing.new(found) == frozenset()


def regressed_base(outcome: str = "fail") -> Report:
    """A baseline in which the check had just regressed."""
    before = report(check("a"))
    after = report(check("a", outcome))
    comparison = comparing.compare(before, after, baseline=BASELINE)
    return dataclasses.replace(after, comparison=comparison)


def test_a_failure_that_regressed_on_the_baseline_isnt_known() -> None:
    assert not change(regressed_base(), check("a", "fail")).known


def test_a_regression_stays_one_while_it_is_carried() -> None:
    base = regressed_base()
    carried = report(check("a", "fail", carried=True))
    first = comparing.compare(base, carried, baseline=BASELINE)
    assert first.changes[0].marks == (Mark.REGRESSED,)
    assert not first.changes[0].known
    second = change(dataclasses.replace(carried, comparison=first), check("a", "fail"))
    assert not second.known


def test_a_regression_that_failed_again_is_known_from_then_on() -> None:
    again = report(check("a", "fail"))
    comparison = comparing.compare(regressed_base(), again, baseline=BASELINE)
    assert comparison.changes[0].change is ChangeKind.STILL_FAILING
    assert change(dataclasses.replace(again, comparison=comparison), check("a", "fail")).known


def test_renames_are_told_and_keep_the_identity() -> None:
    base, head = check("a", suite="evals/x.json"), check("a", "fail", suite="evals/y.json")
    moved = Change(path="evals/y.json", old_path="evals/x.json", status=Status.RENAMED)
    found = compare(base, head, files=(moved,))
    assert found.renamed == (Renamed(was="evals/x.json", now="evals/y.json"),)
    assert (found.changes[0].change, found.changes[0].was) == (ChangeKind.REGRESSED, base.id)


def test_changes_come_in_the_order_of_the_report_and_then_of_the_baseline() -> None:
    found = compare(
        report(check("x"), check("b"), check("c")), report(check("c"), check("n"), check("b"))
    )
    assert [one.check.split("::")[1] for one in found.changes] == ["c", "n", "b", "x"]


def test_an_invalid_suite_removes_nothing() -> None:
    broken = reports.suite(problems=[reports.problem()])
    head = report(suites=[broken])
    found = change(check("a", "fail"), head)
    assert found.change is ChangeKind.NOT_COMPARABLE
    assert found.reason == f"`{reports.SUITE}` is invalid here"


def test_a_run_that_was_invalid_as_a_whole_removes_nothing() -> None:
    head = report(suites=[reports.suite()], problems=[reports.problem(level=Level.ERROR.value)])
    assert compare(check("a"), head).changes == ()


def test_an_unaffected_suite_that_wasnt_carried_removes_nothing() -> None:
    assert compare(check("a"), report(suites=[reports.suite(affected=False)])).changes == ()


def test_an_affected_suite_without_checks_has_lost_them() -> None:
    found = change(check("a"), report(suites=[reports.suite()]))
    assert found.change is ChangeKind.REMOVED


def test_a_filtered_run_removes_nothing_but_what_git_says_is_deleted() -> None:
    base = report(check("a"), check("b"), check("c", suite="evals/x.json"))
    deleted = Change(path="evals/x.json", status=Status.DELETED)
    found = compare(base, report(check("a")), filtered=True, files=(deleted,))
    assert [one.change for one in found.changes] == [ChangeKind.STILL_PASSING, ChangeKind.REMOVED]


def test_a_report_that_says_that_it_is_filtered_is_taken_at_its_word() -> None:
    head = report(check("a"))
    head = dataclasses.replace(head, run=dataclasses.replace(head.run, filtered=True))
    assert len(compare(report(check("a"), check("b")), head).changes) == 1


def test_without_a_baseline_every_check_is_new_and_none_is_listed() -> None:
    found = comparing.compare(None, report(check("a", "fail")), baseline=None)
    assert (found.baseline, found.changes, found.evaluators) == (None, (), ())
    assert comparing.new(found) is None
    assert comparing.known(found) == frozenset()


def test_the_gate_gets_the_known_and_the_new() -> None:
    base = report(check("a", "fail"), check("b"))
    head = report(check("a", "fail"), check("b", "fail"), check("c", "fail"))
    found = compare(base, head)
    assert comparing.known(found) == {check("a").id}
    assert comparing.new(found) == frozenset({check("c").id})


def test_what_a_run_without_a_judge_carries_was_judged_as_before() -> None:
    judged = check("a", name="Relevance", parts=measured(judged=True))
    head = report(dataclasses.replace(judged, carried=True), judge=None)
    assert change(report(judged), head).change is ChangeKind.CARRIED


def test_nothing_comparable_is_said() -> None:
    found = compare(check("a"), check("a", threshold=4))
    assert found.notes == ("nothing is comparable with the baseline",)
    assert found.total.base is None
