"""The HTML report, opened in a real browser: it sorts, filters, opens rows and asks for nothing."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mergebar.report import html
from mergebar.report.presenting import Presentation
from support import browsing, comparisons, reports, states
from support.browsing import Dom

LINKED = Presentation(repository_url="https://github.test/o/r")
OUTCOME, NAME, CASE, MOVED, CHANGE, WHY, WHERE = range(1, 8)


@pytest.fixture(scope="module")
def chromium() -> Path:
    found = browsing.browser()
    if found is None:
        pytest.skip("Chromium is not installed")
    return found


@pytest.fixture(scope="module")
def show(chromium: Path) -> Callable[..., Dom]:
    page = html.draw(states.STATES["compared-failed"], LINKED)
    return lambda **given: browsing.show(chromium, page, **given)


def test_it_shows_every_check_and_asks_for_nothing(show: Callable[..., Dom]) -> None:
    shown = show()

    assert shown.root.get("data-requests") == "0"
    assert "data-violation" not in shown.root
    assert "data-error" not in shown.root
    assert len(shown.lines) == 20
    assert shown.found == "20 checks"
    assert shown.pressed == "All 20"
    [regressed] = [row for row in shown.lines if row[CHANGE] == "regressed"]
    assert regressed[NAME] == "Relevance"
    assert regressed[CASE] == "How do I reset it? must pass"
    assert regressed[MOVED] == "4 → 2 < 3"
    assert regressed[WHY] == "names another product"
    assert regressed[WHERE] == "evals/support.json:41"
    [gone] = [row for row in shown.lines if row[OUTCOME] == "removed"]
    assert (gone[CASE], gone[MOVED]) == ("Is it still sold?", "fail, 2")


@pytest.mark.parametrize(
    ("fragment", "cases"),
    [
        ("#show=blocking", ["How do I reset it?", "Can I have a refund?"]),
        ("#show=known", ["Where is my bill?", "FAQ 9"]),
        ("#show=unmeasured", ["Are you there?"]),
        ("#show=carried&sort=case&down=1", ["FAQ 9", "FAQ 2", "FAQ 1", "FAQ 0"]),
        ("#q=RELEVANCE+product", ["How do I reset it?"]),
        ("#suite=evals%2Ffaq.json&show=failing", ["FAQ 9"]),
        ("#name=Relevance&show=failing", ["How do I reset it?"]),
        ("#q=nothing+like+this", []),
    ],
)
def test_its_address_says_what_it_shows(
    show: Callable[..., Dom], fragment: str, cases: list[str]
) -> None:
    shown = show(fragment=fragment)

    labels = [row[CASE].removesuffix(" must pass") for row in shown.lines]
    assert [label.removesuffix(" carried").removesuffix(" flaky") for label in labels] == cases


def test_a_person_can_sort_filter_and_open(show: Callable[..., Dom]) -> None:
    shown = show(
        hook="""
        const press = (text) => [...document.querySelectorAll(".tools button, .checks th button")]
          .find((one) => one.textContent.startsWith(text)).click();
        press("Failing");
        press("Case");
        press("Case");
        document.querySelector(".checks .open").click();
        document.documentElement.dataset.sort =
          document.querySelector('.checks th[aria-sort="descending"]').textContent;
        document.documentElement.dataset.address = location.hash;
        """
    )

    assert shown.pressed == "Failing 4"
    assert shown.root["data-sort"] == "Case"
    assert shown.root["data-address"] == "#show=failing&sort=case&down=1"
    first, detail, *rest = shown.lines
    assert first[CASE] == "Where is my bill?"
    assert "doesn't blockknown failures" in detail[0]
    assert [row[CASE] for row in rest] == [
        "How do I reset it? must pass",
        "FAQ 9 carried",
        "Can I have a refund?",
    ]


def test_a_person_can_search_and_sort_the_other_tables(show: Callable[..., Dom]) -> None:
    shown = show(
        hook="""
        const field = document.querySelector("[name=q]");
        field.value = "refund";
        field.dispatchEvent(new Event("input"));
        const table = [...document.querySelectorAll("table.sortable")]
          .find((one) => one.textContent.includes("Comparable"));
        const base = [...table.querySelectorAll("th button")][1];
        base.click();
        const names = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent).join();
        document.documentElement.dataset.up = names();
        base.click();
        document.documentElement.dataset.down = names();
        """
    )

    assert [row[CASE] for row in shown.lines] == ["Can I have a refund?", "Is it still sold?"]
    assert shown.root["data-up"] == "ExactMatch,Relevance"
    assert shown.root["data-down"] == "Relevance,ExactMatch"


@pytest.mark.parametrize(
    "name", ["passed", "nothing-affected", "invalid", "could-not-evaluate", "compared-other-judge"]
)
def test_every_state_opens(chromium: Path, name: str) -> None:
    report = states.STATES[name]

    shown = browsing.show(chromium, html.draw(report, LINKED))

    assert "data-violation" not in shown.root
    assert "data-error" not in shown.root
    assert len(shown.lines) == len(report.checks)


def test_texts_of_strangers_stay_texts(chromium: Path) -> None:
    text = '</script><img src=x onerror="document.documentElement.dataset.error=1">'
    check = reports.check(text, "fail", suite=text, case=text, label=text, reason=text)
    report = reports.report(check, of=reports.decision("failed", text))

    shown = browsing.show(chromium, html.draw(report, LINKED), fragment="#q=img")

    assert "data-error" not in shown.root
    assert "data-violation" not in shown.root
    [row] = shown.lines
    assert row[NAME] == row[WHY] == text


def test_twenty_thousand_checks_open(chromium: Path) -> None:
    checks = [
        comparisons.check(
            f"c{number}",
            "fail" if number % 5 == 0 else "pass",
            suite=f"evals/{number % 200}.json",
            label=f"Question {number}",
            reason="The answer names another product than the one that was asked about.",
        )
        for number in range(20_000)
    ]
    report = reports.report(*checks, of=reports.decision("failed", "many"))
    started = time.monotonic()
    page = html.draw(report, LINKED)

    shown = browsing.show(chromium, page, fragment="#show=failing&sort=case")

    assert time.monotonic() - started < 60
    assert shown.found == "200 of 4,000 shown"
    assert len(shown.lines) == 200
    assert shown.lines[0][CASE] == "Question 0"
