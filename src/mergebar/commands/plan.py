"""`mergebar plan`: arguments in; what would run, what not, why, and how many calls it takes out."""

import json
import os
from dataclasses import replace

from mergebar import pipeline, running
from mergebar.commands import arguments, plan_drawing, selection, streams, workspace
from mergebar.commands.runs import assembling
from mergebar.commands.runs.assembling import Invocation, Surroundings
from mergebar.errors import ExitCode
from mergebar.model.configuration import BaselineSource
from mergebar.model.problems import is_invalid
from mergebar.untrusted import terminal

EXAMPLE = """\
examples:
  mergebar plan
  mergebar plan --base origin/main
  mergebar plan --changed prompts/support.md --format json

exit codes: 0 the plan can run, 2 it is invalid, 3 it takes more than the budget
"""

_BESIDE = (
    "baseline: the base itself, which `mergebar run` measures beside this tree; its calls are not "
    "counted here"
)


def main(argv: list[str]) -> int:
    """Print the plan; return 0, or what `mergebar run` would return without a call."""
    parser = arguments.parser("plan", "What would run, what not, and why; nothing runs.", EXAMPLE)
    selection.add_to(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--json", action="store_true", help="the same as `--format json`")
    parser.add_argument("-v", "--verbose", action="store_true", help="list every check")
    parsed = arguments.parse(parser, argv)
    if isinstance(parsed, int):
        return parsed
    around = assembling.around(workspace.here(), os.environ)
    form = "json" if parsed.json else parsed.format
    return show(selection.invocation(parsed), around, form=form, verbose=parsed.verbose)


def show(invocation: Invocation, around: Surroundings, *, form: str, verbose: bool = False) -> int:
    """Plan and print."""
    assembled = assembling.assemble(invocation, around)
    inputs = _foreseen(_without_secrets(assembled.inputs), invocation)
    prepared = pipeline.prepare(inputs, assembled.effects)
    if form == "json":
        text = json.dumps(plan_drawing.as_json(prepared, inputs), ensure_ascii=False, indent=2)
        streams.deliver(terminal.json_text(text) + "\n")
    else:
        drawn = plan_drawing.lines(prepared, inputs, verbose=verbose)
        streams.write("".join(_indented(line) + "\n" for line in drawn))
    plan = prepared.plan
    affected = [problem for suite in plan.suites if suite.affected for problem in suite.problems]
    if is_invalid([*plan.problems, *affected]):
        return ExitCode.INVALID
    over = running.exceeded(plan.estimate, inputs.config.budget)
    return ExitCode.COULD_NOT_EVALUATE if over else ExitCode.PASSED


def _indented(line: str) -> str:
    """A line without anything that a terminal would obey, as far in as it was."""
    text = line.lstrip(" ")
    return line[: len(line) - len(text)] + terminal.line(text)


def _without_secrets(inputs: pipeline.Inputs) -> pipeline.Inputs:
    """A plan needs no secret; where none are given, it says what is withheld for that."""
    options = inputs.options
    if not options.trusted:
        return inputs
    return replace(inputs, options=replace(options, secrets_missing={}, judge_secrets_missing=()))


def _foreseen(inputs: pipeline.Inputs, invocation: Invocation) -> pipeline.Inputs:
    """With `baseline.source: run`, what there will be to compare with isn't measured yet."""
    measured = inputs.config.baseline.source is not BaselineSource.RUN
    if measured or invocation.baseline is not None or is_invalid(inputs.problems):
        return inputs
    return replace(inputs, remarks=(*inputs.remarks, _BESIDE))
