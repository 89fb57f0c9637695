"""`compare` on two reports of 100,000 checks, beside what it takes to parse the two files.

The issue's limit is 3 s of CPU for the whole command, on a quiet machine.
"""

import dataclasses
import math
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import measuring

from mergebar.model.decisions import Decision, DecisionOutcome
from mergebar.model.definitions import Measured
from mergebar.model.documents import Severity
from mergebar.model.reports import (
    NO_CHECKS,
    Report,
    ReportCheck,
    ReportJudge,
    ReportLocation,
    ReportRun,
    ReportSuite,
    ReportUsage,
)
from mergebar.report import empty_reports, json_report

CHECKS = 100_000
CASES_PER_SUITE = 50
EVALUATORS = ("Relevance", "Coherence", "Groundedness", "ExactMatch")
RUNS = 3
FLOOR = """
import gc, orjson, sys
gc.disable()
for path in sys.argv[1:]: orjson.loads(open(path, "rb").read())
"""
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


def report(*, side: int, judge: ReportJudge = JUDGE, count: int = CHECKS) -> Report:
    """One that doesn't contradict itself: its totals and its decision are those of its checks."""
    checks = tuple(check(number, side=side) for number in range(count))
    outcomes = Counter(one.outcome for one in checks)
    outcome = DecisionOutcome.FAILED if outcomes["fail"] else DecisionOutcome.PASSED
    begun = empty_reports.unfinished(now="2026-01-01T00:00:00Z", trusted=True)
    return dataclasses.replace(
        begun,
        run=dataclasses.replace(begun.run, complete=True, judge=judge),
        decision=Decision(
            outcome=outcome, exit_code=int(outcomes["fail"] > 0), headline="", reasons=()
        ),
        totals=dataclasses.replace(
            NO_CHECKS,
            checks=count,
            passed=outcomes["pass"],
            failed=outcomes["fail"],
            pass_rate=_rate(checks),
        ),
        suites=tuple(
            ReportSuite(path=path, kind="document", affected=True, reason="", problems=())
            for path in dict.fromkeys(one.suite for one in checks)
        ),
        checks=checks,
    )


def _rate(checks: tuple[ReportCheck, ...]) -> float | None:
    if not checks:
        return None
    passed = math.fsum(one.weight for one in checks if one.outcome == "pass")
    return passed / math.fsum(one.weight for one in checks)


def write(folder: Path) -> None:
    other = dataclasses.replace(JUDGE, model="gpt-5")
    reports = {
        "base": report(side=0),
        "head": report(side=1),
        "other": report(side=1, judge=other),
        "none": report(side=1, count=0),
    }
    for name, written in reports.items():
        (folder / name).write_bytes(json_report.dump(written))


def rows() -> list[str]:
    """Markdown rows: what, seconds of CPU of the whole process, ratio to the floor, peak memory."""
    with tempfile.TemporaryDirectory() as name:
        # In a process of its own: what this one has taken would count as taken by what it starts.
        subprocess.run([sys.executable, __file__, name], check=True)
        floor = _cost("-c", FLOOR, "base", "head", folder=name)
        command = ("-m", "mergebar", "compare")
        found = {
            "parsing both files with orjson": floor,
            "`compare`, 1 in 20 checks changed": _cost(*command, "base", "head", folder=name),
            "`compare --format json`, the same": _cost(
                *command, "base", "head", "--format", "json", folder=name
            ),
            "`compare`, nothing comparable (another judge)": _cost(
                *command, "base", "other", folder=name
            ),
            "`compare`, every check removed": _cost(*command, "base", "none", folder=name),
        }
    return [
        f"| {name} | {cost.cpu_s:.2f} s | {cost.cpu_s / floor.cpu_s:.1f}× | {cost.peak_mb:.0f} MB |"
        for name, cost in found.items()
    ]


def _cost(*words: str, folder: str) -> measuring.Cost:
    return measuring.median([sys.executable, "-I", *words], runs=RUNS, cwd=Path(folder))


if __name__ == "__main__" and sys.argv[1:]:
    write(Path(sys.argv[1]))
elif __name__ == "__main__":
    print("\n".join(["| | CPU | to floor | peak |", "|---|---|---|---|", *rows()]))
