"""What became of checks: declined, withheld and error are three things, in every drawing."""

import dataclasses

import pytest

from mergebar.model.reports import Report
from mergebar.report import comment, counting, evaluator_lines, html, outputs, summary, terminal
from mergebar.report.counting import Fate, Fates
from mergebar.report.presenting import Presentation
from mergebar.report.terminal import Style
from support import reports

PLAIN = Presentation(key="mergebar")


def made() -> Report:
    """One check of each kind; `b` is an eval that one session withholds and another grades."""
    errored = reports.errored()
    withheld = reports.check(outcome="skipped", skip="withheld", reason="no secret")
    declined = reports.check(outcome="skipped", skip="declined", reason="`skip`: by its author")
    graded = dataclasses.replace(reports.check("b"), kind="grader", turn=None)
    silent = dataclasses.replace(
        graded, outcome="skipped", skip="withheld", reason="not used", case="x", score=None
    )
    checks = [errored, withheld, withheld, declined, declined, declined, graded, silent]
    numbered = [dataclasses.replace(one, id=f"c{n}") for n, one in enumerate(checks)]
    return reports.report(*numbered, of=reports.decision("could-not-evaluate", "3 not measured"))


DRAWINGS = {
    "terminal": lambda report: terminal.draw(report, Style(width=200)),
    "comment": lambda report: comment.draw(report, PLAIN).replace("**", ""),
    "summary": lambda report: summary.draw(report, PLAIN).replace("**", ""),
    "html": lambda report: html.draw(report, PLAIN),
}


def test_declined_withheld_and_elsewhere_are_told_apart() -> None:
    assert counting.count(made()) == {
        Fate.PASSED: 1,
        Fate.UNMEASURED: 3,
        Fate.DECLINED: 3,
        Fate.ELSEWHERE: 1,
    }


@pytest.mark.parametrize("name", DRAWINGS)
def test_every_drawing_uses_the_same_words_for_them(name: str) -> None:
    drawn = DRAWINGS[name](made())
    for said in ("1 passed", "3 not measured", "3 declined", "1 graded on other sessions"):
        assert said in drawn
    assert "skipped on purpose" not in drawn
    assert " skipped ·" not in drawn


def test_the_output_counts_errors_alone_as_the_totals_do() -> None:
    assert outputs.values(made(), report_path="r")["errors"] == "1"


def test_a_line_counts_every_check_of_its_evaluator() -> None:
    grader = dataclasses.replace(reports.check("asks"), kind="grader")
    told = [
        grader,
        dataclasses.replace(grader, case="b", outcome="skipped", skip="withheld"),
        dataclasses.replace(grader, case="c", outcome="needs-review"),
        dataclasses.replace(grader, case="d", outcome="skipped", skip="declined"),
        reports.check(),
    ]
    lines = evaluator_lines.draw(told, Fates(told))
    columns = evaluator_lines.columns(lines)
    assert evaluator_lines.heads(columns) == (
        "passed", "failed", "not measured", "to review", "declined", "other sessions",
    )  # fmt: skip
    assert [(line.name, *line.numbers(columns)) for line in lines] == [
        ("Relevance", 1, 1, 0, 0, 0, 0, 0),
        ("evals of artifacts", 4, 1, 0, 0, 1, 1, 1),
    ]
    assert evaluator_lines.summed(lines).numbers(columns) == (5, 2, 0, 0, 1, 1, 1)
