"""A plan in; the lines that explain it, or the same as JSON, out."""

from collections import Counter
from collections.abc import Iterator, Mapping

from mergebar import running
from mergebar.model.comparisons import Baseline
from mergebar.model.configuration import Config
from mergebar.model.plans import PlannedCase, PlannedCheck, PlannedSuite
from mergebar.model.problems import Problem
from mergebar.model.text import Json
from mergebar.pipeline import Inputs, Prepared
from mergebar.reading.sentences import counted

_SHOWN = 7
_CARRIED = "carried from the baseline"
_NOT_RUN = "not run"


def lines(prepared: Prepared, inputs: Inputs, *, verbose: bool) -> Iterator[str]:
    """A line for each suite, and for each check of one that is affected in part."""
    if inputs.base.changes.reason:
        yield f"changes: {inputs.base.changes.reason}"
    if inputs.compared is not None:
        yield f"baseline: {_named(inputs.compared.baseline)}"
    yield from inputs.remarks
    yield from map(_said, prepared.plan.problems)
    carried = {result.check.id for result in prepared.carried}
    for suite in prepared.plan.suites:
        yield f"{suite.path}: {suite.reason}{_count(suite, carried)}"
        for problem in suite.problems:
            yield f"  {_said(problem)}"
        if verbose or _in_part(suite):
            for case, check in _checks(suite):
                yield f"  {_titled(case, check)}: {_reason(check, carried)}"
    for path in prepared.plan.removed:
        yield f"{path}: removed by this change"
    yield _calls(prepared, inputs.config)


def _named(baseline: Baseline) -> str:
    commit = "of an unknown commit" if baseline.commit is None else f"`{baseline.commit[:_SHOWN]}`"
    return f"{commit}, from {baseline.source}"


def _count(suite: PlannedSuite, carried: set[str]) -> str:
    checks = sum(len(case.checks) for case in suite.cases)
    kept = sum(1 for _, check in _checks(suite) if check.id in carried)
    cases = counted(len(suite.cases), "case")
    said = [f"{cases}, {counted(checks, 'check')}"] if suite.cases else []
    said += [f"{counted(kept, 'check')} carried"] if kept else []
    said += _skipped(suite)
    return f" ({'; '.join(said)})" if said else ""


def _skipped(suite: PlannedSuite) -> list[str]:
    """How many of the checks that were to run won't be measured, and why not."""
    skips = (check.skip or case.skip for case in suite.cases for check in case.checks)
    counts = Counter((skip.kind.value, skip.reason) for skip in skips if skip is not None)
    return [
        f"{counted(number, 'check')} {kind}: {reason}"
        for (kind, reason), number in counts.most_common()
    ]


def _titled(case: PlannedCase, check: PlannedCheck) -> str:
    """What a check is called, and what its case says where a digest stands for that."""
    label = case.case.label
    return check.id if label == case.case.key else f'{check.id} ("{label}")'


def _in_part(suite: PlannedSuite) -> bool:
    """Whether the line of the suite doesn't speak for all its checks."""
    causes = {check.cause for _, check in _checks(suite)}
    return suite.affected and len(causes) > 1


def _checks(suite: PlannedSuite) -> Iterator[tuple[PlannedCase, PlannedCheck]]:
    for case in suite.whole or suite.cases:
        for check in case.checks:
            yield case, check


def _reason(check: PlannedCheck, carried: set[str]) -> str:
    if check.cause:
        skip = f" ({check.skip.kind})" if check.skip is not None else ""
        return f"affected: {check.cause}{skip}"
    return _CARRIED if check.id in carried else _NOT_RUN


def _calls(prepared: Prepared, config: Config) -> str:
    calls, budget = prepared.plan.estimate, config.budget
    agents = f"{calls.agent_calls:,} to agents (budget {budget.agent_calls:,})"
    judge = f"{calls.judge_calls:,} to the judge (budget {budget.judge_calls:,})"
    return f"calls: {agents}, {judge}{_stops(prepared, config)}"


def _stops(prepared: Prepared, config: Config) -> str:
    over = running.exceeded(prepared.plan.estimate, config.budget)
    return "; `mergebar run` would stop before the first one" if over else ""


def _said(problem: Problem) -> str:
    places = (problem.path, problem.line, problem.column)
    place = ":".join(str(part) for part in places if part is not None)
    return f"{place}: {problem.level}: {problem.message}" if place else problem.message


def as_json(prepared: Prepared, inputs: Inputs) -> Mapping[str, Json]:
    """The same for programs."""
    plan, budget = prepared.plan, inputs.config.budget
    carried = {result.check.id for result in prepared.carried}
    found = inputs.compared.baseline if inputs.compared is not None else None
    return {
        "changes": inputs.base.changes.reason,
        "baseline": None
        if found is None
        else {"commit": found.commit, "age_s": found.age_s, "source": found.source},
        "notes": list(inputs.remarks),
        "suites": [_suite(suite, carried) for suite in plan.suites],
        "removed": list(plan.removed),
        "problems": [_problem(problem) for problem in plan.problems],
        "calls": {
            "agent": plan.estimate.agent_calls,
            "judge": plan.estimate.judge_calls,
        },
        "budget": {"agent": budget.agent_calls, "judge": budget.judge_calls},
    }


def _suite(suite: PlannedSuite, carried: set[str]) -> Json:
    return {
        "path": suite.path,
        "kind": suite.kind.value,
        "affected": suite.affected,
        "reason": suite.reason,
        "problems": [_problem(problem) for problem in suite.problems],
        "cases": [
            {
                "case": case.case.key,
                "agent": case.agent,
                "runs": case.runs,
                "skip": case.skip.reason if case.skip else None,
                "checks": [check.id for check in case.checks],
            }
            for case in suite.cases
        ],
        "checks": [
            {
                "id": check.id,
                "label": case.case.label,
                "affected": bool(check.cause),
                "carried": check.id in carried,
                "reason": _reason(check, carried),
                "skip": _skip(case, check),
            }
            for case, check in _checks(suite)
        ],
    }


def _skip(case: PlannedCase, check: PlannedCheck) -> Json:
    found = check.skip or case.skip
    return None if found is None else {"kind": found.kind.value, "reason": found.reason}


def _problem(problem: Problem) -> Json:
    return {
        "level": problem.level.value,
        "rule": problem.rule,
        "message": problem.message,
        "path": problem.path,
        "line": problem.line,
        "column": problem.column,
    }
