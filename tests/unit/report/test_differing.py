"""What a reader is told of a comparison, and in which order."""

import dataclasses
import re

import pytest

from mergebar.model.comparisons import ChangeKind, CheckChange, Comparison
from mergebar.model.decisions import Reason
from mergebar.model.reports import Report, ReportWarning
from mergebar.report import (
    comment,
    differing,
    findings,
    html,
    outputs,
    remedies,
    summary,
    terminal,
)
from mergebar.report.presenting import Presentation
from mergebar.report.selecting import select
from mergebar.report.terminal import Style
from support import compared_states, comparisons, reports

FAILED = compared_states.STATES["compared-failed"]


def _comparison(report: Report) -> Comparison:
    assert report.comparison is not None
    return report.comparison


def _failing(*kinds: ChangeKind, blocking: bool = True, known: bool = False) -> Report:
    """One failing check for each kind, under its name."""
    checks = [reports.check(kind.value, "fail", case=kind.value) for kind in kinds]
    rule = "check-failed" if blocking else "failure-allowed"
    plain = reports.report(
        *checks,
        of=reports.decision(
            "failed" if blocking else "passed",
            "said",
            Reason(rule=rule, message="said: so", checks=tuple(one.id for one in checks)),
        ),
    )
    changes = [
        CheckChange(
            check=check.id,
            change=kind,
            comparable=kind not in {ChangeKind.NEW, ChangeKind.NOT_COMPARABLE},
            reason="threshold 4 → 3" if kind is ChangeKind.NOT_COMPARABLE else "",
            base_outcome=None if kind is ChangeKind.NEW else "pass",
            base_score=None if kind is ChangeKind.NEW else 4.0,
            known=known,
        )
        for kind, check in zip(kinds, checks, strict=True)
    ]
    return dataclasses.replace(plain, comparison=comparisons.comparison(*changes))


def test_what_got_worse_stands_before_what_was_bad_already() -> None:
    kinds = (
        ChangeKind.STILL_FAILING,
        ChangeKind.NOT_COMPARABLE,
        ChangeKind.NEW,
        ChangeKind.REGRESSED,
    )
    names = [check.name for check in select(_failing(*kinds)).blocking]
    assert names == ["regressed", "new", "not-comparable", "still-failing"]


@pytest.mark.parametrize(
    ("kind", "known", "title"),
    [
        (ChangeKind.REGRESSED, False, "1 regressed check doesn't block"),
        (ChangeKind.NEW, False, "1 new failure doesn't block"),
        (ChangeKind.STILL_FAILING, True, "1 known failure doesn't block"),
        (ChangeKind.STILL_FAILING, False, "1 failing check doesn't block"),
        (ChangeKind.CARRIED, True, "1 known failure doesn't block"),
        (ChangeKind.NOT_COMPARABLE, False, "1 failing check doesn't block"),
    ],
)
def test_failures_that_dont_block_are_told_apart(
    kind: ChangeKind, title: str, *, known: bool
) -> None:
    drawn = comment.draw(_failing(kind, blocking=False, known=known), Presentation())
    assert f"<summary>{title}</summary>" in drawn


def test_there_is_never_a_difference_of_what_cant_be_compared() -> None:
    report = _failing(ChangeKind.NOT_COMPARABLE)
    for drawn in (
        comment.draw(report, Presentation()),
        summary.draw(report, Presentation()),
        terminal.draw(report, Style()),
    ):
        assert "threshold 4 → 3" in drawn
        assert not re.search(r"4 → (\*\*)?2", drawn)


def test_the_row_of_a_check_that_cant_be_compared_says_so() -> None:
    """Beside what it came out as, wherever it blocks: nobody takes it for new or for regressed."""
    report = _failing(ChangeKind.NOT_COMPARABLE)
    said = r"not comparable: (\*\*)?2 < 3"
    assert re.search(said, comment.draw(report, Presentation()))
    assert re.search(said, summary.draw(report, Presentation()))
    assert re.search(said, terminal.draw(report, Style()))
    for kind in (ChangeKind.NEW, ChangeKind.REGRESSED, ChangeKind.STILL_FAILING):
        assert not re.search(said, comment.draw(_failing(kind), Presentation()))


def test_what_wasnt_measured_is_not_said_twice() -> None:
    drawn = comment.draw(FAILED, Presentation())
    assert "<summary>1 not measured: 1 throttled</summary>" in drawn
    assert "<summary>2 checks are not comparable</summary>" in drawn
    found = differing.differ(FAILED)
    assert found is not None
    assert [one.reason for one in found.not_comparable] == ["threshold 4 → 3", "the prompt changed"]


def test_a_removed_check_is_told_by_what_the_baseline_knew_of_it() -> None:
    found = differing.differ(FAILED)
    assert found is not None
    (gone,) = found.removed
    assert (gone.name, gone.suite, gone.label) == (
        "ExactMatch",
        reports.SUITE,
        "Is it still sold?",
    )
    assert "fail, 2" in comment.draw(FAILED, Presentation())


def test_without_a_baseline_nothing_changed_and_what_is_looser_is_still_said() -> None:
    report = compared_states.STATES["loosened-review"]
    assert differing.differ(report) is None
    drawn = comment.draw(report, Presentation())
    assert "`gate.severity` | warning → **error**" in drawn
    assert "no baseline" in drawn
    assert "was → now | why" not in drawn


def _numbers(row: str) -> list[str]:
    return re.findall(r"[+−]?\d+(?:\.\d+)?", row)


@pytest.mark.parametrize("name", ["compared-failed", "compared-improved", "compared-all-carried"])
def test_the_numbers_are_the_same_everywhere(name: str) -> None:
    report = compared_states.STATES[name]
    drawings = (
        comment.draw(report, Presentation()),
        summary.draw(report, Presentation()),
        terminal.draw(report, Style(width=100)),
    )
    for tally in (*_comparison(report).evaluators, _comparison(report).total):
        title = tally.name or "all that gates"
        rows = {
            tuple(_numbers(line))
            for drawn in drawings
            for line in drawn.splitlines()
            if re.match(rf"(\| )?(\*\*)?{title}\b", line) and str(tally.verdict) in line
        }
        assert len(rows) == (1 if tally.n or tally.name is None else 0), title


def test_the_output_counts_what_regressed() -> None:
    assert outputs.values(FAILED, report_path="r")["regressed"] == "1"
    assert outputs.values(reports.report(), report_path="r")["regressed"] == "0"


def test_what_waits_for_a_person_says_for_whom() -> None:
    report = compared_states.STATES["loosened-review"]
    todo = remedies.remedy(report, select(report))
    assert todo is not None
    assert todo.sentence.startswith("Take back what is loosened")
    both = dataclasses.replace(
        report,
        decision=reports.decision(
            "needs-review",
            "x",
            Reason(rule="loosened", message="m"),
            Reason(rule="reviews-outstanding", message="m"),
        ),
    )
    todo = remedies.remedy(both, select(both))
    assert todo is not None
    assert "mergebar.reviews.yml" in todo.sentence
    assert "Take back" in todo.sentence


def test_a_maintainer_has_to_measure_what_is_withheld_from_an_untrusted_run() -> None:
    withheld = reports.check(outcome="skipped", skip="withheld", reason="no secrets")
    report = reports.report(
        withheld,
        of=reports.decision("could-not-evaluate", "1 of 1 check not measured"),
        info=reports.run(trusted=False),
    )
    todo = remedies.remedy(report, select(report))
    assert todo is not None
    assert "A maintainer has to look at the change" in todo.sentence
    trusted = dataclasses.replace(report, run=reports.run())
    todo = remedies.remedy(trusted, select(trusted))
    assert todo is not None
    assert "Supply what was missing" in todo.sentence


def test_evals_of_artifacts_share_one_row() -> None:
    grader = dataclasses.replace(reports.check("abc"), kind="grader")
    lines = select(reports.report(grader, dataclasses.replace(grader, name="def"))).lines
    assert [(line.name, line.checks) for line in lines] == [("evals of artifacts", 2)]


def test_a_problem_that_is_a_warning_of_the_run_too_is_said_once() -> None:
    problem = reports.problem("`a` matches no file", level="warning", path="mergebar.yml", line=3)
    report = reports.report(
        problems=[problem],
        warnings=[
            ReportWarning(message="`a` matches no file", path="mergebar.yml", line=3),
            ReportWarning(message="something else"),
        ],
    )
    for drawn in (
        comment.draw(report, Presentation()),
        terminal.draw(report, Style(width=120)),
        html.draw(report, Presentation()),
        findings.draw(report),
    ):
        assert drawn.count("matches no file") == 1
        assert "something else" in drawn


@pytest.mark.parametrize("width", [78, 120])
def test_the_table_of_a_narrow_terminal_leaves_out_where_the_difference_lies(width: int) -> None:
    drawn = terminal.draw(FAILED, Style(width=width)).splitlines()
    start = next(at for at, line in enumerate(drawn) if line.startswith("comparable checks"))
    table = drawn[start : drawn.index("", start)]
    assert max(map(len, table)) <= width
    assert any(" to +" in line for line in table) is (width == 120)
    assert any(line.startswith("all that gates") for line in table)
