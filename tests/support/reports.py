"""Reports for tests: each builder fills in what the test at hand doesn't care for."""

import dataclasses
from collections import Counter
from collections.abc import Sequence

from mergebar.model.decisions import Decision, DecisionOutcome, Reason
from mergebar.model.reports import (
    Report,
    ReportCalls,
    ReportCheck,
    ReportCommand,
    ReportError,
    ReportJudge,
    ReportLocation,
    ReportProblem,
    ReportRun,
    ReportRunInfo,
    ReportSuite,
    ReportUsage,
    ReportWarning,
    Totals,
)

HEAD = "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334"
SUITE = "evals/support.json"


def check(
    name: str = "Relevance",
    outcome: str = "pass",
    *,
    suite: str = SUITE,
    case: str = "reset",
    label: str = "How do I reset it?",
    turn: int = 0,
    score: float | None = None,
    threshold: float | None = 3,
    reason: str | None = None,
    severity: str = "error",
    gating: bool | None = None,
    must_pass: bool = False,
    skip: str | None = None,
    line: int = 41,
    error: ReportError | None = None,
    quotes: bool = False,
    **marks: bool,
) -> ReportCheck:
    """A check; what isn't given follows from its outcome."""
    scores = {"pass": 4.0, "fail": 2.0}
    reasons = {"pass": "answers the question", "fail": "names another product"}
    given = scores.get(outcome) if score is None else score
    why = reasons.get(outcome, "") if reason is None else reason
    return ReportCheck(
        id=f"{suite}::{case}::{turn}::{name}",
        suite=suite,
        case=case,
        label=label,
        turn=turn,
        name=name,
        kind="evaluator",
        agent="support",
        outcome=outcome,
        score=given,
        threshold=threshold,
        reason=why,
        severity=severity,
        weight=1.0,
        type=None,
        must_pass=must_pass,
        gating=severity == "error" if gating is None else gating,
        skip=skip,
        location=ReportLocation(path=suite, line=line, column=7),
        definition="0" * 64,
        carried=False,
        cached=marks.get("cached", False),
        flaky=marks.get("flaky", False),
        stale=False,
        replayed=marks.get("replayed", False),
        runs=(ReportRun(outcome=outcome, score=given, reason=why, votes=()),),
        usage=ReportUsage(input_tokens=900, output_tokens=40),
        duration_s=1.25,
        error=error,
        quotes=quotes,
    )


def errored(
    error_class: str = "throttled", message: str = "429 Too Many Requests", **given: object
) -> ReportCheck:
    error = ReportError(error_class=error_class, message=message)
    return check(outcome="error", reason=message, error=error, **given)  # type: ignore[arg-type]


def suite(
    path: str = SUITE,
    *,
    affected: bool = True,
    reason: str = "it changed",
    problems: Sequence[ReportProblem] = (),
) -> ReportSuite:
    return ReportSuite(
        path=path, kind="document", affected=affected, reason=reason, problems=tuple(problems)
    )


def problem(
    message: str = 'item 3 ("How do I…"): `RetrievalResult` needs `capability`',
    *,
    level: str = "error",
    rule: str = "schema/required",
    path: str | None = SUITE,
    line: int | None = 41,
) -> ReportProblem:
    return ReportProblem(level=level, rule=rule, message=message, path=path, line=line, column=7)


def decision(
    outcome: str = "passed", headline: str = "18 checks measured", *reasons: Reason
) -> Decision:
    codes = {
        "passed": 0,
        "failed": 1,
        "invalid": 2,
        "could-not-evaluate": 3,
        "needs-review": 4,
    }
    return Decision(
        outcome=DecisionOutcome(outcome),
        exit_code=codes[outcome],
        headline=headline,
        reasons=reasons,
    )


def run(**given: object) -> ReportRunInfo:
    plain = ReportRunInfo(
        id="1001",
        attempt=1,
        started_at="2026-03-01T10:00:00Z",
        finished_at="2026-03-01T10:01:12Z",
        event="pull_request",
        commit=HEAD,
        head_commit=HEAD,
        base_commit="0" * 40,
        trusted=True,
        complete=True,
        policy="head",
        config_digest="1" * 64,
        judge=ReportJudge(provider="openai", model="gpt-5-mini", parameters={}),
        mode="enforce",
        scope="affected",
        command=ReportCommand(options=("--base", "0" * 40)),
    )
    return dataclasses.replace(plain, **given)  # type: ignore[arg-type]


def report(
    *checks: ReportCheck,
    of: Decision | None = None,
    suites: Sequence[ReportSuite] | None = None,
    info: ReportRunInfo | None = None,
    warnings: Sequence[ReportWarning] = (),
    problems: Sequence[ReportProblem] = (),
) -> Report:
    """A report of the given checks; its totals are theirs."""
    counts = Counter(one.outcome for one in checks)
    graded = [one for one in checks if one.gating and one.outcome in {"pass", "fail"}]
    passed = sum(one.outcome == "pass" for one in graded)
    paths = dict.fromkeys(one.suite for one in checks)
    return Report(
        mergebar_version="1.2.3",
        run=info or run(),
        decision=of or decision(),
        totals=Totals(
            checks=len(checks),
            passed=counts["pass"],
            failed=counts["fail"],
            errors=counts["error"],
            needs_review=counts["needs-review"],
            skipped=counts["skipped"],
            carried=0,
            pass_rate=passed / len(graded) if graded else None,
            base_pass_rate=None,
        ),
        suites=tuple(suite(path) for path in paths) if suites is None else tuple(suites),
        checks=checks,
        comparison=None,
        usage=ReportCalls(
            agent_calls=12,
            judge_calls=24,
            cache_hits=3,
            input_tokens=48_200,
            output_tokens=3_100,
            cost_usd=None,
        ),
        warnings=tuple(warnings),
        problems=tuple(problems),
    )
