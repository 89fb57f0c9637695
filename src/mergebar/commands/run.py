"""`mergebar run`: the main job on a command line; arguments in, reports and an exit code out."""

import argparse
import os
from dataclasses import replace

from mergebar import recordings
from mergebar.commands import (
    arguments,
    assembling,
    base_runs,
    gate,
    plan,
    progress,
    streams,
    workspace,
    writing_baselines,
)
from mergebar.commands.assembling import Invocation, Surroundings
from mergebar.edge import output_files
from mergebar.edge.git import Git
from mergebar.errors import ExitCode, StopError, UsageError
from mergebar.model.reports import Report
from mergebar.report import comment, json_report, terminal
from mergebar.report.presenting import Presentation
from mergebar.untrusted import terminal as guarding

EXAMPLE = """\
examples:
  mergebar run --all
  mergebar run --base origin/main
  mergebar run evals/hr.json --replay

exit codes: 0 passed, 1 failed, 2 invalid, 3 could not evaluate, 4 needs review, 130 interrupted
"""


def parser() -> argparse.ArgumentParser:
    """The options of `mergebar run`."""
    made = arguments.parser("run", "Validate, run what is affected, decide, report.", EXAMPLE)
    arguments.add_selection(made)
    made.add_argument("--replay", action="store_true", help="recordings only: no network")
    made.add_argument("--record", action="store_true", help="keep what agents and judge say")
    made.add_argument(
        "--write-baseline",
        action="store_true",
        help="keep the report as the committed baseline; refused for a part of the suites",
    )
    made.add_argument(
        "--no-cache", action="store_true", help="ask everything anew, whatever is known already"
    )
    made.add_argument(
        "--output", metavar="DIR", default=".mergebar", help="report folder (default: .mergebar)"
    )
    made.add_argument(
        "--format",
        choices=("text", "markdown", "json"),
        default="text",
        help="what is printed (default: text)",
    )
    made.add_argument("--dry-run", action="store_true", help="the same as `mergebar plan`")
    made.add_argument("-v", "--verbose", action="store_true", help="list what passed too")
    made.add_argument("-q", "--quiet", action="store_true", help="print the decision alone")
    return made


def main(argv: list[str]) -> int:
    """Run, print, write the reports, and return the exit code."""
    parsed = arguments.parse(parser(), argv)
    if isinstance(parsed, int):
        return parsed
    if parsed.replay and parsed.record:
        raise UsageError("`--replay` plays recordings and `--record` makes them: choose one")
    invocation = replace(
        arguments.invocation(parsed),
        replay=parsed.replay,
        record=parsed.record,
        output=parsed.output,
        cache=not parsed.no_cache,
    )
    around = assembling.around(workspace.here(), os.environ)
    if parsed.dry_run:
        form = "json" if parsed.format == "json" else "text"
        return plan.show(invocation, around, form=form, verbose=parsed.verbose)
    if parsed.write_baseline and (reason := writing_baselines.refusal(invocation, around.event)):
        raise UsageError(reason)
    return _run(invocation, around, parsed)


def _run(invocation: Invocation, around: Surroundings, parsed: argparse.Namespace) -> int:
    folder = around.place.cwd / invocation.output
    # Recordings are there to be committed, and their default place is in the default folder.
    recorded = around.place.cwd / recordings.FOLDER
    refused = output_files.refuse(
        folder,
        Git(around.place.cwd, around.environ),
        apart=recorded.name if recorded.parent == folder else None,
    )
    if refused is not None:
        raise StopError(refused.message)
    watch = progress.here(around.environ, quiet=parsed.quiet)
    assembled = base_runs.assemble(invocation, around, watch=watch)
    presentation = Presentation(responses=assembled.inputs.config.responses)
    measured = gate.run(assembled, presentation)
    inputs = [around.place.top / path for path in assembled.inputs.paths]
    unwritten = output_files.write(folder, measured.files, inputs=inputs)
    streams.write(_drawn(measured.report, presentation, parsed))
    for problem in measured.problems:
        streams.tell(guarding.line(f"warning: {problem.path}: {problem.message}") + "\n")
    if unwritten is not None:
        raise StopError(unwritten.message)
    measured.settle()
    if parsed.format == "text" and not parsed.quiet:
        streams.tell(f"reports: {arguments.shown(folder)}/\n")
    if parsed.write_baseline and measured.exit_code != ExitCode.INTERRUPTED:
        path = around.place.cwd / assembled.inputs.config.baseline.path
        refused = writing_baselines.write(measured.report, path)
        if refused is not None:
            raise StopError(refused.message)
        streams.tell(f"baseline: {arguments.shown(path)}\n")
    return measured.exit_code


def _drawn(report: Report, presentation: Presentation, parsed: argparse.Namespace) -> str:
    if parsed.quiet:
        decision = report.decision
        return guarding.line(f"{decision.outcome.value}: {decision.headline}") + "\n"
    if parsed.format == "json":
        return guarding.json_text(json_report.dump(report).decode())
    if parsed.format == "markdown":
        return guarding.guard(comment.draw(report, presentation)) + "\n"
    style = terminal.Style(
        width=arguments.width(),
        colour=arguments.coloured(os.environ),
        verbose=parsed.verbose,
        responses=presentation.responses,
    )
    return terminal.draw(report, style)
