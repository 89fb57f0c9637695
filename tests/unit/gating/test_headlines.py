"""What a reader has to know before believing a headline."""

from dataclasses import replace

import pytest

from mergebar import gating
from mergebar.gating import Facts
from mergebar.model.comparisons import Baseline, ChangeKind, CheckChange
from mergebar.model.configuration import GatePolicy
from mergebar.model.documents import Severity
from mergebar.model.plans import NO_JUDGE, Skip
from mergebar.model.problems import Level, Problem
from mergebar.model.results import CheckResult
from support import comparisons
from support.builders import check, failed, passed, skipped
from support.builders import suite as a_suite


def test_a_note_stands_in_the_headline() -> None:
    note = "policy of this change: the base has no `mergebar.yml`"
    facts = gating.Facts(checks=(), suites=(), policy=GatePolicy(), note=note)

    assert gating.decide(facts).headline == f"nothing affected ({note})"


def test_what_was_asked_for_and_what_is_configured_are_told_apart() -> None:
    asked = Problem(level=Level.ERROR, rule="config/unknown-agent", message="no agent `x`")
    configured = Problem(level=Level.ERROR, rule="config/type", message="no", path="mergebar.yml")

    assert _headline(asked) == "this can't run as it was asked for: 1 problem"
    assert _headline(configured) == "the configuration is invalid: 1 problem"


def _headline(problem: Problem) -> str:
    facts = gating.Facts(checks=(), suites=(), policy=GatePolicy(), config_problems=(problem,))
    return gating.decide(facts).headline


def compared(
    kinds: list[ChangeKind | None], *, baseline: Baseline | None = comparisons.BASELINE
) -> Facts:
    """Failing checks, each with what became of it."""
    results = tuple(failed(replace(check(), id=f"c{index}")) for index in range(len(kinds)))
    changes = (
        CheckChange(
            check=f"c{index}",
            change=kind,
            comparable=kind is not ChangeKind.NOT_COMPARABLE,
            reason="",
        )
        for index, kind in enumerate(kinds)
        if kind is not None
    )
    return Facts(
        checks=results,
        suites=(a_suite(),),
        policy=GatePolicy(),
        comparison=comparisons.comparison(*changes, baseline=baseline),
    )


def test_what_blocks_is_told_apart_by_what_became_of_it() -> None:
    kinds = [
        ChangeKind.NEW,
        ChangeKind.REGRESSED,
        ChangeKind.STILL_FAILING,
        ChangeKind.NEW,
        ChangeKind.NOT_COMPARABLE,
    ]
    said = "5 checks block (1 regressed, 2 new, 1 still failing, 1 not comparable)"
    assert gating.decide(compared(list(kinds))).headline == said
    assert (
        gating.decide(compared([ChangeKind.REGRESSED])).headline == "1 check blocks (1 regressed)"
    )


def test_without_a_baseline_nothing_is_said_of_what_became_of_a_check() -> None:
    assert gating.decide(compared([None], baseline=None)).headline == "1 check blocks"


def carrying(*results: CheckResult, baseline: Baseline) -> str:
    facts = Facts(
        checks=results,
        suites=(a_suite(),),
        policy=GatePolicy(),
        comparison=comparisons.comparison(baseline=baseline),
    )
    return gating.decide(facts).headline


@pytest.mark.parametrize(
    ("age", "said"),
    [
        (2 * 86_400 + 5.0, "`bbbbbbb` (2 days)"),
        (86_400, "`bbbbbbb` (1 day)"),
        (86_399, "`bbbbbbb` (23 hours)"),
        (61, "`bbbbbbb` (1 minute)"),
        (3, "`bbbbbbb` (just now)"),
        (None, "`bbbbbbb`"),
    ],
)
def test_what_is_carried_is_said_with_the_commit_and_its_age(age: float | None, said: str) -> None:
    baseline = Baseline(commit="b" * 40, age_s=age, source="artifact")
    results = (passed(), *[replace(passed(), carried=True)] * 240)
    headline = carrying(*results, baseline=baseline)
    assert headline == f"1 check measured, 240 carried from {said}"


def test_a_baseline_without_a_commit_is_just_the_baseline() -> None:
    baseline = Baseline(commit=None, age_s=60, source="file")
    assert carrying(replace(passed(), carried=True), baseline=baseline) == (
        "nothing affected, 1 carried from the baseline"
    )


def test_stale_evidence_is_counted_in_every_headline() -> None:
    stale = replace(passed(), stale=True)
    facts = Facts(checks=(stale, passed()), suites=(a_suite(),), policy=GatePolicy())
    assert gating.decide(facts).headline == "2 checks measured · 1 graded on stale sessions"
    worse = replace(facts, checks=(stale, failed(), replace(stale, carried=True)))
    assert gating.decide(worse).headline == "1 check blocks · 1 graded on stale sessions"


def left_out(case: str, kind: Skip = Skip.WITHHELD) -> CheckResult:
    return skipped(replace(check(), case=case, stale=True), kind)


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([left_out("a")], " · 1 stale session withheld"),
        ([left_out("a"), left_out("a"), left_out("b")], " · 2 stale sessions withheld"),
        ([replace(left_out("a"), carried=True)], ""),
        ([left_out("a", Skip.DECLINED)], ""),
    ],
)
def test_sessions_that_were_withheld_are_counted_beside_what_others_measured(
    others: list[CheckResult], said: str
) -> None:
    found = headline(passed(), *others)

    assert found.endswith(said)
    assert ("withheld" in found) == bool(said)


def headline(*results: CheckResult) -> str:
    facts = Facts(checks=results, suites=(a_suite(),), policy=GatePolicy())
    return gating.decide(facts).headline


UNJUDGED = replace(skipped(), reason=NO_JUDGE)
MILD = check(severity=Severity.WARNING)


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([skipped(), skipped()], "nothing measured: skipped by its authors"),
        ([UNJUDGED, UNJUDGED], "nothing measured: declined by `--no-judge`"),
        (
            [skipped(), UNJUDGED],
            "nothing measured: skipped by its authors, and 1 declined by `--no-judge`",
        ),
    ],
)
def test_who_declined_is_told(results: list[CheckResult], said: str) -> None:
    assert headline(*results) == said


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([passed(MILD)], "1 check measured · no check gates"),
        ([failed(MILD)], "1 check measured · no check gates"),
        ([passed(MILD), passed()], "2 checks measured"),
        ([passed(MILD), skipped()], "1 check measured · nothing that was measured gates"),
        ([skipped(MILD)], "nothing measured: skipped by its authors"),
        ([failed(MILD), failed()], "1 check blocks"),
    ],
)
def test_a_pass_that_nothing_could_prevent_says_so(results: list[CheckResult], said: str) -> None:
    assert headline(*results) == said


def test_what_is_replayed_is_counted_in_every_headline() -> None:
    old = replace(passed(), replayed=True)
    assert headline(old, passed()) == "2 checks measured · 1 replayed"
    assert headline(old, failed()) == "1 check blocks · 1 replayed"
    assert headline(replace(old, carried=True), passed()).endswith("carried from the baseline")
