"""The worked examples of docs/concepts/comparison.md, fed to the program."""

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mergebar import comparing
from mergebar.comparing import Circumstances
from mergebar.model.comparisons import ChangeKind, Comparison, Standing
from mergebar.model.reports import Report, ReportCheck, ReportError, ReportJudge
from support import comparisons
from support.comparisons import BASELINE, JUDGE, check, measured

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "comparison.md"
SIDE = re.compile(r"(?P<outcome>[a-z-]+)(?: \((?P<mark>[^)]*)\))?")
CASES = re.compile(r"(?P<count>\d+) × (?P<base>\w+) → (?P<head>\w+)")
OTHER = check("other")


def tables() -> list[list[list[str]]]:
    """The tables of the page: the cells of their rows, without the heads."""
    found: list[list[list[str]]] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("|---"):
            found.append([])
        elif line.startswith("| ") and found and not line.startswith(HEADS):
            found[-1].append([cell.strip() for cell in line[1:-1].split("|")])
    return found


HEADS = ("| in the baseline", "| on the base", "| cases", "| key")
CHANGES, _POLICIES, LOOSENED, VERDICTS, DROPS = tables()


def side(text: str) -> tuple[ReportCheck | None, ReportJudge, bool]:
    """A check as a cell describes it, who judged, and whether it had regressed there."""
    if not text:
        return None, JUDGE, False
    match = SIDE.fullmatch(text)
    assert match, text
    key, _, value = (match["mark"] or "").partition(" ")
    judge = dataclasses.replace(JUDGE, model=value) if key == "judge" else JUDGE
    one = marked(plain(match["outcome"]), key, value)
    return one, judge, key == "regressed"


def plain(outcome: str) -> ReportCheck:
    if outcome in {"declined", "withheld"}:
        return check("a", "skipped", skip=outcome, reason="skipped by its author")
    one = check("a", outcome)
    error = ReportError(error_class="throttled", message="429")
    return dataclasses.replace(one, error=error if outcome == "error" else None)


def marked(one: ReportCheck, key: str, value: str) -> ReportCheck:
    """The check with what the brackets say of it."""
    number = float(value) if re.fullmatch(r"[\d.]+", value) else 1.0
    given: dict[str, dict[str, object]] = {
        "": {},
        "regressed": {},
        "flaky": {"flaky": True},
        "carried": {"carried": True},
        "threshold": {"threshold": number, "definition": value},
        "runs": {"measured": measured(runs=int(number))},
        "judge": {"measured": measured(judged=True)},
        "prompt": {"measured": measured(prompt="q"), "definition": value},
        "severity": {"severity": value},
        "weight": {"weight": number},
        "must": {"must_pass": True},
    }
    return dataclasses.replace(one, **given[key])  # type: ignore[arg-type]


def compared(base: str, head: str) -> Comparison:
    there, judge, regressed = side(base)
    here, other, _ = side(head)
    before = comparisons.report(*([there] if there else []), OTHER, judge=judge)
    after = comparisons.report(*([here] if here else []), OTHER, judge=other)
    if regressed:
        before = dataclasses.replace(before, comparison=regression(before))
    return comparing.compare(before, after, baseline=BASELINE)


def regression(after: Report) -> Comparison:
    return comparing.compare(comparisons.report(check("a"), OTHER), after, baseline=BASELINE)


@pytest.mark.parametrize("row", CHANGES, ids=" | ".join)
def test_a_check_becomes_what_the_page_says(row: list[str]) -> None:
    base, head, change, known, reason = row
    (found,) = (one for one in compared(base, head).changes if one.check != OTHER.id)
    assert (found.change.value, found.known, found.reason) == (change, known == "yes", reason)


@pytest.mark.parametrize("row", LOOSENED, ids=" | ".join)
def test_what_is_loosened_is_what_the_page_says(row: list[str]) -> None:
    base, head, *expected = row
    found = [
        [one.what, one.was, one.now, "yes" if one.failing else "no"]
        for one in compared(base, head).loosened
    ]
    assert found == ([expected] if expected[0] else [])


def cases(text: str) -> Iterator[tuple[ReportCheck, ReportCheck]]:
    assert ", ".join(match[0] for match in CASES.finditer(text)) == text, text
    for number, match in enumerate(CASES.finditer(text)):
        for index in range(int(match["count"])):
            base = check(f"{number}-{index}", match["base"])
            if match["head"] == "carried":
                yield base, dataclasses.replace(base, carried=True)
            else:
                yield base, check(f"{number}-{index}", match["head"])


def over(text: str, *, max_drop: float | None = None) -> Comparison:
    base, head = zip(*cases(text), strict=True)
    return comparing.compare(
        comparisons.report(*base),
        comparisons.report(*head),
        baseline=BASELINE,
        circumstances=Circumstances(max_drop=max_drop),
    )


@pytest.mark.parametrize("row", VERDICTS, ids=" | ".join)
def test_cases_get_the_verdict_that_the_page_says(row: list[str]) -> None:
    text, n, base, here, verdict, smallest = row
    total = over(text).total
    assert (total.n, total.base, total.head) == (int(n), float(base), float(here))
    assert total.verdict.value == verdict
    assert total.detectable == (float(smallest) if smallest else None)


@pytest.mark.parametrize("row", DROPS, ids=" | ".join)
def test_max_drop_does_what_the_page_says(row: list[str]) -> None:
    text, max_drop, result = row
    found = over(text, max_drop=float(max_drop))
    assert (found.drop is not None) == (result == "fires")
    notes = " ".join(found.notes)
    assert ("may be chance" in notes) == (result == "may be chance")
    assert ("can't fire" in notes) == (result == "can't fire")


def test_the_page_shows_every_change_and_every_verdict() -> None:
    assert {row[2] for row in CHANGES} == {kind.value for kind in ChangeKind}
    assert {row[4] for row in VERDICTS} == {verdict.value for verdict in Standing}
