"""Which cases of a changed document measure something else."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.model.changes import Change, Changes
from mergebar.model.documents import Case, Declared, Document, Severity
from mergebar.model.plans import PlannedSuite
from mergebar.planning import Earlier, PlanOptions, plan, responses_differ
from support.builders import case, config, document, group, problem, turn, use

PATH = "evals/a.json"
CHANGED = Changes(files=(Change(path=PATH),))


def numbered(*cases: Case) -> Document:
    """A document of these cases, in their order."""
    return document(PATH, *(replace(one, index=index) for index, one in enumerate(cases)))


def planned(now: Document, before: Document | None, *, known: bool = True) -> PlannedSuite:
    earlier = Earlier(documents={PATH: before}) if known else Earlier()
    found = plan(
        [now], config=config(), changes=CHANGED, options=PlanOptions(), earlier=earlier, whole=True
    )
    return found.suites[0]


def affected(now: Document, before: Document) -> list[str]:
    return [one.case.key for one in planned(now, before).cases]


A, B, C = (case(key, turn(key)) for key in "abc")
OLD = numbered(A, B, C)


@given(st.permutations([A, B, C]))
def test_order_measures_nothing(cases: list[Case]) -> None:
    assert affected(numbered(*cases), OLD) == []


@given(st.integers(0, 7), st.randoms(use_true_random=False))
def test_exactly_what_is_edited_is_affected(mask: int, chance: random.Random) -> None:
    edited = {one.key for bit, one in enumerate((A, B, C)) if mask >> bit & 1}
    cases = [
        replace(one, turns=(turn(one.key, expected="else"),)) if one.key in edited else one
        for one in (A, B, C)
    ]
    chance.shuffle(cases)

    assert set(affected(numbered(*cases), OLD)) == edited


@pytest.mark.parametrize(
    "edited",
    [
        replace(A, turns=(turn("a", context="more"),)),
        replace(A, turns=(turn("a", evaluators=["ExactMatch", "Citations"]),)),
        replace(A, turns=(turn("a", evaluators=[use("ExactMatch", options={"x": 1})]),)),
        replace(A, turns=(turn("a", evaluators=[use("PartialMatch", threshold=0.2)]),)),
        replace(A, turns=(turn("a"), turn("then", index=1))),
        replace(A, runs=3),
        replace(A, label="another name"),
    ],
)
def test_whatever_is_measured_otherwise_is_an_edit(edited: Case) -> None:
    assert affected(numbered(edited, B, C), OLD) == ["a"]


@pytest.mark.parametrize(
    "edited",
    [
        replace(A, turns=(turn("a", declared=Declared(severity=Severity.NOTICE, weight=2)),)),
        replace(A, turns=(turn("a", tags=["smoke"]),)),
        replace(A, turns=(turn("a", stored="never put"),)),
        replace(A, location=replace(A.location, line=99)),
    ],
)
def test_what_only_decides_or_is_only_shown_is_none(edited: Case) -> None:
    assert affected(numbered(edited, B, C), OLD) == []


def test_a_deleted_case_affects_no_other() -> None:
    assert affected(numbered(A, C), OLD) == []


def test_of_cases_that_are_alike_as_many_are_new_as_were_added() -> None:
    again = replace(A, key="a~2")
    assert affected(numbered(A, again, B, C), OLD) == ["a~2"]


def test_each_check_says_why() -> None:
    suite = planned(numbered(A, replace(B, runs=2), case("d", turn("d"))), OLD)
    assert suite.reason == "affected: 2 of its 3 cases changed"
    assert [check.cause for one in suite.whole for check in one.checks] == [
        "",
        "this case was edited",
        "this case is new",
    ]


@pytest.mark.parametrize(
    ("before", "known", "reason"),
    [
        (None, True, "affected: `evals/a.json` is new"),
        (None, False, "affected: `evals/a.json` changed"),
        (
            document(PATH, A, problems=[problem()]),
            True,
            "affected: `evals/a.json` changed, and what it was can't be understood",
        ),
    ],
)
def test_with_nothing_to_compare_with_a_document_counts_whole(
    before: Document | None,
    known: bool,  # noqa: FBT001 - a column of the table
    reason: str,
) -> None:
    suite = planned(OLD, before, known=known)
    assert (suite.reason, len(suite.cases)) == (reason, 3)


def test_an_edited_response_counts_only_where_responses_are_scored() -> None:
    was = numbered(replace(A, turns=(turn("a", stored="yes"),)))
    now = numbered(replace(A, turns=(turn("a", stored="no"),)))
    scored = config(agents=[], documents=[group(agent=None)])

    def cases(settings: object) -> int:
        found = plan(
            [now],
            config=settings,  # type: ignore[arg-type]
            changes=CHANGED,
            options=PlanOptions(),
            earlier=Earlier(documents={PATH: was}),
        )
        return len(found.cases)

    assert (cases(scored), cases(config())) == (1, 0)
    assert responses_differ(now, was)
    assert not responses_differ(now, now)
    assert responses_differ(now, None)
