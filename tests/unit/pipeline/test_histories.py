"""What holds for every history of commits: what is carried, what runs, and what blocks."""

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar.model.reports import Report
from support import histories
from support.histories import CASES, DOCUMENTS, Commit, Place

RELAXED = settings(deadline=None, max_examples=30)
PLACES = st.tuples(st.sampled_from(DOCUMENTS), st.sampled_from(CASES))
EDITS = st.one_of(
    st.tuples(st.just("expected_no"), PLACES),
    st.tuples(st.just("heavy"), PLACES),
    st.tuples(st.just("answered_no"), st.sampled_from(CASES)),
    st.tuples(st.just("turned"), st.sampled_from(DOCUMENTS)),
    st.tuples(st.just("words"), st.integers(1, 9)),
)
HISTORY = st.lists(EDITS, max_size=4)


def edited(start: Commit, edits: Iterable[tuple[str, object]]) -> Commit:
    """The commit after these edits; the same one twice takes it back."""
    for kind, what in edits:
        was = getattr(start, kind)
        now = what if kind == "words" else was ^ {what}
        start = replace(start, **{kind: now})  # type: ignore[arg-type]
    return start


def affecting(old: Commit, new: Commit) -> set[Place]:
    """The cases that measure something else in the one than in the other."""
    if old.answered_no != new.answered_no:
        return {(path, name) for path in DOCUMENTS for name in CASES}
    return set(old.expected_no ^ new.expected_no)


def places(report: Report, *, carried: bool) -> set[Place]:
    return {(one.suite, one.case) for one in report.checks if one.carried is carried}


def outcomes(report: Report) -> dict[str, str]:
    return {one.id: one.outcome for one in report.checks}


@RELAXED
@given(before=HISTORY, on_main=HISTORY, here=HISTORY)
def test_carried_is_what_nothing_affects_since_the_base_and_since_the_baseline(
    before: list[tuple[str, object]],
    on_main: list[tuple[str, object]],
    here: list[tuple[str, object]],
) -> None:
    baseline = edited(Commit(), before)
    base = edited(baseline, on_main)
    head = edited(base, here)

    report = histories.held_against(head.tree(), base=base.tree(), baseline=baseline.tree())

    touched = affecting(base, head) | affecting(baseline, head)
    assert places(report, carried=False) == touched
    assert places(report, carried=True) == {*_everything()} - touched
    # The agent is the same whenever it is asked: carrying must not change what a run comes to.
    assert outcomes(report) == outcomes(histories.measured(head.tree()))
    weights = {(one.suite, one.case): one.weight for one in report.checks}
    assert {place for place, weight in weights.items() if weight != 1} == head.heavy


def _everything() -> list[Place]:
    return [(path, name) for path in DOCUMENTS for name in CASES]


@RELAXED
@given(before=HISTORY, here=HISTORY)
def test_what_is_carried_blocks_nothing(
    before: list[tuple[str, object]], here: list[tuple[str, object]]
) -> None:
    base = edited(Commit(), before)
    head = edited(base, here)

    report = histories.held_against(head.tree(), base=base.tree(), baseline=base.tree())

    carried = {one.id for one in report.checks if one.carried}
    failing = {one.id for one in report.checks if not one.carried and one.outcome == "fail"}
    blocking = (one for one in report.decision.reasons if one.rule == "check-failed")
    named = {check for reason in blocking for check in reason.checks}
    assert not named & carried
    assert named == failing
    assert report.decision.exit_code == (1 if failing else 0)


@RELAXED
@given(before=HISTORY, here=HISTORY, turned=st.sets(st.sampled_from(DOCUMENTS)))
def test_the_order_of_documents_matters_to_nothing(
    before: list[tuple[str, object]], here: list[tuple[str, object]], turned: set[str]
) -> None:
    base = edited(Commit(), before)
    head = edited(base, here)
    other = replace(head, turned=head.turned ^ turned)

    one, two = (
        histories.held_against(each.tree(), base=base.tree(), baseline=base.tree())
        for each in (head, other)
    )

    assert outcomes(one) == outcomes(two)
    assert places(one, carried=True) == places(two, carried=True)
    assert one.decision.outcome is two.decision.outcome
    assert one.totals == two.totals


@RELAXED
@given(
    before=HISTORY,
    edits=st.lists(
        EDITS, max_size=6, unique_by=lambda edit: edit if edit[0] != "words" else "words"
    ),
    data=st.data(),
)
def test_two_changes_together_affect_what_each_affects(
    before: list[tuple[str, object]], edits: list[tuple[str, object]], data: st.DataObject
) -> None:
    base = edited(Commit(), before)
    cut = data.draw(st.integers(0, len(edits)))

    def affected(part: list[tuple[str, object]]) -> set[str]:
        tree = edited(base, part).tree()
        plan = histories.prepared(tree, histories.origin(base.tree(), tree)).plan
        return {check.id for case in plan.cases for check in case.checks}

    assert affected(edits) == affected(edits[:cut]) | affected(edits[cut:])
