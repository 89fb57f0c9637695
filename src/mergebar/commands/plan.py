"""`mergebar plan`: arguments in; what would run, what not, why, and how many calls it takes out."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace

from mergebar.commands import arguments, assembling, gate, streams, workspace
from mergebar.commands.assembling import Assembled, Invocation, Surroundings
from mergebar.errors import ExitCode
from mergebar.model.plans import Plan, PlannedSuite
from mergebar.model.problems import Problem, is_invalid
from mergebar.model.text import Json
from mergebar.untrusted import terminal

EXAMPLE = """\
examples:
  mergebar plan
  mergebar plan --base origin/main
  mergebar plan --changed prompts/support.md --format json

exit codes: 0 the plan can run, 2 it is invalid
"""


def main(argv: list[str]) -> int:
    """Print the plan; return 0, or 2 where `mergebar run` would refuse it."""
    parser = arguments.parser("plan", "What would run, what not, and why; nothing runs.", EXAMPLE)
    arguments.add_selection(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parsed = arguments.parse(parser, argv)
    if isinstance(parsed, int):
        return parsed
    around = assembling.around(workspace.here(), os.environ)
    return show(arguments.invocation(parsed), around, form=parsed.format)


def show(invocation: Invocation, around: Surroundings, *, form: str) -> int:
    """Plan and print."""
    assembled = assembling.assemble(invocation, around)
    plan = gate.plan(_without_secrets(assembled)).plan
    if form == "json":
        text = json.dumps(_json(plan), ensure_ascii=False, indent=2)
        streams.write(terminal.json_text(text) + "\n")
    else:
        changes = assembled.inputs.base.changes
        lines = (terminal.line(line) + "\n" for line in _lines(plan, changes.reason))
        streams.write("".join(lines))
    affected = [problem for suite in plan.suites if suite.affected for problem in suite.problems]
    return ExitCode.INVALID if is_invalid([*plan.problems, *affected]) else ExitCode.PASSED


def _without_secrets(assembled: Assembled) -> Assembled:
    """A plan needs no secret; where none are given, it says what is withheld for that."""
    options = assembled.inputs.options
    if not options.trusted:
        return assembled
    options = replace(options, secrets_missing={}, judge_secrets_missing=())
    return replace(assembled, inputs=replace(assembled.inputs, options=options))


def _lines(plan: Plan, reason: str) -> Iterator[str]:
    if reason:
        yield f"changes: {reason}"
    for problem in plan.problems:
        yield _said(problem)
    for suite in plan.suites:
        checks = sum(len(case.checks) for case in suite.cases)
        count = f" ({len(suite.cases)} cases, {checks} checks)" if suite.cases else ""
        yield f"{suite.path}: {suite.reason}{count}"
        for problem in suite.problems:
            yield f"  {_said(problem)}"
    calls = plan.estimate
    yield f"calls: {calls.agent_calls} to agents, {calls.judge_calls} to the judge"


def _said(problem: Problem) -> str:
    places = (problem.path, problem.line, problem.column)
    place = ":".join(str(part) for part in places if part is not None)
    return f"{place}: {problem.level}: {problem.message}" if place else problem.message


def _json(plan: Plan) -> Json:
    return {
        "suites": [_suite(suite) for suite in plan.suites],
        "problems": [_problem(problem) for problem in plan.problems],
        "calls": {
            "agent": plan.estimate.agent_calls,
            "judge": plan.estimate.judge_calls,
        },
    }


def _suite(suite: PlannedSuite) -> Json:
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
    }


def _problem(problem: Problem) -> Json:
    return {
        "level": problem.level.value,
        "rule": problem.rule,
        "message": problem.message,
        "path": problem.path,
        "line": problem.line,
        "column": problem.column,
    }
