"""What holds for every two reports."""

import dataclasses
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar import comparing
from mergebar.comparing import Circumstances
from mergebar.model.comparisons import ChangeKind, Comparison, Standing
from mergebar.model.reports import Report, ReportCheck
from mergebar.report import json_report
from support.comparisons import BASELINE, check, measured, report

RELAXED = settings(deadline=None, max_examples=80)
OUTCOMES = ("pass", "pass", "fail", "fail", "error", "skipped", "needs-review")
OPPOSITE = {
    ChangeKind.REGRESSED: ChangeKind.IMPROVED,
    ChangeKind.IMPROVED: ChangeKind.REGRESSED,
    ChangeKind.NEW: ChangeKind.REMOVED,
    ChangeKind.REMOVED: ChangeKind.NEW,
}
OTHER_SIDE = {Standing.REGRESSED: Standing.IMPROVED, Standing.IMPROVED: Standing.REGRESSED}


@st.composite
def checks(draw: st.DrawFn, *, weights: Sequence[float] = (1.0,)) -> ReportCheck:
    outcome = draw(st.sampled_from(OUTCOMES))
    return check(
        draw(st.sampled_from(["a", "b", "k", "k~2", "k~3", "z"])),
        outcome,
        name=draw(st.sampled_from(["ExactMatch", "Relevance"])),
        suite=draw(st.sampled_from(["evals/x.json", "evals/y.json"])),
        turn=draw(st.integers(0, 1)),
        score=draw(st.sampled_from([1.0, 2.5, 4.0])) if outcome in {"pass", "fail"} else None,
        weight=draw(st.sampled_from(list(weights))),
        severity=draw(st.sampled_from(["error", "error", "notice"])),
        threshold=draw(st.sampled_from([3.0, 3.0, 3.0, 4.0])),
        parts=measured(expected=draw(st.sampled_from(["one", "one", "two"]))),
        flaky=draw(st.booleans()),
    )


def unique(drawn: Sequence[ReportCheck]) -> list[ReportCheck]:
    return list({one.id: one for one in drawn}.values())


SIDES = st.lists(checks(), max_size=30).map(unique)
WEIGHTED = st.lists(checks(weights=(1e-9, 0.5, 1.0, 3.0, 1e9)), max_size=30).map(unique)


def compare(base: Sequence[ReportCheck] | Report, head: Sequence[ReportCheck]) -> Comparison:
    there = base if isinstance(base, Report) else report(*base)
    return comparing.compare(
        there, report(*head), baseline=BASELINE, circumstances=Circumstances(max_drop=0.01)
    )


@RELAXED
@given(side=WEIGHTED)
def test_a_report_against_itself_shows_nothing(side: list[ReportCheck]) -> None:
    found = compare(side, side)
    assert {one.change for one in found.changes} <= {
        ChangeKind.STILL_PASSING,
        ChangeKind.STILL_FAILING,
    }
    assert (found.loosened, found.drop) == ((), None)
    for row in (*found.evaluators, found.total):
        assert row.delta in {0, None}
        assert (row.regressed, row.improved) == (0, 0)
        assert row.scores is None or row.scores.delta == 0


@RELAXED
@given(base=SIDES, head=SIDES)
def test_exchanging_the_sides_flips_every_sign(
    base: list[ReportCheck], head: list[ReportCheck]
) -> None:
    # What gates has to agree, because the head decides what is in the total.
    there = [dataclasses.replace(one, gating=True) for one in base]
    here = [dataclasses.replace(one, gating=True) for one in head]
    forth, back = compare(there, here), compare(here, there)
    mirrored = {
        (one.was or one.check, OPPOSITE.get(one.change, one.change)) for one in forth.changes
    }
    assert mirrored == {(one.check, one.change) for one in back.changes}
    for one, other in zip(
        (*forth.evaluators, forth.total), (*back.evaluators, back.total), strict=True
    ):
        assert (one.base, one.head, one.n) == (other.head, other.base, other.n)
        assert one.delta == (None if other.delta is None else -other.delta)
        assert (one.regressed, one.improved) == (other.improved, other.regressed)
        assert one.verdict is OTHER_SIDE.get(other.verdict, other.verdict)
        assert one.p == other.p
        if one.scores is not None and other.scores is not None:
            assert one.scores.delta == -other.scores.delta


@RELAXED
@given(base=WEIGHTED, head=WEIGHTED, data=st.data())
def test_order_never_matters(
    base: list[ReportCheck], head: list[ReportCheck], data: st.DataObject
) -> None:
    one = compare(base, head)
    other = compare(data.draw(st.permutations(base)), data.draw(st.permutations(head)))
    assert set(one.changes) == set(other.changes)
    assert dataclasses.replace(one, changes=()) == dataclasses.replace(other, changes=())


@RELAXED
@given(base=SIDES, head=SIDES)
def test_every_check_of_either_side_has_one_change_or_no_verdict(
    base: list[ReportCheck], head: list[ReportCheck]
) -> None:
    found = compare(base, head)
    gone = [one.check for one in found.changes if one.change is ChangeKind.REMOVED]
    here = [one.check for one in found.changes if one.change is not ChangeKind.REMOVED]
    assert len(gone) == len(set(gone))
    assert len(here) == len(set(here))
    silent = {one.id for one in head} - set(here)
    graded = {"pass", "fail"}
    assert all(one.outcome not in graded for one in head if one.id in silent)


@RELAXED
@given(base=SIDES, head=SIDES)
def test_what_isnt_comparable_says_why_and_is_neither_known_nor_new(
    base: list[ReportCheck], head: list[ReportCheck]
) -> None:
    found = compare(base, head)
    known, new = comparing.known(found), comparing.new(found)
    assert new is not None
    assert not known & new
    for one in found.changes:
        assert bool(one.reason) == (not one.comparable)
        if one.change is ChangeKind.NOT_COMPARABLE:
            assert one.check not in new
        if one.known:
            assert one.base_outcome == "fail"


@RELAXED
@given(base=SIDES, head=SIDES, scale=st.sampled_from([1e-6, 0.1, 7.0, 1e6]))
def test_the_scale_of_all_weights_changes_nothing(
    base: list[ReportCheck], head: list[ReportCheck], scale: float
) -> None:
    weighed = [dataclasses.replace(one, weight=1.0 + index % 3) for index, one in enumerate(head)]
    scaled = [dataclasses.replace(one, weight=one.weight * scale) for one in weighed]
    one, other = compare(base, weighed), compare(base, scaled)
    assert one.changes == other.changes
    assert one.drop == other.drop
    for left, right in zip(
        (*one.evaluators, one.total), (*other.evaluators, other.total), strict=True
    ):
        assert dataclasses.replace(left, scores=None) == dataclasses.replace(right, scores=None)


@RELAXED
@given(base=SIDES, head=SIDES)
def test_an_unmeasured_check_moves_no_rate(
    base: list[ReportCheck], head: list[ReportCheck]
) -> None:
    """Taking a verdict away is the same as if the check weren't comparable, never a loss."""
    broken = [dataclasses.replace(one, outcome="error", score=None) for one in head]
    found = compare(base, broken)
    assert found.total.base is None
    assert found.evaluators == ()
    assert not {one.change for one in found.changes} & {ChangeKind.REGRESSED, ChangeKind.IMPROVED}


@RELAXED
@given(base=WEIGHTED, head=WEIGHTED)
def test_a_comparison_is_the_same_after_writing_and_reading(
    base: list[ReportCheck], head: list[ReportCheck]
) -> None:
    whole = dataclasses.replace(report(*head), comparison=compare(base, head))
    assert json_report.load(json_report.dump(whole)) == whole


@RELAXED
@given(base=WEIGHTED, head=WEIGHTED)
def test_rates_and_intervals_agree(base: list[ReportCheck], head: list[ReportCheck]) -> None:
    found = compare(base, head)
    for row in (*found.evaluators, found.total):
        assert row.regressed + row.improved <= row.n
        if row.base is None or row.head is None or row.delta is None:
            continue
        assert 0 <= row.base <= 1
        assert row.delta == round(row.head - row.base, 12)
        for rate, interval in (
            (row.base, row.base_interval),
            (row.head, row.head_interval),
            (row.delta, row.interval),
        ):
            if interval is not None:
                assert interval.low - 1e-9 <= rate <= interval.high + 1e-9
