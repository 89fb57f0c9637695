"""`mergebar action`: what the container runs; inputs and the event in, outputs and summary out."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from mergebar import settings as inputs
from mergebar.commands import assembling, check, gate, streams, workspace
from mergebar.commands.assembling import Invocation, Surroundings
from mergebar.edge import events, output_files, workflow
from mergebar.edge.events import Work
from mergebar.edge.git import Git
from mergebar.errors import ExitCode, StopError
from mergebar.model.configuration import Responses
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.model.reports import ReportWarning
from mergebar.report import outputs, problems, summary, terminal
from mergebar.report.presenting import Presentation
from mergebar.settings import Settings
from mergebar.untrusted import workflow as workflow_commands

FOLDER = "mergebar-report"
_WIDTH = 100


def main(argv: list[str]) -> int:
    """Do what the event calls for; every output is written, whatever happens."""
    environ = os.environ
    try:
        return _act(argv, environ)
    except StopError as stop:
        _write_outputs(environ, outputs.bare(DecisionOutcome.INVALID, exit_code=stop.code))
        _say(Level.ERROR, stop.message)
        return stop.code


def _act(argv: list[str], environ: Mapping[str, str]) -> int:
    if argv:
        raise StopError("`mergebar action` takes no arguments: its inputs are `INPUT_*`")
    settings = _settings(environ)
    root = Path(environ.get("GITHUB_WORKSPACE") or workspace.current()).resolve()
    folder = root / settings.working_directory
    if not folder.is_dir():
        raise StopError(
            f"the input `working-directory` names `{settings.working_directory}`, which is no "
            "folder of the workspace: check the repository out first, or correct the input"
        )
    around = assembling.around(workspace.here(folder), environ)
    if around.event.closed:
        _write_outputs(environ, outputs.bare(DecisionOutcome.PASSED, exit_code=ExitCode.PASSED))
        sys.stdout.write("the pull request was closed: nothing to do\n")
        return ExitCode.PASSED
    work = events.work(around.event, mode=settings.mode)
    if isinstance(work, Problem):
        raise StopError(work.message)
    return _WORK[work](settings, around, root)


def _settings(environ: Mapping[str, str]) -> Settings:
    settings = inputs.from_inputs(environ)
    told = settings.warnings if isinstance(settings, Settings) else settings
    wrong = [problem.message for problem in told if is_invalid([problem])]
    for problem in told:
        if problem.message not in wrong:
            _say(problem.level, problem.message)
    if isinstance(settings, Settings):
        return settings
    raise StopError("; ".join(wrong))


def _check(settings: Settings, around: Surroundings, _root: Path) -> int:
    """Validate only: outputs and summary, and neither comment nor check run."""
    suites, found = check.check(settings.paths, place=around.place, config_path=settings.config)
    told = [*found, *(problem for suite in suites for problem in suite.problems)]
    code = ExitCode.INVALID if is_invalid(told) else ExitCode.PASSED
    outcome = DecisionOutcome.INVALID if code else DecisionOutcome.PASSED
    _write_outputs(around.environ, outputs.bare(outcome, exit_code=code))
    _warn(workflow.append_summary(around.environ, problems.markdown(suites, found)))
    streams.write(problems.github(suites, found))
    return code


def _publish(_settings: Settings, _around: Surroundings, _root: Path) -> int:
    raise StopError("`mode: publish` is not available yet in this version")


def _run(settings: Settings, around: Surroundings, root: Path) -> int:
    """The main job. The report is on disk before anything is told of it."""
    published = root / FOLDER
    remedy = f"remove it from the repository: the action writes its report to `{FOLDER}`"
    git = Git(root, around.environ)
    refused = output_files.refuse(published, git, what="report folder", remedy=remedy)
    if refused is not None:
        raise StopError(refused.message)
    assembled = assembling.assemble(_invocation(settings), around)
    presentation = _presentation(settings, around, assembled.inputs.config.responses)
    measured = gate.run(assembled, presentation)
    unwritten = output_files.write(published, measured.files, owner=output_files.owner_of(root))
    if unwritten is not None:
        _warn(ReportWarning(message=unwritten.message))
    report_path = f"{FOLDER}/{gate.REPORT}"
    _write_outputs(around.environ, outputs.values(measured.report, report_path=report_path))
    _warn(workflow.append_summary(around.environ, summary.draw(measured.report, presentation)))
    style = terminal.Style(width=_WIDTH, responses=presentation.responses)
    streams.write(terminal.draw(measured.report, style))
    return measured.exit_code


def _invocation(settings: Settings) -> Invocation:
    return Invocation(
        paths=settings.paths,
        config=settings.config,
        scope=settings.scope.value,
        base=settings.base,
        agent=settings.agent,
    )


def _presentation(settings: Settings, around: Surroundings, responses: Responses) -> Presentation:
    server = around.environ.get("GITHUB_SERVER_URL", "").rstrip("/")
    repository = around.event.repository
    page = f"{server}/{repository}" if server and repository else None
    run = around.event.run_id
    return Presentation(
        key=settings.check_name,
        responses=responses,
        repository_url=page,
        run_url=f"{page}/actions/runs/{run}" if page and run else None,
    )


def _write_outputs(environ: Mapping[str, str], values: Mapping[str, str]) -> None:
    declared = [output.name for output in inputs.OUTPUTS]
    _warn(workflow.write_outputs(environ, values, declared=declared))


def _warn(warning: ReportWarning | None) -> None:
    if warning is not None:
        _say(Level.WARNING, warning.message)


def _say(level: Level, message: str) -> None:
    sys.stdout.write(workflow_commands.command(level, message) + "\n")


_WORK: Mapping[Work, Callable[[Settings, Surroundings, Path], int]] = {
    Work.RUN: _run,
    Work.CHECK: _check,
    Work.PUBLISH: _publish,
}
