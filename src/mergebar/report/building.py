"""Plan, results and decision in, the report out: the one place where secrets are taken out."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mergebar.model.configuration import Responses
from mergebar.model.conversations import Answer, Failure, Usage, total_usage
from mergebar.model.decisions import Decision
from mergebar.model.plans import Plan, PlannedSuite
from mergebar.model.problems import Location, Problem
from mergebar.model.reports import (
    Report,
    ReportCalls,
    ReportCheck,
    ReportError,
    ReportLocation,
    ReportProblem,
    ReportRun,
    ReportRunInfo,
    ReportSuite,
    ReportUsage,
    ReportWarning,
    Totals,
)
from mergebar.model.results import CheckResult, Outcome, Results, RunResult
from mergebar.report import cleaning, quoting
from mergebar.untrusted.redaction import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What the report states and nothing here can know.

    `pass_rate` is the gate's (0 to 1; `None` where nothing is graded). `problems` are those of no
    suite besides the plan's own. `rated` are the ids of the checks that are.
    """

    version: str
    run: ReportRunInfo
    responses: Responses
    pass_rate: float | None
    base_pass_rate: float | None = None
    warnings: tuple[ReportWarning, ...] = ()
    problems: tuple[Problem, ...] = ()
    rated: frozenset[str] = frozenset()


def build(
    *, plan: Plan, results: Results, decision: Decision, frame: Frame, redactor: Redactor
) -> Report:
    """The whole report; under `responses: none`, without the reasons that may quote one."""
    labels = {
        (case.suite, case.case.key): case.case.label
        for suite in plan.suites
        for case in suite.whole or suite.cases
    }
    report = Report(
        mergebar_version=frame.version,
        run=frame.run,
        decision=decision,
        totals=_totals(results.checks, frame),
        suites=tuple(_suite(suite) for suite in plan.suites),
        checks=tuple(
            _check(result, label=labels.get((result.check.suite, result.check.case)), frame=frame)
            for result in results.checks
        ),
        comparison=None,
        usage=_calls(results),
        warnings=(*frame.warnings, *(ReportWarning(message=note) for note in results.notes)),
        problems=tuple(_problem(one) for one in (*frame.problems, *plan.problems)),
    )
    return cleaning.clean(report, redactor)


def _totals(checks: Sequence[CheckResult], frame: Frame) -> Totals:
    counts = Counter(check.outcome for check in checks)
    return Totals(
        checks=counts.total(),
        passed=counts[Outcome.PASS],
        failed=counts[Outcome.FAIL],
        errors=counts[Outcome.ERROR],
        needs_review=counts[Outcome.NEEDS_REVIEW],
        skipped=counts[Outcome.SKIPPED],
        carried=sum(check.carried for check in checks),
        pass_rate=cleaning.finite(frame.pass_rate),
        base_pass_rate=cleaning.finite(frame.base_pass_rate),
    )


def _suite(suite: PlannedSuite) -> ReportSuite:
    return ReportSuite(
        path=suite.path,
        kind=suite.kind.value,
        affected=suite.affected,
        reason=suite.reason,
        problems=tuple(_problem(one) for one in suite.problems),
    )


def _problem(problem: Problem) -> ReportProblem:
    return ReportProblem(
        level=problem.level.value,
        rule=problem.rule,
        message=problem.message,
        path=problem.path,
        line=problem.line,
        column=problem.column,
    )


def _location(result: CheckResult) -> Location:
    """Where its fault lies, if that is known better, else where it is declared."""
    fault = result.error.place if result.error is not None else None
    return fault or result.check.location


def _check(result: CheckResult, *, label: str | None, frame: Frame) -> ReportCheck:
    check, location = result.check, _location(result)
    silent = frame.responses is Responses.NONE
    return ReportCheck(
        id=check.id,
        suite=check.suite,
        case=check.case,
        label=check.label or label or check.case,
        turn=check.turn,
        name=check.name,
        kind=check.kind.value,
        agent=check.agent,
        outcome=result.outcome.value,
        score=cleaning.finite(result.score),
        threshold=cleaning.finite(check.evaluator.threshold),
        reason=_reason(result, silent=silent),
        severity=check.severity.value,
        weight=check.weight,
        type=check.declared.type.value if check.declared is not None else None,
        must_pass=check.must_pass,
        gating=check.gating,
        skip=result.skip.value if result.skip else None,
        location=ReportLocation(path=location.path, line=location.line, column=location.column),
        definition=check.definition,
        carried=result.carried,
        cached=result.cached,
        flaky=result.flaky,
        stale=result.stale,
        replayed=result.replayed,
        runs=tuple(_run(result, run, silent=silent) for run in result.runs),
        usage=_usage(result.usage),
        duration_s=cleaning.finite(result.duration_s) or 0.0,
        error=_error(result.error, silent=silent),
        quotes=_quotes(result),
        measured=check.measured,
        notices=_notices(result, silent=silent),
        review=next((run.review for run in _waiting_first(result.runs) if run.review), None),
        look=next((run.look for run in _waiting_first(result.runs) if run.look), ""),
        rated=check.id in frame.rated,
    )


def _waiting_first(runs: Iterable[RunResult]) -> list[RunResult]:
    """Those that a person has to look at before those that somebody has judged already."""
    return sorted(runs, key=lambda run: run.outcome is not Outcome.NEEDS_REVIEW)


def _notices(result: CheckResult, *, silent: bool) -> tuple[str, ...]:
    """Each once; they may quote where the reason may."""
    if silent and _quotes(result):
        return ()
    return tuple(dict.fromkeys(notice for run in result.runs for notice in run.notices))


def _quotes(result: CheckResult) -> bool:
    """A skip's reason is our own; an error's is the failure's message."""
    if result.skip is not None:
        return False
    if result.error is not None:
        return quoting.message_quotes(result.error.error_class, result.error.message)
    if not result.runs:
        return quoting.reason_quotes(result.check.name)
    return any(_run_quotes(result, run) for run in result.runs)


def _run_quotes(result: CheckResult, run: RunResult) -> bool:
    """Whether the reason of a run that could say may quote; a grader says so itself."""
    return quoting.reason_quotes(result.check.name) if run.quotes is None else run.quotes


def _reason(result: CheckResult, *, silent: bool) -> str:
    if not (silent and _quotes(result)):
        return result.reason
    return _own_words(result.error, result.reason) if result.error is not None else ""


def _run(result: CheckResult, run: RunResult, *, silent: bool) -> ReportRun:
    reason = run.reason
    if silent and run.error is not None:
        reason = _own_words(run.error, reason)
    elif silent and _run_quotes(result, run):
        reason = ""
    return ReportRun(
        outcome=run.outcome.value,
        score=cleaning.finite(run.score),
        reason=reason,
        votes=tuple(vote for vote in run.votes if cleaning.finite(vote) is not None),
    )


def _error(failure: Failure | None, *, silent: bool) -> ReportError | None:
    if failure is None:
        return None
    message = _own_words(failure, failure.message) if silent else failure.message
    return ReportError(error_class=failure.error_class.value, message=message)


def _own_words(failure: Failure, text: str) -> str:
    return quoting.own_words(failure.error_class, text)


def _usage(usage: Usage) -> ReportUsage:
    return ReportUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=cleaning.finite(usage.cost_usd),
    )


def _calls(results: Results) -> ReportCalls:
    """Agent and judge together: an answer's usage is its own, a check's is its judge's."""
    answers = (turn.answer for one in results.conversations for turn in one.turns)
    usage = total_usage(
        [
            *(answer.usage for answer in answers if isinstance(answer, Answer)),
            *(check.usage for check in results.checks),
        ]
    )
    return ReportCalls(
        agent_calls=results.calls.agent_calls,
        judge_calls=results.calls.judge_calls,
        cache_hits=results.calls.cache_hits,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=cleaning.finite(usage.cost_usd),
    )
