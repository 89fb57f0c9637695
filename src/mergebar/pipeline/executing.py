"""Inputs and effects in; a plan carried out to its end, whatever happens on the way, and its report
out.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from mergebar import __version__, comparing, gating, planning
from mergebar.model.configuration import Config
from mergebar.model.decisions import Decision, DecisionOutcome
from mergebar.model.judgements import Judge
from mergebar.model.plans import Plan
from mergebar.model.problems import is_invalid
from mergebar.model.reports import Report, ReportJudge, ReportRunInfo
from mergebar.model.results import CheckResult, Results
from mergebar.pipeline import baseline_comparison, measuring, reviewing
from mergebar.pipeline.preparing import Prepared, prepare
from mergebar.pipeline.values import Effects, Finished, Inputs
from mergebar.report import building, cleaning
from mergebar.report import documents as results_files

_UNDECIDED = Decision(outcome=DecisionOutcome.PASSED, exit_code=0, headline="", reasons=())


async def execute(inputs: Inputs, effects: Effects, *, stop: asyncio.Event) -> Finished:
    """Run a plan to its end, whatever happens on the way, and report; `stop` ends it early."""
    started = effects.now()
    known = _known_judge(inputs, effects)
    prepared = prepare(inputs, effects, judge=_named(known))
    plan = prepared.plan
    judge = (known or _judge(plan, inputs.config, effects)) if _asks(plan, inputs.config) else None
    if known is not None and judge is None:
        await known.aclose()
    measured = await measuring.measure(plan, inputs.config, judge, effects, stop)
    results = _together(plan, measured.results, prepared.carried)
    run = replace(
        inputs.run,
        started_at=_rfc3339(started),
        finished_at=_rfc3339(effects.now()),
        complete=results.complete,
        judge=_named(judge) or _carried_judge(inputs, prepared),
    )
    report = _report(inputs, effects, prepared, results, run)
    stamp = results_files.Stamp(
        version=__version__, evaluated_at=run.finished_at, judge=report.run.judge
    )
    return Finished(
        report=report,
        documents=results_files.fill_all(
            plan,
            measured.results,
            stamp=stamp,
            redactor=effects.redactor,
            responses=inputs.config.responses,
        ),
        journal=measured.journal,
    )


def _report(
    inputs: Inputs, effects: Effects, prepared: Prepared, results: Results, run: ReportRunInfo
) -> Report:
    """The comparison needs the checks as reported, and the decision needs the comparison."""
    base = inputs.compared.report if inputs.compared is not None else None
    groups = tuple(group.min_pass_rate for group in inputs.config.documents)
    draft = building.build(
        plan=prepared.plan,
        results=results,
        decision=_UNDECIDED,
        frame=building.Frame(
            version=__version__,
            run=run,
            responses=inputs.config.responses,
            pass_rate=gating.pass_rate(results.checks),
            base_pass_rate=base.totals.pass_rate if base is not None else None,
            warnings=(*inputs.warnings, *reviewing.warnings(inputs, results)),
            rated=_rated(results, groups),
        ),
        redactor=effects.redactor,
    )
    comparison = baseline_comparison.compare(inputs, prepared, draft, effects)
    comparison = replace(comparison, notes=(*inputs.remarks, *comparison.notes))
    facts = gating.Facts(
        checks=results.checks,
        suites=prepared.plan.suites,
        policy=inputs.config.gate,
        groups=groups,
        config_problems=prepared.plan.problems,
        complete=results.complete,
        known=comparing.known(comparison),
        new=comparing.new(comparison),
        drop=comparison.drop,
        loosened=comparing.loosened(comparison, branch=inputs.branch),
        comparison=comparison,
        note=inputs.note,
    )
    decided = (gating.decide(facts), comparison)
    decision, comparison = cleaning.clean(decided, effects.redactor)
    return replace(draft, decision=decision, comparison=comparison)


def _rated(results: Results, groups: Sequence[float | None]) -> frozenset[str]:
    checks = (result.check for result in results.checks)
    return frozenset(check.id for check in checks if gating.floor(check, groups) is not None)


def _together(plan: Plan, measured: Results, carried: Sequence[CheckResult]) -> Results:
    """What was measured and what was carried, in the order of the plan."""
    if not carried:
        return measured
    cases = (case for suite in plan.suites for case in suite.whole or suite.cases)
    places = {check.id: at for at, check in enumerate(one for case in cases for one in case.checks)}
    checks = sorted((*measured.checks, *carried), key=lambda one: places[one.check.id])
    return replace(measured, checks=tuple(checks))


def _judge(plan: Plan, config: Config, effects: Effects) -> Judge | None:
    return effects.judge(config.judge) if _asks(plan, config) and config.judge else None


def _asks(plan: Plan, config: Config) -> bool:
    """Whether anything is put to the judge."""
    asked = (
        check
        for case in plan.cases
        if case.skip is None
        for check in case.checks
        if check.skip is None and planning.asks_judge(check)
    )
    if is_invalid(plan.problems) or config.judge is None:
        return False
    return next(asked, None) is not None


def _known_judge(inputs: Inputs, effects: Effects) -> Judge | None:
    """Who judges has to be known before anything is carried, if no secret is missing for that."""
    config = inputs.config.judge
    judged = inputs.compared is not None and inputs.compared.report.run.judge is not None
    if config is None or not judged or inputs.options.judge_secrets_missing:
        return None
    return effects.judge(config)


def _carried_judge(inputs: Inputs, prepared: Prepared) -> ReportJudge | None:
    """Where nothing is judged here, the judge of what is carried."""
    if inputs.compared is None or not prepared.carried:
        return None
    return inputs.compared.report.run.judge


def _named(judge: Judge | None) -> ReportJudge | None:
    if judge is None:
        return None
    identity = judge.identity
    return ReportJudge(
        provider=identity.provider, model=identity.model, parameters=identity.parameters
    )


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
