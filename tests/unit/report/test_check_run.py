"""What a check run shows, within GitHub's bytes, whatever the report holds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar.model.configuration import Responses
from mergebar.model.reports import Report
from mergebar.report import check_run, comment
from mergebar.report.presenting import Presentation
from support import compared_states, github_markdown, hostile, reports, states

PLAIN = Presentation(key="mergebar")


@pytest.mark.parametrize("name", states.STATES)
def test_every_state_has_the_headline_of_the_comment(name: str) -> None:
    report = states.STATES[name]

    output = check_run.draw(report, PLAIN)

    assert output.title.endswith(report.decision.headline)
    assert output.summary == comment.draw(report, PLAIN).partition("\n")[2]
    assert bool(output.annotations) is (
        name not in {"passed", "nothing-affected", *compared_states.WITHOUT_A_LINE}
    )


def test_the_title_says_the_decision_first_and_fits_on_one_line() -> None:
    report = reports.report(
        of=reports.decision("needs-review", "1 check\nneeds review " + "x" * 999)
    )

    title = check_run.draw(report, PLAIN).title

    assert title.startswith("Needs review: 1 check needs review x")
    assert len(title) <= check_run.TITLE


def _large(text: str, *, checks: int) -> Report:
    return reports.report(
        *(
            reports.check(
                outcome="fail", case=f"{text}{n}", label=text, reason=text, suite=f"{text[:60]}{n}"
            )
            for n in range(checks)
        ),
        of=reports.decision("failed", text),
        problems=[reports.problem(text, path=text[:200])] * (checks // 4),
    )


@pytest.mark.parametrize("text", ["x" * 900, "\N{SNAKE}" * 900, "é|`<" * 300])
def test_a_report_beyond_every_limit_is_cut_by_bytes_and_stays_whole(text: str) -> None:
    output = check_run.draw(_large(text, checks=2000), Presentation(responses=Responses.EVERYWHERE))

    assert 1000 < len(output.summary.encode()) <= 65_535
    reader = github_markdown.Reader(output.summary)
    for tag in ("details", "summary", "table"):
        assert reader.tags.count(tag) == reader.closed.count(tag), tag
    assert "|--" not in github_markdown.html(output.summary)
    assert "more in" in output.summary
    assert len(output.annotations) == 2001


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(hostile.TEXTS), st.integers(min_value=0, max_value=120))
def test_no_text_breaks_out_of_a_summary(text: str, count: int) -> None:
    output = check_run.draw(
        _large(text, checks=count), Presentation(responses=Responses.EVERYWHERE)
    )

    reader = github_markdown.Reader(output.summary)
    assert len(output.summary.encode()) <= 65_535
    assert not {"img", "script", "h1"} & set(reader.tags)
    assert reader.comments == []
    assert reader.linked_later == []


def test_a_run_that_has_no_report_says_why() -> None:
    assert check_run.begun().title == "Running"
    assert check_run.ended("Cancelled", "It was stopped.").summary == "It was stopped."
