"""What people see: every state as a picture of text, and what no report may do to it."""

import dataclasses
import itertools
import re
import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from mergebar.model.comparisons import (
    ChangeKind,
    CheckChange,
    Comparison,
    Edited,
    EvidenceKind,
    Loosened,
    Loosening,
    Renamed,
)
from mergebar.model.configuration import Responses
from mergebar.model.decisions import DecisionOutcome, Reason
from mergebar.model.reports import Report, ReportCheck, ReportWarning
from mergebar.report import comment, comparison, summary, terminal
from mergebar.report.presenting import Presentation
from mergebar.report.terminal import Style
from support import comparisons, github_markdown, hostile, hostile_reports, reports, states


class _Markdown(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "md"


class _Text(_Markdown):
    file_extension = "txt"


LINKED = Presentation(
    repository_url="https://github.test/o/r",
    run_url="https://github.test/o/r/actions/runs/1001",
    artifact_url="https://github.test/o/r/actions/runs/1001/artifacts/7",
)
ALLOWED = {
    "h2", "h3", "p", "em", "strong", "code", "br", "a", "table", "thead", "tbody", "tr", "th", "td", "sub",
    "details", "summary", "pre", "ul", "li",
}  # fmt: skip


def _comment(report: Report) -> str:
    return comment.draw(report, LINKED)


def _summary(report: Report) -> str:
    return summary.draw(report, LINKED)


def _difference(report: Report) -> str:
    return comparison.markdown(report, LINKED)


DRAWINGS = [_comment, _summary]
_RULE = re.compile(r"^\|(?::?-+:?\|)+$", re.MULTILINE)
"""The line below a table's header, which only our own templates can write at a line's start."""


@pytest.mark.parametrize("name", states.STATES)
def test_the_comment_of_every_state(name: str, snapshot: SnapshotAssertion) -> None:
    assert _comment(states.STATES[name]) == snapshot(extension_class=_Markdown)


@pytest.mark.parametrize("name", states.STATES)
def test_the_terminal_of_every_state(name: str, snapshot: SnapshotAssertion) -> None:
    assert terminal.draw(states.STATES[name], Style()) == snapshot(extension_class=_Text)


def test_the_summary_of_a_failure(snapshot: SnapshotAssertion) -> None:
    assert _summary(states.STATES["failed"]) == snapshot(extension_class=_Markdown)


def test_the_terminal_in_colour_and_in_full(snapshot: SnapshotAssertion) -> None:
    style = Style(colour=True, verbose=True, width=100)
    assert terminal.draw(states.STATES["failed"], style) == snapshot(extension_class=_Text)


def test_the_difference_of_two_reports(snapshot: SnapshotAssertion) -> None:
    report = states.STATES["compared-failed"]
    drawn = comparison.markdown(report, LINKED)
    assert drawn == snapshot(extension_class=_Markdown)
    assert comparison.text(report, Style(width=100)) == snapshot(name="text", extension_class=_Text)
    _assert_whole(drawn)


def _assert_whole(drawn: str) -> github_markdown.Reader:
    """Rendered by GitHub's engine: nothing but our elements, each closed, every table drawn."""
    reader = github_markdown.Reader(drawn)
    assert set(reader.tags) <= ALLOWED, set(reader.tags) - ALLOWED
    for tag in ("details", "summary", "sub", "table"):
        assert reader.tags.count(tag) == reader.closed.count(tag), tag
    assert reader.tags.count("table") == len(_RULE.findall(drawn))
    assert reader.linked_later == []
    return reader


@pytest.mark.parametrize("draw", DRAWINGS)
@pytest.mark.parametrize("name", states.STATES)
def test_every_state_is_whole_when_rendered(name: str, draw: Callable[[Report], str]) -> None:
    _assert_whole(draw(states.STATES[name]))


@pytest.mark.parametrize("name", states.STATES)
def test_the_marker_is_the_first_line_and_stands_alone(name: str) -> None:
    drawn = _comment(states.STATES[name])
    assert drawn.startswith(comment.marker_start("mergebar"))
    assert drawn.splitlines()[0] == (
        f"<!-- mergebar:v1 key=mergebar run=1001 attempt=1 sha={reports.HEAD} -->"
    )
    assert drawn.count("<!--") == 1


def test_two_gates_have_two_markers_and_say_their_names() -> None:
    drawn = comment.draw(states.STATES["passed"], Presentation(key="evals --> x"))
    assert drawn.startswith("<!-- mergebar:v1 key=evals%20--%3E%20x run=1001 ")
    assert "evals" in drawn.splitlines()[1]


@pytest.mark.parametrize("draw", [*DRAWINGS, _difference])
@given(
    texts=st.lists(hostile.texts, min_size=1, max_size=5), outcome=st.sampled_from(DecisionOutcome)
)
def test_no_text_of_a_report_does_anything(
    draw: Callable[[Report], str], texts: list[str], outcome: DecisionOutcome
) -> None:
    report = hostile_reports.report(texts)
    report = dataclasses.replace(
        report, decision=dataclasses.replace(report.decision, outcome=outcome)
    )
    drawn = draw(report)
    reader = _assert_whole(drawn)
    assert all(str(one).startswith("https://github.test/o/r/") for one in reader.addresses)
    markers = 1 if drawn.startswith("<!--") else 0
    assert len(reader.comments) == drawn.count("<!--") == markers
    assert reader.tags.count("h2") == 1


@given(texts=st.lists(hostile.texts, min_size=1, max_size=5), verbose=st.booleans())
def test_no_text_of_a_report_steers_a_terminal_or_a_runner(
    texts: list[str], *, verbose: bool
) -> None:
    drawn = terminal.draw(
        hostile_reports.report(texts), Style(verbose=verbose, responses=Responses.EVERYWHERE)
    )
    lines = re.split(r"\r\n|\r|\n", drawn)
    assert not any(line.strip().startswith("::") or "##[" in line for line in lines)
    assert "\x1b" not in drawn
    assert "\u202e" not in drawn


def _huge(count: int, text: str, *, compared: bool = False) -> Report:
    checks = [
        reports.check(
            outcome="fail", case=f"{text[:40]}{n}", label=text, reason=text, suite=f"evals/{n}.json"
        )
        for n in range(count)
    ]
    plain = reports.report(
        *checks,
        *(reports.check(case=f"p{n}", label=text) for n in range(count)),
        of=reports.decision(
            "failed",
            f"{count} checks block",
            Reason(rule="check-failed", message=text, checks=tuple(one.id for one in checks)),
            *(Reason(rule="rate-dropped", message=text) for _ in range(30)),
        ),
        problems=[reports.problem(text, path=text) for _ in range(count // 10)],
        warnings=[ReportWarning(message=text)] * (count // 10),
    )
    return dataclasses.replace(plain, comparison=_large(checks, text)) if compared else plain


def _large(checks: Sequence[ReportCheck], text: str) -> Comparison:
    """A comparison with as much of everything as there are checks."""
    kinds = itertools.cycle(ChangeKind)
    plain = comparisons.comparison(
        *(
            CheckChange(
                check=one.id,
                change=next(kinds),
                comparable=True,
                reason=f"{text}{number}",
                label=text,
                base_outcome="pass",
                base_score=4,
            )
            for number, one in enumerate(checks)
        ),
        loosened=[
            Loosened(
                kind=Loosening.CHECK,
                suite=one.suite,
                what=text,
                was=text,
                now=text,
                checks=(one.id,),
            )
            for one in checks
        ],
        edited=[
            Edited(kind=EvidenceKind.TRACE, path=one.suite, status="modified") for one in checks
        ],
        evaluators=[comparisons.tally(f"{text[:40]}{number}") for number in range(len(checks))],
    )
    renamed = tuple(Renamed(was=text, now=one.suite) for one in checks)
    return dataclasses.replace(plain, renamed=renamed, notes=(text,) * 30)


TEXTS = [
    "x" * 70_000,
    "word " * 14_000,
    "| " * 35_000,
    "\U0001f469 " * 35_000,
    "字" * 70_000,
    "</details>``` <!-- " * 4_000,
    "\u202e" * 70_000,
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: repr(text[:6]))
def test_a_huge_report_fits_and_is_whole(text: str) -> None:
    _assert_fits(_huge(120, text))


@pytest.mark.parametrize("text", TEXTS[1:3], ids=lambda text: repr(text[:6]))
def test_a_huge_comparison_fits_and_is_whole(text: str) -> None:
    _assert_fits(_huge(120, text, compared=True))


def _assert_fits(report: Report) -> None:
    drawn = _comment(report)
    assert len(drawn) <= comment.CHARACTERS
    assert len(drawn.encode()) <= comment.BYTES
    _assert_whole(drawn)
    drawn = _summary(report)
    assert len(drawn.encode()) < summary.BYTES
    _assert_whole(drawn)


@pytest.mark.parametrize("compared", [False, True], ids=["alone", "compared"])
def test_five_thousand_failures_give_a_good_comment_quickly(*, compared: bool) -> None:
    text = "The answer names another product than the one that was asked about."
    report = _huge(5_000, text, compared=compared)
    _comment(_huge(1, text))  # the templates are compiled once
    started = time.process_time()
    drawn = _comment(report)
    assert time.process_time() - started < 0.5
    assert len(drawn) <= comment.CHARACTERS
    assert "## ❌ Failed: 5000 checks block" in drawn
    assert drawn.count("**Relevance** · The answer") >= (30 if compared else 40)
    assert re.search(r"…and 4,\d{3} more in \[`report.json`\]", drawn)
    _assert_whole(drawn)


def test_passing_detail_is_dropped_first() -> None:
    few = _comment(_huge(20, "short"))
    many = _comment(_huge(290, "A reason of a usual length, as a judge gives it for an answer."))
    assert "checks passed</summary>" in few
    assert "checks passed</summary>" not in many
    assert many.count("**Relevance**") >= 80


@pytest.mark.parametrize("responses", [Responses.ARTIFACT, Responses.NONE])
@pytest.mark.parametrize("draw", ["comment", "summary", "terminal"])
def test_a_reason_that_may_quote_stays_out_unless_it_may_go_everywhere(
    draw: str, responses: Responses
) -> None:
    def drawn(responses: Responses) -> str:
        if draw == "terminal":
            return terminal.draw(report, Style(responses=responses, verbose=True))
        options = Presentation(responses=responses)
        return comment.draw(report, options) if draw == "comment" else summary.draw(report, options)

    quoting = reports.check("Relevance", "fail", reason="QUOTED", quotes=True)
    counting = reports.check("ExactMatch", "fail", reason="COUNTED")
    failed = reports.errored(message="exited with code 1; stderr: TAIL", case="e", quotes=True)
    ids = (quoting.id, counting.id)
    report = reports.report(
        quoting,
        counting,
        failed,
        of=reports.decision(
            "failed", "2 checks block", Reason(rule="check-failed", message="m", checks=ids)
        ),
    )
    assert "QUOTED" not in drawn(responses)
    assert "TAIL" not in drawn(responses)
    assert "COUNTED" in drawn(responses)
    assert "exited with code 1" in drawn(responses)
    assert "How do I reset it?" in drawn(responses)
    assert "QUOTED" in drawn(Responses.EVERYWHERE)
    assert "TAIL" in drawn(Responses.EVERYWHERE)


def test_no_colour_unless_asked() -> None:
    assert "\x1b" not in terminal.draw(states.STATES["failed"], Style())
    assert "\x1b[" in terminal.draw(states.STATES["failed"], Style(colour=True))


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("name", states.STATES)
def test_text_keeps_to_the_width(name: str, width: int) -> None:
    drawn = terminal.draw(states.STATES[name], Style(width=width))
    # Tables have columns to keep, and a command has to be copied in one piece.
    whole = re.compile(r"\S+( \S+)*  +\S+( \S+)*  |    mergebar ")
    long = [line for line in drawn.splitlines() if len(line) > width and not whole.match(line)]
    assert long == []


def test_a_command_quotes_what_a_shell_would_read() -> None:
    path = "evals/a b;$(x).json"
    check = reports.check(outcome="fail", suite=path)
    report = reports.report(
        check,
        of=reports.decision(
            "failed", "1 check blocks", Reason(rule="check-failed", message="m", checks=(check.id,))
        ),
    )
    assert "--affected 'evals/a b;$(x).json'" in _comment(report)
