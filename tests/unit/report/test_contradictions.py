"""What of a report can't be true together with the decision that it states."""

import dataclasses

import pytest

from mergebar.model.comparisons import ChangeKind, CheckChange
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.reports import Report, ReportCheck
from mergebar.report import contradictions
from support import comparisons, reports

FAILING = dataclasses.replace(
    comparisons.check("a", "fail"), gating=True, rated=False, must_pass=False
)


def green(
    check: ReportCheck,
    change: ChangeKind = ChangeKind.REGRESSED,
    *,
    known: bool = False,
    said: str = "passed",
) -> Report:
    """A report that says it is green, of one failing check."""
    changed = CheckChange(check=check.id, change=change, comparable=True, reason="", known=known)
    drawn = reports.report(check, of=reports.decision(said, "1 check measured"))
    compared = dataclasses.replace(comparisons.full(), changes=(changed,))
    return dataclasses.replace(drawn, comparison=compared)


def doubts(report: Report) -> list[str]:
    return [one for one in contradictions.find(report) if one.startswith("the decision")]


@pytest.mark.parametrize("said", ["passed", "needs-review"])
@pytest.mark.parametrize("change", [ChangeKind.REGRESSED, ChangeKind.NOT_COMPARABLE])
def test_a_green_decision_over_a_failure_that_no_policy_excuses_is_doubted(
    said: str, change: ChangeKind
) -> None:
    found = doubts(green(FAILING, change, said=said))
    assert found == [
        f"the decision is `{said}`, and `{FAILING.id}` fails, gates and wasn't known to"
    ]


EXCUSED = {
    "known": green(FAILING, ChangeKind.STILL_FAILING, known=True),
    "new": green(FAILING, ChangeKind.NEW),
    "rated": green(dataclasses.replace(FAILING, rated=True)),
    "not said": green(dataclasses.replace(FAILING, rated=None)),
    "doesn't gate": green(dataclasses.replace(FAILING, gating=False)),
    "carried": green(dataclasses.replace(FAILING, carried=True)),
    "no baseline": dataclasses.replace(green(FAILING), comparison=None),
}


@pytest.mark.parametrize("name", EXCUSED)
def test_one_that_some_policy_excuses_is_not(name: str) -> None:
    report = EXCUSED[name]
    assert report.decision.outcome is DecisionOutcome.PASSED
    assert doubts(report) == []
