"""The worked examples of docs/concepts/decision.md, fed to the program."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mergebar import comparing, gating
from mergebar.errors import ExitCode
from mergebar.gating import Facts
from mergebar.gating.exits import EXIT_CODES
from mergebar.model.comparisons import Baseline, ChangeKind, CheckChange
from mergebar.model.configuration import GatePolicy
from mergebar.model.conversations import ErrorClass
from mergebar.model.documents import Severity
from mergebar.model.plans import PlannedCheck, Skip
from mergebar.model.results import CheckResult
from support import comparisons, reports
from support.builders import check, errored, failed, failure, needs_review, passed, skipped
from support.builders import suite as a_suite

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "decision.md"
GROUP = re.compile(r"(?P<count>\d+) × (?P<outcome>[a-z-]+)(?: \((?P<marks>[^)]*)\))?")


@dataclass(frozen=True, kw_only=True)
class Example:
    checks: str
    settings: str
    decision: str
    headline: str
    loosened: str = ""
    baseline: bool = False


def tables() -> list[list[list[str]]]:
    """The tables of the page: the cells of their rows, without the heads."""
    found: list[list[list[str]]] = []
    previous = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("|---"):
            found.append([])
        elif line.startswith("|") and previous.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        previous = line
    return found


def examples() -> list[Example]:
    _, alone, compared = tables()
    return [
        *(
            Example(checks=row[0], settings=row[1], decision=row[2], headline=row[3])
            for row in alone
        ),
        *(
            Example(
                checks=row[0],
                loosened=row[1],
                settings=row[2],
                decision=row[3],
                headline=row[4],
                baseline=True,
            )
            for row in compared
        ),
    ]


BECAME = {
    "regressed": ChangeKind.REGRESSED,
    "new": ChangeKind.NEW,
    "known": ChangeKind.STILL_FAILING,
    "not comparable": ChangeKind.NOT_COMPARABLE,
}
"""What a mark says of both sides."""


def results(text: str) -> Iterator[CheckResult]:
    if text == "nothing affected":
        return
    assert ", ".join(group[0] for group in GROUP.finditer(text)) == text, text
    for number, group in enumerate(GROUP.finditer(text)):
        marks = [mark for mark in (group["marks"] or "").split(", ") if mark]
        for index in range(int(group["count"])):
            yield result(group["outcome"], marks, name=f"{number}-{index}")


def result(outcome: str, marks: list[str], *, name: str) -> CheckResult:
    known = set(ErrorClass)
    planned = marked(check(case=name), [mark for mark in marks if mark not in known])
    if outcome == "error":
        (cause,) = (mark for mark in marks if mark in known)
        return errored(planned, error=failure("it broke", ErrorClass(cause)))
    build: Mapping[str, Callable[[PlannedCheck], CheckResult]] = {
        "pass": passed,
        "fail": failed,
        "needs-review": needs_review,
        "declined": lambda of: skipped(of, Skip.DECLINED),
        "withheld": lambda of: skipped(of, Skip.WITHHELD),
    }
    return replace(build[outcome](planned), carried="carried" in marks, stale="stale" in marks)


def marked(planned: PlannedCheck, marks: list[str]) -> PlannedCheck:
    for mark in marks:
        if mark == "must pass":
            planned = replace(planned, must_pass=True)
        elif mark in {*BECAME, "carried", "stale"}:
            planned = replace(planned, id=f"{planned.id} {mark}")
        elif mark == "suite b":
            planned = replace(planned, suite="evals/b.json", id=f"b-{planned.id}")
        elif mark.startswith("weight "):
            planned = replace(planned, weight=float(mark.removeprefix("weight ")))
        else:
            planned = replace(planned, severity=Severity(mark))
    return planned


def policy(settings: str) -> tuple[GatePolicy, float | None]:
    """The gate and the floor that a cell of the table describes."""
    key, _, value = settings.partition(": ")
    policies: Mapping[str, Callable[[], GatePolicy]] = {
        "": GatePolicy,
        "severity": lambda: GatePolicy(severity=Severity(value)),
        "unmeasured": lambda: GatePolicy(unmeasured=float(value)),
        "new_failures": lambda: GatePolicy(new_failures_block={"warn": False}[value]),
        "known_failures": lambda: GatePolicy(known_failures_block={"allow": False}[value]),
        "loosened": lambda: GatePolicy(loosened_review={"review": True}[value]),
        "reviews": lambda: GatePolicy(reviews_block={"ignore": False}[value]),
        "min_pass_rate": GatePolicy,
    }
    return policies[key](), float(value) if key == "min_pass_rate" else None


def facts(example: Example) -> Facts:
    gate, floor = policy(example.settings)
    checks = tuple(
        replace(one, check=replace(one.check, gating=gates(one.check, gate)))
        for one in results(example.checks)
    )
    plain = Facts(
        checks=checks,
        suites=tuple(a_suite(path) for path in sorted({one.check.suite for one in checks})),
        policy=gate,
        groups=(floor,),
        loosened=example.loosened or None,
    )
    return with_baseline(plain) if example.baseline else plain


def with_baseline(alone: Facts) -> Facts:
    """The same beside a baseline, as the comparison hands it to the gate."""
    changes = tuple(change for one in alone.checks if (change := became(one)) is not None)
    compared = comparisons.comparison(
        *changes,
        baseline=Baseline(commit=reports.HEAD, age_s=2 * 86_400.0, source="artifact"),
    )
    return replace(
        alone, comparison=compared, known=comparing.known(compared), new=comparing.new(compared)
    )


def became(result: CheckResult) -> CheckChange | None:
    kind = next((kind for mark, kind in BECAME.items() if result.check.id.endswith(mark)), None)
    if kind is None:
        return None
    known = kind is ChangeKind.STILL_FAILING
    return CheckChange(check=result.check.id, change=kind, comparable=known, reason="", known=known)


def gates(planned: PlannedCheck, gate: GatePolicy) -> bool:
    return planned.must_pass or planned.severity.rank >= gate.severity.rank


@pytest.mark.parametrize("example", examples(), ids=lambda one: f"{one.checks} {one.settings}")
def test_the_program_decides_as_the_page_says(example: Example) -> None:
    decision = gating.decide(facts(example))
    assert (decision.outcome.value, decision.headline) == (example.decision, example.headline)


def test_the_page_names_every_decision_with_its_exit_code() -> None:
    said = {row[0]: int(row[1]) for row in tables()[0]}
    assert said == {outcome.value: code.value for outcome, code in EXIT_CODES.items()}
    assert set(said.values()) < {code.value for code in ExitCode}


def test_the_examples_show_every_decision_that_measurements_can_lead_to() -> None:
    assert {one.decision for one in examples()} == {
        outcome.value for outcome in EXIT_CODES if outcome.value != "invalid"
    }
