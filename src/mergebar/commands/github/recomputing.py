"""A stranger's report and our own policy in; the report with the decision that its checks bear out.

The checks are the stranger's word and stay so. Nothing else of the report is believed: neither its
decision nor its totals, neither which run it was nor how far that was trusted.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from mergebar import comparing, gating
from mergebar.edge.finished_runs import FinishedRun
from mergebar.model.configuration import Config
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.documents import EvaluatorUse, Origin, Severity
from mergebar.model.plans import CheckKind, PlannedCheck, PlannedSuite, Skip, SuiteKind
from mergebar.model.problems import Level, Location, Problem
from mergebar.model.reports import (
    Report,
    ReportCheck,
    ReportError,
    ReportProblem,
    ReportSuite,
    ReportWarning,
    Totals,
)
from mergebar.model.results import CheckResult, Outcome
from mergebar.patterns import GlobSet
from mergebar.report import contradictions, quoting, repeating

_NO_SCORE = "the report has no score for it"


def recompute(report: Report, config: Config, run: FinishedRun, *, prefix: str = "") -> Report:
    """`config` is that of the base; `prefix` is its working directory, empty at the top."""
    checks = tuple(_believed(check, config) for check in report.checks)
    group = _grouping(config, prefix)
    results = tuple(_result(check, group(check.suite)) for check in checks)
    facts = gating.Facts(
        checks=results,
        suites=tuple(_suite(suite) for suite in report.suites),
        policy=config.gate,
        groups=tuple(one.min_pass_rate for one in config.documents),
        config_problems=tuple(map(_problem, report.problems)),
        complete=report.run.complete,
        known=comparing.known(report.comparison),
        new=comparing.new(report.comparison),
        drop=report.comparison.drop if report.comparison is not None else None,
        loosened=comparing.loosened(report.comparison),
        comparison=report.comparison,
    )
    decision = gating.decide(facts)
    if decision.outcome is not report.decision.outcome:
        note = f"the run itself said `{report.decision.outcome}`"
        decision = gating.decide(replace(facts, note=note))
    return replace(
        report,
        checks=checks,
        decision=decision,
        warnings=(*map(_doubt, contradictions.find(report)), *report.warnings),
        totals=_totals(report, results),
        run=replace(
            report.run,
            id=str(run.id),
            attempt=run.attempt,
            event=run.event,
            head_commit=run.head_sha,
            trusted=False,
            policy="base",
            mode=config.gate.mode.value,
            command=repeating.of_stranger(report.run.base_commit),
        ),
    )


def _doubt(contradiction: str) -> ReportWarning:
    return ReportWarning(message=f"the report contradicted itself: {contradiction}")


def _believed(check: ReportCheck, config: Config) -> ReportCheck:
    """A check as far as it agrees with itself: a pass below its threshold is none.

    What gates follows from the severity and our own bar. That reasons may quote is assumed.
    """
    severity = Severity(check.severity)
    gates = check.must_pass or severity.rank >= config.gate.severity.rank
    quotes = check.quotes or (check.error is None and quoting.reason_quotes(check.name))
    check = replace(check, gating=gates, quotes=quotes and check.skip is None)
    if check.outcome != "pass":
        return check
    if check.score is None and check.kind == CheckKind.EVALUATOR:
        error = ReportError(error_class=ErrorClass.BAD_RESPONSE.value, message=_NO_SCORE)
        return replace(check, outcome="error", error=error, reason=_NO_SCORE, quotes=False)
    if contradictions.outcome(check) == "fail":
        return replace(check, outcome="fail")
    return check


def _grouping(config: Config, prefix: str) -> Callable[[str], int | None]:
    """Which of our groups a suite is in: whether it is rated isn't the report's to say."""
    globs = [GlobSet(group.paths) for group in config.documents]
    folder = f"{prefix}/" if prefix else ""

    def group(path: str) -> int | None:
        inner = path.removeprefix(folder)
        found = (index for index, one in enumerate(globs) if one.matches(inner))
        return next(found, None) if path.startswith(folder) else None

    return group


def _result(check: ReportCheck, group: int | None) -> CheckResult:
    location = Location(
        path=check.location.path, line=check.location.line, column=check.location.column
    )
    return CheckResult(
        check=PlannedCheck(
            id=check.id,
            suite=check.suite,
            case=check.case,
            turn=check.turn,
            name=check.name,
            kind=CheckKind(check.kind),
            agent=check.agent,
            evaluator=EvaluatorUse(
                name=check.name,
                options={},
                threshold=check.threshold,
                origin=Origin.ITEM,
                location=location,
            ),
            severity=Severity(check.severity),
            weight=check.weight,
            must_pass=check.must_pass,
            gating=check.gating,
            group=group,
            definition=check.definition,
            location=location,
        ),
        outcome=Outcome(check.outcome),
        score=check.score,
        reason=check.reason,
        runs=(),
        skip=Skip(check.skip) if check.skip else None,
        error=_failure(check.error),
        flaky=check.flaky,
        carried=check.carried,
    )


def _failure(error: ReportError | None) -> Failure | None:
    if error is None:
        return None
    return Failure(error_class=ErrorClass(error.error_class), message=error.message)


def _suite(suite: ReportSuite) -> PlannedSuite:
    return PlannedSuite(
        path=suite.path,
        kind=SuiteKind(suite.kind),
        affected=suite.affected,
        reason=suite.reason,
        problems=tuple(map(_problem, suite.problems)),
        document=None,
        cases=(),
    )


def _problem(problem: ReportProblem) -> Problem:
    return Problem(
        level=Level(problem.level),
        rule=problem.rule,
        message=problem.message,
        path=problem.path,
        line=problem.line,
        column=problem.column,
    )


def _totals(report: Report, results: tuple[CheckResult, ...]) -> Totals:
    counts = Counter(one.outcome for one in results)
    return Totals(
        checks=len(results),
        passed=counts[Outcome.PASS],
        failed=counts[Outcome.FAIL],
        errors=counts[Outcome.ERROR],
        needs_review=counts[Outcome.NEEDS_REVIEW],
        skipped=counts[Outcome.SKIPPED],
        carried=sum(one.carried for one in results),
        pass_rate=gating.pass_rate(results),
        base_pass_rate=report.totals.base_pass_rate,
    )
