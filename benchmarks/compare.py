"""Comparing two reports of 100,000 checks, beside what it takes to look at every pair once."""

import dataclasses
import time
from collections.abc import Callable

import measuring

from mergebar import comparing
from mergebar.model.comparisons import Baseline
from mergebar.model.decisions import Decision, DecisionOutcome
from mergebar.model.definitions import Measured
from mergebar.model.documents import Severity
from mergebar.model.reports import (
    Report,
    ReportCalls,
    ReportCheck,
    ReportJudge,
    ReportLocation,
    ReportRun,
    ReportRunInfo,
    ReportSuite,
    ReportUsage,
    Totals,
)

CHECKS = 100_000
CASES_PER_SUITE = 50
EVALUATORS = ("Relevance", "Coherence", "Groundedness", "ExactMatch")
RUNS = 3
JUDGE = ReportJudge(provider="openai", model="gpt-5-mini", parameters={"temperature": 0})


def check(number: int, *, side: int) -> ReportCheck:
    """One of many: about one in ten fails, and about one in twenty changes."""
    case, name = divmod(number, len(EVALUATORS))
    suite = f"evals/{case // CASES_PER_SUITE:05}.json"
    fails = (number * 7919 + side * (number % 20 == 0)) % 10 == 0
    outcome, score = ("fail", 2.0) if fails else ("pass", 4.0)
    return ReportCheck(
        id=f"{suite}::case-{case}::0::{EVALUATORS[name]}",
        suite=suite,
        case=f"case-{case}",
        label=f"What about {case}?",
        turn=0,
        name=EVALUATORS[name],
        kind="evaluator",
        agent="support",
        outcome=outcome,
        score=score,
        threshold=3.0,
        reason="so it is",
        severity=Severity.ERROR.value,
        weight=1.0 + case % 3,
        type=None,
        must_pass=False,
        gating=True,
        skip=None,
        location=ReportLocation(path=suite, line=number % 500 + 1, column=7),
        definition=f"{number:064x}",
        carried=False,
        cached=False,
        flaky=number % 97 == 0,
        stale=False,
        replayed=False,
        runs=(ReportRun(outcome=outcome, score=score, reason="so it is", votes=(score,)),),
        usage=ReportUsage(),
        duration_s=1.0,
        error=None,
        measured=Measured(
            prompt=f"{case:012x}",
            expected_response=f"{case:012x}",
            context=None,
            options={},
            judged=EVALUATORS[name] != "ExactMatch",
            judge_prompt=None if EVALUATORS[name] == "ExactMatch" else "rubric/1",
            runs=1,
            votes=1,
            confirm_failures=0,
        ),
    )


def report(*, side: int, judge: ReportJudge = JUDGE) -> Report:
    checks = tuple(check(number, side=side) for number in range(CHECKS))
    return Report(
        mergebar_version="0",
        run=ReportRunInfo(
            id=None,
            attempt=None,
            started_at="2026-01-01T00:00:00Z",
            finished_at="2026-01-01T00:00:00Z",
            event=None,
            commit=None,
            head_commit=None,
            base_commit=None,
            trusted=True,
            complete=True,
            policy="head",
            config_digest="",
            judge=judge,
            mode="enforce",
            scope="all",
        ),
        decision=Decision(outcome=DecisionOutcome.PASSED, exit_code=0, headline="", reasons=()),
        totals=Totals(
            checks=CHECKS,
            passed=0,
            failed=0,
            errors=0,
            needs_review=0,
            skipped=0,
            carried=0,
            pass_rate=None,
            base_pass_rate=None,
        ),
        suites=tuple(
            ReportSuite(path=path, kind="document", affected=True, reason="", problems=())
            for path in dict.fromkeys(one.suite for one in checks)
        ),
        checks=checks,
        comparison=None,
        usage=ReportCalls(
            agent_calls=0,
            judge_calls=0,
            cache_hits=0,
            input_tokens=None,
            output_tokens=None,
            cost_usd=None,
        ),
    )


def compared(base: Report, head: Report) -> Callable[[], object]:
    baseline = Baseline(commit=None, age_s=None, source="file")
    return lambda: comparing.compare(base, head, baseline=baseline)


def floor(base: Report, head: Report) -> Callable[[], object]:
    """Index one side and look up the other, and nothing else."""

    def look() -> object:
        there = {(one.suite, one.case, one.turn, one.name): one for one in base.checks}
        return [(one, there.get((one.suite, one.case, one.turn, one.name))) for one in head.checks]

    return look


def seconds(work: Callable[[], object]) -> float:
    """The best of a few runs, in seconds of CPU."""
    found = []
    for _ in range(RUNS):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def rows() -> list[str]:
    """Markdown rows: what, seconds of CPU, ratio to the floor."""
    base, head = report(side=0), report(side=1)
    other = dataclasses.replace(
        head, run=dataclasses.replace(head.run, judge=dataclasses.replace(JUDGE, model="gpt-5"))
    )
    least = seconds(floor(base, head))
    found = {
        "looking up each check once": least,
        "`compare`, 1 in 20 checks changed": seconds(compared(base, head)),
        "`compare`, nothing comparable (another judge)": seconds(compared(base, other)),
        "`compare`, every check new and removed": seconds(
            compared(base, dataclasses.replace(head, checks=(), suites=()))
        ),
    }
    peak = f"{measuring.self_peak_mb():.0f} MB"
    return [
        f"| {name} | {took:.2f} s | {took / least:.0f}× | {peak} |" for name, took in found.items()
    ]


if __name__ == "__main__":
    print("\n".join(["| | CPU | to floor | peak |", "|---|---|---|---|", *rows()]))
