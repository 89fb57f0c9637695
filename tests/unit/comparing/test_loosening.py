"""Every way in which a change lowers the bar, was → now, and what of it fails on the base."""

import dataclasses
from collections.abc import Sequence

import pytest

from mergebar import comparing
from mergebar.comparing import Circumstances, Evidence
from mergebar.model.changes import Change, Status
from mergebar.model.comparisons import Loosened, Loosening
from mergebar.model.reports import Report, ReportCheck
from support.comparisons import BASELINE, JUDGE, check, comparison, measured, report

JUDGED = check("a", name="Relevance", parts=measured(judged=True, votes=3))


def loosened(
    base: Report | Sequence[ReportCheck], head: Report | Sequence[ReportCheck], **more: object
) -> tuple[Loosened, ...]:
    there, here = (one if isinstance(one, Report) else report(*one) for one in (base, head))
    circumstances = Circumstances(**more)  # type: ignore[arg-type]
    return comparing.compare(there, here, baseline=BASELINE, circumstances=circumstances).loosened


def said(found: Sequence[Loosened]) -> list[tuple[str, str, str, str]]:
    return [(one.kind.value, one.what, one.was, one.now) for one in found]


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (
            check("a", threshold=4),
            check("a", threshold=3),
            ("threshold", "threshold of `ExactMatch`", "4", "3"),
        ),
        (
            check("a"),
            check("a", severity="warning"),
            ("severity", "severity of `ExactMatch`", "error", "warning"),
        ),
        (
            check("a", weight=3),
            check("a", weight=0.5),
            ("weight", "weight of `ExactMatch`", "3", "0.5"),
        ),
        (
            check("a", must_pass=True),
            check("a"),
            ("must-pass", "`ExactMatch`", "must pass", "may fail"),
        ),
        (
            check("a", parts=measured(runs=5)),
            check("a", parts=measured(runs=2)),
            ("runs", "runs of `ExactMatch`", "5", "2"),
        ),
        (
            JUDGED,
            dataclasses.replace(JUDGED, measured=measured(judged=True, votes=1)),
            ("votes", "votes on `Relevance`", "3", "1"),
        ),
        (
            JUDGED,
            dataclasses.replace(JUDGED, measured=measured(judged=True, votes=3, confirm=2)),
            ("votes", "votes that confirm a failure of `Relevance`", "0", "2"),
        ),
        (
            check("a"),
            check("a", "skipped", reason="skipped by its author"),
            ("skip", "`ExactMatch`", "measured", "skipped (skipped by its author)"),
        ),
    ],
    ids=lambda one: one[0] if isinstance(one, tuple) else "",
)
def test_a_lower_bar_is_told_and_a_higher_one_isnt(
    base: ReportCheck, head: ReportCheck, expected: tuple[str, str, str, str]
) -> None:
    assert said(loosened([base], [head])) == [expected]
    assert loosened([head], [base]) == ()


def test_what_is_withheld_isnt_loosened() -> None:
    assert loosened([check("a")], [check("a", "skipped", skip="withheld")]) == ()


def test_what_is_alike_in_a_suite_is_told_once_for_all_its_checks() -> None:
    base = [check("a", threshold=4), check("b", "fail", threshold=4)]
    base += [check("c", threshold=4, suite="evals/other.json")]
    head = [dataclasses.replace(one, threshold=3.0) for one in base]
    found = loosened(base, head)
    assert [one.suite for one in found] == ["evals/support.json", "evals/other.json"]
    assert found[0].checks == (base[0].id, base[1].id)
    assert found[0].failing == (base[1].id,)


def test_what_fails_on_the_base_is_told_first() -> None:
    base = [check("a", threshold=4), check("z", "fail", weight=2)]
    head = [check("a", threshold=3), check("z", "fail", weight=1)]
    assert [one.kind for one in loosened(base, head)] == [Loosening.WEIGHT, Loosening.THRESHOLD]


def test_another_judge_is_told_once() -> None:
    head = report(JUDGED, check("b"), judge=dataclasses.replace(JUDGE, model="gpt-5"))
    found = loosened([dataclasses.replace(JUDGED, outcome="fail"), check("b")], head)
    assert said(found) == [("judge", "judge", "`gpt-5-mini`", "`gpt-5`")]
    assert found[0].checks == found[0].failing == (JUDGED.id,)


def test_mergebars_own_words_to_the_judge_loosen_nothing() -> None:
    judge = dataclasses.replace(JUDGE, parameters={"temperature": 0, "prompt_version": "2"})
    assert loosened([JUDGED], report(JUDGED, judge=judge)) == ()


def test_a_run_that_judged_nothing_has_no_other_judge() -> None:
    assert loosened([check("a")], report(check("a"), judge=None)) == ()


def test_a_removed_case_is_one_entry() -> None:
    gone = [check("b", "fail", label="Where?"), check("b", name="Relevance", label="Where?")]
    found = loosened(
        [check("a"), check("a", name="Relevance"), *gone],
        [check("a"), check("a", name="Relevance")],
    )
    assert said(found) == [("check", "case `Where?`", "2 checks", "removed")]
    assert found[0].failing == (gone[0].id,)


def test_a_removed_evaluator_is_one_entry_for_its_suite() -> None:
    base = [check(case, name=name) for case in "abc" for name in ("ExactMatch", "Relevance")]
    head = [one for one in base if one.name == "ExactMatch"]
    assert said(loosened(base, head)) == [("evaluator", "`Relevance`", "on 3 cases", "removed")]


def test_an_evaluator_removed_from_some_cases_only_is_a_removed_check() -> None:
    base = [check(case, name=name) for case in "ab" for name in ("ExactMatch", "Relevance")]
    assert said(loosened(base, base[:3])) == [("check", "`Relevance`", "on 1 case", "removed")]


def test_a_removed_suite_is_one_entry() -> None:
    gone = [check("x", suite="evals/x.json"), check("y", "fail", suite="evals/x.json")]
    found = loosened([check("a"), *gone], [check("a")])
    assert said(found) == [("suite", "suite `evals/x.json`", "2 checks", "removed")]


def test_a_renamed_suite_isnt_removed() -> None:
    moved = Change(path="evals/y.json", old_path="evals/x.json", status=Status.RENAMED)
    base = [check("a", suite="evals/x.json")]
    assert loosened(base, [check("a", suite="evals/y.json")], files=(moved,)) == ()


def test_a_deleted_trace_is_told() -> None:
    deleted = Change(path="traces/a.jsonl", status=Status.DELETED)
    evidence = Evidence(traces=("traces/**",))
    found = loosened([check("a")], [check("a")], files=(deleted,), evidence=evidence)
    assert said(found) == [("trace", "trace `traces/a.jsonl`", "there", "removed")]


def test_what_only_one_side_has_cant_be_lowered() -> None:
    assert loosened([], [check("a", severity="notice", weight=0.1)]) == ()


def entry(*failing: str) -> Loosened:
    return Loosened(kind=Loosening.WEIGHT, suite=None, what="w", was="2", now="1", failing=failing)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], None),
        ([entry(), entry(), entry("a", "b")], "3 loosened, 1 of them failing on main"),
        ([entry()], "1 loosened"),
    ],
)
def test_the_headline_counts_what_is_loosened(
    entries: list[Loosened], expected: str | None
) -> None:
    assert comparing.loosened(comparison(loosened=entries), branch="main") == expected
    assert comparing.loosened(None) is None
