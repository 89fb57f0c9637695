"""When a pull request that has no comment yet gets one."""

import dataclasses

import pytest

from mergebar.edge.github import comment_modes
from mergebar.model.comparisons import ChangeKind, CheckChange, Loosened, Loosening
from mergebar.model.publishing import CommentMode
from mergebar.model.reports import Report
from support.comparisons import comparison
from support.reports import check, decision, errored, report

FAILED = decision("failed", "1 check blocks")


def carried(outcome: str = "pass") -> Report:
    return report(dataclasses.replace(check(outcome=outcome), carried=True))


def compared(*kinds: ChangeKind, loosened: bool = False) -> Report:
    """A passed report of one check, compared with a baseline."""
    plain = report(check())
    changes = tuple(
        CheckChange(check=plain.checks[0].id, change=kind, comparable=True, reason="")
        for kind in kinds
    )
    lower = Loosened(kind=Loosening.THRESHOLD, suite=None, what="Relevance", was="4", now="3")
    whole = comparison(*changes, loosened=[lower] if loosened else [])
    return dataclasses.replace(plain, comparison=whole)


@pytest.mark.parametrize("of", [report(), report(check()), carried(), report(of=FAILED)])
def test_always_is_always_and_never_never(of: Report) -> None:
    assert comment_modes.is_noteworthy(of, CommentMode.ALWAYS)
    assert not comment_modes.is_noteworthy(of, CommentMode.NEVER)


@pytest.mark.parametrize("outcome", ["failed", "invalid", "could-not-evaluate", "needs-review"])
def test_whatever_did_not_pass_is_a_failure(outcome: str) -> None:
    of = report(of=decision(outcome))
    assert comment_modes.is_noteworthy(of, CommentMode.FAILURES)
    assert comment_modes.is_noteworthy(of, CommentMode.CHANGES)


def test_a_gate_that_passed_is_no_failure() -> None:
    failing = report(check(outcome="fail", severity="warning"))
    assert not comment_modes.is_noteworthy(failing, CommentMode.FAILURES)


@pytest.mark.parametrize(
    "of",
    [
        report(check(outcome="fail", severity="warning")),
        report(errored()),
        report(check(outcome="skipped", skip="withheld")),
    ],
)
def test_a_check_that_fails_or_is_unmeasured_is_a_change(of: Report) -> None:
    assert comment_modes.is_noteworthy(of, CommentMode.CHANGES)


@pytest.mark.parametrize(
    "of", [report(), carried(), carried("fail"), report(check(outcome="skipped", skip="declined"))]
)
def test_what_was_carried_or_declined_is_no_change(of: Report) -> None:
    assert not comment_modes.is_noteworthy(of, CommentMode.CHANGES)


def test_without_a_baseline_each_measured_check_is_new() -> None:
    assert comment_modes.is_noteworthy(report(check()), CommentMode.CHANGES)


def test_so_it_is_where_the_comparison_found_none() -> None:
    alone = dataclasses.replace(comparison(), baseline=None)
    measured = dataclasses.replace(report(check()), comparison=alone)
    nothing = dataclasses.replace(report(), comparison=alone)
    assert comment_modes.is_noteworthy(measured, CommentMode.CHANGES)
    assert not comment_modes.is_noteworthy(nothing, CommentMode.CHANGES)


@pytest.mark.parametrize("kind", list(ChangeKind))
def test_regressed_improved_and_new_are_changes(kind: ChangeKind) -> None:
    changes = {ChangeKind.REGRESSED, ChangeKind.IMPROVED, ChangeKind.NEW}
    assert comment_modes.is_noteworthy(compared(kind), CommentMode.CHANGES) == (kind in changes)


def test_a_lower_bar_is_a_change() -> None:
    assert comment_modes.is_noteworthy(compared(loosened=True), CommentMode.CHANGES)
    assert not comment_modes.is_noteworthy(compared(), CommentMode.CHANGES)
