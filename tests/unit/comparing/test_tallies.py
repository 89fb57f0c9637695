"""Rates and verdicts per evaluator and in total: over cases, over what is comparable."""

import dataclasses
from collections.abc import Sequence

import pytest

from mergebar import comparing
from mergebar.model.comparisons import Comparison, Standing, Tally
from mergebar.model.reports import ReportCheck
from support.comparisons import BASELINE, check, measured, report


def compare(base: Sequence[ReportCheck], head: Sequence[ReportCheck]) -> Comparison:
    return comparing.compare(report(*base), report(*head), baseline=BASELINE)


def total(base: Sequence[ReportCheck], head: Sequence[ReportCheck]) -> Tally:
    return compare(base, head).total


def checks(outcomes: str, **more: object) -> list[ReportCheck]:
    """One case for each letter: `p` passes, `f` fails, `e` isn't measured."""
    words = {"p": "pass", "f": "fail", "e": "error"}
    return [
        check(f"c{index}", words[letter], **more)  # type: ignore[arg-type]
        for index, letter in enumerate(outcomes)
    ]


@pytest.mark.parametrize(
    ("base", "head", "verdict"),
    [
        ("pppppppp", "ffffffpp", Standing.REGRESSED),
        ("ffffffpp", "pppppppp", Standing.IMPROVED),
        ("pppppppp", "fffffppp", Standing.WITHIN_NOISE),
        ("pppppppp", "pppppppp", Standing.WITHIN_NOISE),
        ("ppppp", "fffff", Standing.TOO_FEW),
        ("p", "f", Standing.TOO_FEW),
        ("", "", Standing.TOO_FEW),
    ],
)
def test_the_verdict_is_that_of_mcnemars_test(base: str, head: str, verdict: Standing) -> None:
    assert total(checks(base), checks(head)).verdict is verdict


def test_a_row_says_both_sides_the_difference_and_how_sure_it_is() -> None:
    row = total(checks("pppppppppp"), checks("fffppppppp"))
    assert (row.base, row.head, row.delta) == (1, 0.7, -0.3)
    assert (row.n, row.checks, row.regressed, row.improved) == (10, 10, 3, 0)
    assert row.p == 0.25
    assert row.detectable == 0.6
    assert row.interval is not None
    assert row.interval.low < -0.3 < row.interval.high
    assert row.head_interval is not None
    assert row.head_interval.low < 0.7 < row.head_interval.high
    assert (
        row.note == "3 of 10 cases regressed, 0 improved; 10 cases can't show less than 60 points"
    )


def test_too_few_cases_say_so_plainly() -> None:
    assert total(checks("p"), checks("f")).note == "1 case can't show any difference"
    assert total(checks("ppp"), checks("fff")).note == "3 cases can't show any difference"


def test_what_wasnt_measured_is_in_neither_rate() -> None:
    row = total(checks("pfpp"), checks("pefp"))
    assert (row.base, row.checks, row.n) == (1, 3, 3)
    assert row.head == pytest.approx(2 / 3)


def test_the_weights_of_the_head_hold_on_both_sides() -> None:
    base = [check("a", weight=1), check("b", "fail", weight=9)]
    head = [check("a", "fail", weight=3), check("b", weight=1)]
    row = total(base, head)
    assert (row.base, row.head) == (0.75, 0.25)


def test_extreme_weights_stay_exact_and_tell_of_one_case_only() -> None:
    tiny = [check(f"t{index}", weight=1e-9) for index in range(20)]
    base = [*tiny, check("huge", weight=1e9)]
    head = [*tiny, check("huge", "fail", weight=1e9)]
    row = total(base, head)
    assert (row.base, row.head) == (1, 0)
    assert row.head_interval is not None
    assert row.head_interval.high > 0.7
    assert row.verdict is Standing.WITHIN_NOISE


def test_nothing_with_a_weight_has_no_rate() -> None:
    row = total(checks("p", weight=0), checks("p", weight=0))
    assert (row.base, row.head, row.delta, row.interval) == (None, None, None, None)


def test_the_case_is_the_unit_however_many_checks_it_has() -> None:
    base = [check("a", name=name) for name in ("A", "B", "C", "D", "E", "F", "G")]
    head = [dataclasses.replace(one, outcome="fail") for one in base]
    row = total(base, head)
    assert (row.n, row.regressed, row.verdict) == (1, 1, Standing.TOO_FEW)


def test_a_case_fails_if_any_gating_check_of_it_fails() -> None:
    base = [check("a", name="A"), check("a", "fail", name="B", severity="warning")]
    head = [check("a", "fail", name="A"), check("a", name="B", severity="warning")]
    row = total(base, head)
    assert (row.regressed, row.improved, row.checks) == (1, 0, 1)


def test_repeats_dont_make_more_cases() -> None:
    repeated = [
        dataclasses.replace(one, runs=one.runs * 50, measured=measured(runs=50))
        for one in checks("ppp")
    ]
    assert total(repeated, repeated).n == 3


def test_an_evaluator_has_a_row_whether_it_gates_or_not() -> None:
    base = [check("a", name="B", severity="warning"), check("a", name="A")]
    found = compare(base, base)
    assert [row.name for row in found.evaluators] == ["A", "B"]
    assert found.total.checks == 1


def test_the_evals_of_artifacts_share_a_row() -> None:
    evals = [
        dataclasses.replace(check(f"session-{index}", name=f"eval-{index}"), kind="grader")
        for index in range(3)
    ]
    rows = compare([*evals, check("a")], [*evals, check("a")]).evaluators
    assert [(row.name, row.n) for row in rows] == [("ExactMatch", 1), ("evals of artifacts", 3)]


def test_carried_cases_are_in_the_rates_and_tell_nothing() -> None:
    base = checks("pppppppppppppppppppp")
    head = [dataclasses.replace(one, carried=True) for one in base[:14]] + checks("p" * 20)[14:]
    head[-1] = dataclasses.replace(head[-1], outcome="fail")
    row = total(base, head)
    assert (row.n, row.carried, row.checks) == (6, 14, 20)
    assert (row.base, row.head) == (1, 0.95)
    assert row.detectable == 1


def test_everything_carried_is_too_few_to_tell() -> None:
    base = checks("ppppppppf")
    row = total(base, [dataclasses.replace(one, carried=True) for one in base])
    assert (row.n, row.carried, row.p, row.interval) == (0, 9, None, None)
    assert (row.verdict, row.note) == (Standing.TOO_FEW, "all of it is carried")
    assert row.base == row.head == pytest.approx(8 / 9)


def scored(values: Sequence[float], **more: object) -> list[ReportCheck]:
    return [
        check(f"c{index}", name="Relevance", score=value, **more)  # type: ignore[arg-type]
        for index, value in enumerate(values)
    ]


def test_scores_have_means_and_an_interval_of_their_own() -> None:
    (row,) = compare(scored([5, 5, 4, 4, 5, 5, 4, 4]), scored([4, 4, 4, 4, 4, 4, 4, 4])).evaluators
    assert row.scores is not None
    assert (row.scores.base, row.scores.head, row.scores.delta) == (4.5, 4, -0.5)
    assert row.scores.n == 8
    assert row.scores.interval is not None
    assert row.scores.interval.low < -0.5 < row.scores.interval.high <= 0


def test_scores_of_few_cases_have_no_interval() -> None:
    (row,) = compare(scored([5, 5, 4]), scored([4, 4, 4])).evaluators
    assert row.scores is not None
    assert row.scores.interval is None


def test_the_total_mixes_no_scores() -> None:
    assert total(scored([5]), scored([5])).scores is None


def test_a_check_without_a_score_is_in_no_mean() -> None:
    base = scored([5, 3])
    head = [base[0], dataclasses.replace(base[1], score=None)]
    (row,) = compare(base, head).evaluators
    assert row.scores is not None
    assert (row.scores.n, row.scores.base) == (1, 5)


def test_turns_of_one_case_are_one_case_with_a_mean() -> None:
    base = [check("t", name="R", turn=turn, score=5) for turn in range(4)]
    head = [check("t", name="R", turn=turn, score=3) for turn in range(4)]
    (row,) = compare(base, head).evaluators
    assert row.scores is not None
    assert (row.scores.n, row.scores.delta, row.n) == (1, -2, 1)


@pytest.mark.parametrize(
    ("base", "head", "verdict"),
    [("p" * 8, "f" * 8, Standing.REGRESSED), ("f" * 8, "p" * 8, Standing.IMPROVED)],
)
def test_a_verdict_that_the_weights_hide_says_how_both_can_be(
    base: str, head: str, verdict: Standing
) -> None:
    heavy = check("heavy", weight=1e9)
    row = total([*checks(base, weight=1e-9), heavy], [*checks(head, weight=1e-9), heavy])
    assert (row.delta, row.verdict) == (0, verdict)
    said = "the verdict counts cases, and Δ weighs checks: what weighs much hides the rest"
    assert row.note.endswith(said)

    plain = total(checks(base), checks(head))
    assert "weighs" not in plain.note
