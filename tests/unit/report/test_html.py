"""The page of a report: whole in itself, under a policy of its own, and nobody else's."""

import base64
import dataclasses
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar.model.configuration import Responses
from mergebar.model.reports import Report
from mergebar.report import html, picture, svg
from mergebar.report.picture import Scale
from mergebar.report.presenting import Presentation
from mergebar.report.selecting import select
from support import hostile, hostile_reports, reports, states

LINKED = Presentation(repository_url="https://github.test/o/r")
VOID = {"meta", "input", "br", "line", "rect", "circle"}
FAILED = states.STATES["compared-failed"]


class _Page(HTMLParser):
    """Every element with its attributes; open elements have to be closed in their order."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in self.texts:
            self.texts[self._open[-1]].append(data)


def _assert_alone(source: str) -> _Page:
    """It asks for nothing, runs nothing but our script, and links only where we say."""
    page = _Page(source)
    for tag, attributes in page.elements:
        assert not {"src", "srcset", "data", "action", "style", "background"} & set(attributes), tag
        assert not any(name.startswith("on") for name in attributes), tag
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form", "use"}
        address = attributes.get("href")
        assert address is None or address.startswith(("#", "https://github.test/o/r/blob/")), (
            address
        )
    [policy] = [
        one["content"] for tag, one in page.elements if tag == "meta" and one.get("http-equiv")
    ]
    assert policy is not None
    for directive, text in (
        ("script", page.texts["script"][-1]),
        ("style", page.texts["style"][0]),
    ):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    return page


@pytest.mark.parametrize("name", states.STATES)
def test_every_state_is_one_file_that_needs_no_other(name: str) -> None:
    source = html.draw(states.STATES[name], LINKED)

    page = _assert_alone(source)
    headline = re.sub("`(.*?)`", r"<code>\1</code>", states.STATES[name].decision.headline)
    assert f"{headline}</span></h1>" in source
    assert "&lt;section" not in source
    assert len(page.texts["script"]) == 2
    rows = json.loads(page.texts["script"][0])
    kept = [row for row in rows["rows"] if row[1] != "removed"]
    assert [row[0] for row in kept] == [check.id for check in states.STATES[name].checks]


@settings(deadline=None, max_examples=60)
@given(texts=st.lists(hostile.texts, min_size=1, max_size=5))
def test_no_text_of_a_report_does_anything_on_its_page(texts: list[str]) -> None:
    source = html.draw(hostile_reports.report(texts), LINKED)

    page = _assert_alone(source)
    assert sum(tag == "h1" for tag, _ in page.elements) == 1
    assert len(page.texts["script"]) == 2
    assert "\u202e" not in source
    json.loads(page.texts["script"][0])


def test_what_is_looser_and_edited_stands_before_the_scores() -> None:
    source = html.draw(FAILED, LINKED)

    titles = re.findall(r"<h2>(.*?)</h2>", source)
    assert titles == [
        "Pass rate",
        "Checks",
        "Regressed",
        "Improved",
        "2 checks block",
        "2 things are loosened here",
        "Evidence edited here",
        "Scores per evaluator",
        "Why some are missing",
        "All checks",
        "Renamed suites",
        "What ran, and why",
    ]


REMARK = reports.problem("write `<b>`, not `x`", level="warning")
FAULT = reports.problem("no good")


def titled(report: Report) -> list[str]:
    source = html.draw(report, LINKED)
    return re.findall(r"<h2>(.*?)</h2>", source)


def test_remarks_stand_after_what_blocks_and_faults_before_all_else() -> None:
    remarked = dataclasses.replace(FAILED, suites=(reports.suite(problems=[REMARK]),))
    titles = titled(remarked)
    assert titles.index("2 checks block") < titles.index("Problems")
    assert titles.index("Problems") < titles.index("Scores per evaluator")
    faulty = dataclasses.replace(FAILED, suites=(reports.suite(problems=[REMARK, FAULT]),))
    titles = titled(faulty)
    assert titles.index("Problems") < titles.index("2 checks block")
    assert titles.count("Problems") == 1


def test_what_stands_between_backticks_is_code_and_one_alone_is_none() -> None:
    source = html.draw(
        dataclasses.replace(FAILED, suites=(reports.suite(problems=[REMARK]),)), LINKED
    )
    assert "write <code>&lt;b&gt;</code>, not <code>x</code>" in source
    lone = reports.problem("a ` alone", level="warning")
    source = html.draw(
        dataclasses.replace(FAILED, suites=(reports.suite(problems=[lone]),)), LINKED
    )
    assert "a &#96; alone" in source


def test_its_numbers_are_those_of_the_comparison() -> None:
    source = html.draw(FAILED, LINKED)

    assert FAILED.comparison is not None
    for tally in (*FAILED.comparison.evaluators, FAILED.comparison.total):
        row = rf'<th scope="row">{tally.name or "all that gates"}</th>(.*?)</tr>'
        [first, *_] = re.findall(row, source)
        cells = re.findall(r"<td[^>]*>(?:<span[^>]*>)?(.*?)<", first)
        assert cells[4] == tally.verdict.value
        assert cells[5].replace("&#39;", "'") == tally.note
    assert "100 % → 88.8 %" in source


@pytest.mark.parametrize("responses", list(Responses))
def test_reasons_that_may_quote_are_on_the_page_but_for_none(responses: Responses) -> None:
    quoting = dataclasses.replace(
        reports.check(outcome="fail", reason="QUOTED", quotes=True), notices=("NOTICED",)
    )
    source = html.draw(reports.report(quoting), Presentation(responses=responses))

    assert ("QUOTED" in source) is (responses is not Responses.NONE)
    assert ("NOTICED" in source) is (responses is not Responses.NONE)


def test_the_language_the_title_and_the_headings_are_there_for_who_cant_see() -> None:
    page = _assert_alone(html.draw(FAILED, LINKED))

    by_tag = dict(page.elements)
    assert by_tag["html"] == {"lang": "en"}
    pictures = [one for tag, one in page.elements if tag == "svg" and one.get("role") == "img"]
    assert all(one.get("aria-label") for one in pictures)
    assert len(pictures) == 1
    inputs = [one for tag, one in page.elements if tag in {"input", "select"}]
    assert [one["name"] for one in inputs] == ["q", "name", "suite"]


# --- the picture


def test_the_picture_has_both_sides_of_what_can_be_compared_and_one_of_the_rest() -> None:
    rows = {one.name: one for one in picture.rows(FAILED, select(FAILED).lines)}

    relevance = rows["Relevance"]
    assert relevance.rate is not None
    assert (relevance.rate.base, round(relevance.rate.head, 3)) == (1.0, 0.889)
    assert relevance.score is not None
    assert (relevance.score.scale.low, relevance.score.scale.high) == (1, 5)
    other = states.STATES["compared-other-judge"]
    [alone] = picture.rows(other, select(other).lines)
    assert alone.rate is not None
    assert alone.rate.base is None
    plain = states.STATES["failed"]
    assert all(one.verdict == "" for one in picture.rows(plain, select(plain).lines))


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        ([0, 1], (0, 1)),
        ([1, 5], (1, 5)),
        ([0, 4], (0, 5)),
        ([0, 7], (0, 10)),
        ([12, 80], (0, 100)),
        ([-3, 400], (-3, 400)),
    ],
)
def test_a_score_is_drawn_on_the_narrowest_usual_scale(
    scores: list[float], scale: tuple[float, float]
) -> None:
    checks = [
        reports.check(case=str(number), score=score, threshold=None)
        for number, score in enumerate(scores)
    ]
    report = reports.report(*checks)
    [row] = picture.rows(report, select(report).lines)
    assert row.score is not None
    assert (row.score.scale.low, row.score.scale.high) == scale


@given(st.floats(-10, 10), st.floats(-5, 5), st.floats(0.1, 5))
def test_nothing_is_drawn_off_the_axis(value: float, low: float, width: float) -> None:
    assert 0 <= Scale(low=low, high=low + width).place(value) <= 1


def test_a_bar_is_as_wide_as_all_its_parts() -> None:
    drawn = svg.bar([(1, "pass"), (2, "fail"), (1, "skip")])
    assert [float(width) for width in re.findall(r' width="([\d.]+)"', drawn)] == [250, 500, 250]
    assert svg.bar([(0, "pass")]).count('width="0"') == 1
