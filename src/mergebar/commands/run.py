"""`mergebar run`: the main job on a command line; arguments in, reports and an exit code out."""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mergebar import recordings
from mergebar.commands import arguments, interrupts, plan, selection, streams, workspace
from mergebar.commands.runs import (
    assembling,
    base_runs,
    gate,
    placeholders,
    progress,
    writing_baselines,
)
from mergebar.commands.runs.assembling import Assembled, Invocation, Surroundings
from mergebar.commands.runs.placeholders import Placeholder
from mergebar.edge import output_files
from mergebar.edge.git import Git
from mergebar.edge.output_files import Refusal
from mergebar.errors import ExitCode, StopError, UsageError
from mergebar.model.reports import Report
from mergebar.report import comment, json_report, terminal
from mergebar.report.presenting import Presentation
from mergebar.untrusted import terminal as guarding

OUTPUT = ".mergebar"
_MISUSED = "the command line is wrong: the log says why"
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
    selection.add_to(made)
    made.add_argument("--replay", action="store_true", help="recordings only: no network")
    made.add_argument("--record", action="store_true", help="keep what agents and judge say")
    made.add_argument(
        "--write-baseline",
        action="store_true",
        help="keep the report as the committed baseline; refused for what isn't committed",
    )
    made.add_argument(
        "--no-cache", action="store_true", help="ask everything anew, whatever is known already"
    )
    made.add_argument(
        "--output", metavar="DIR", default=OUTPUT, help="report folder (default: .mergebar)"
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
        if parsed != ExitCode.PASSED:
            _placeholder(placeholders.named_output(argv, OUTPUT)).refuse(_MISUSED, anew=False)
        return parsed
    if parsed.dry_run:
        around = assembling.around(workspace.here(), os.environ)
        form = "json" if parsed.format == "json" else "text"
        return plan.show(_invocation(parsed), around, form=form, verbose=parsed.verbose)
    placeholder = _placeholder(parsed.output)
    with placeholder.refusing(anew=False):
        invocation = _invocation(parsed)
        around = assembling.around(workspace.here(), os.environ)
        placeholder.trusted = around.event.trusted
        reason = writing_baselines.refusal(invocation, around.event)
        if parsed.write_baseline and reason:
            raise UsageError(reason)
    if not _is_in(placeholder.folders, parsed.baseline):
        placeholder.replace()
    with placeholder.refusing():
        return _run(invocation, around, parsed, placeholder)


def _invocation(parsed: argparse.Namespace) -> Invocation:
    if parsed.replay and parsed.record:
        raise UsageError("`--replay` plays recordings and `--record` makes them: choose one")
    return replace(
        selection.invocation(parsed),
        replay=parsed.replay,
        record=parsed.record,
        output=parsed.output,
        cache=not parsed.no_cache,
    )


def _placeholder(output: str) -> Placeholder:
    place = workspace.here()
    folders = placeholders.within(place.cwd / output, place.top)
    return Placeholder(folders=folders, environ=os.environ, trusted=False)


def _is_in(folders: Sequence[Path], baseline: str | None) -> bool:
    """Whether the earlier run's report is what this one is compared with."""
    return baseline is not None and Path(os.path.realpath(baseline)).parent in folders


def _run(
    invocation: Invocation,
    around: Surroundings,
    parsed: argparse.Namespace,
    placeholder: Placeholder,
) -> int:
    folder = _folder(invocation, around)
    watch = progress.here(around.environ, quiet=parsed.quiet)
    assembled = base_runs.assemble(invocation, around, watch=watch)
    if parsed.write_baseline:
        _refuse_uncommitted(assembled, around)
    presentation = Presentation(responses=assembled.inputs.config.responses)
    inputs = tuple(_inputs(assembled, around))
    _go_on(output_files.over(folder, inputs, shown=invocation.output))
    placeholder.begin()
    measured = gate.run(assembled, presentation)
    placeholder.over = True
    unwritten = output_files.write(folder, measured.files, inputs=inputs)
    interrupted = interrupts.PROCESS.release()
    say = streams.write if parsed.format == "text" or parsed.quiet else streams.deliver
    _print(_drawn(measured.report, presentation, parsed, folder), say)
    for problem in measured.problems:
        streams.tell(guarding.line(f"warning: {problem.path}: {problem.message}") + "\n")
    _go_on(unwritten)
    measured.settle()
    if parsed.format == "text" and not parsed.quiet:
        streams.tell(f"reports: {arguments.shown(folder)}/\n")
    if parsed.write_baseline and not interrupted:
        _write_baseline(measured.report, assembled, around)
    return ExitCode.INTERRUPTED if interrupted else measured.exit_code


def _write_baseline(report: Report, assembled: Assembled, around: Surroundings) -> None:
    path = around.place.cwd / assembled.inputs.config.baseline.path
    _go_on(writing_baselines.write(report, path))
    streams.tell(f"baseline: {arguments.shown(path)}: commit it\n")


def _refuse_uncommitted(assembled: Assembled, around: Surroundings) -> None:
    git = Git(around.place.cwd, around.environ)
    reason = writing_baselines.uncommitted(assembled.inputs, git, prefix=around.place.prefix)
    if reason:
        raise UsageError(reason)


def _folder(invocation: Invocation, around: Surroundings) -> Path:
    """Where the reports go: found and made before anything of the repository runs."""
    folder = around.place.cwd / invocation.output
    # Recordings are there to be committed, and their default place is in the default folder.
    recorded = around.place.cwd / recordings.FOLDER
    _go_on(
        output_files.refuse(
            folder,
            Git(around.place.cwd, around.environ),
            apart=recorded.name if recorded.parent == folder else None,
        )
    )
    made = output_files.prepare(folder, inputs=[around.place.cwd])
    if isinstance(made, Refusal):
        raise StopError(made.message)
    return made


def _inputs(assembled: Assembled, around: Surroundings) -> Iterator[Path]:
    """The files that the run is about."""
    inputs = assembled.inputs
    artifacts = (one.artifact.path for one in inputs.base.artifacts)
    named = (inputs.config.path, *inputs.paths, *artifacts)
    yield from (around.place.top / path for path in named if path is not None)


def _go_on(refused: Refusal | None) -> None:
    """Stop where something is refused."""
    if refused is not None:
        raise StopError(refused.message)


def _print(text: str, say: Callable[[str], None]) -> None:
    """Who doesn't take the results changes nothing of the decision: the reports are written."""
    try:
        say(text)
    except StopError as lost:
        streams.tell(guarding.line(f"mergebar: {lost.message}") + "\n")


def _drawn(
    report: Report, presentation: Presentation, parsed: argparse.Namespace, folder: Path
) -> str:
    if parsed.quiet:
        return terminal.brief(report, presentation.responses)
    if parsed.format == "json":
        return guarding.json_text(json_report.dump(report).decode())
    if parsed.format == "markdown":
        return guarding.guard(comment.draw(report, presentation)) + "\n"
    style = terminal.Style(
        width=arguments.width(),
        colour=arguments.coloured(os.environ),
        verbose=parsed.verbose,
        responses=presentation.responses,
        kept=arguments.shown(folder / gate.PAGE),
    )
    return terminal.draw(report, style)
