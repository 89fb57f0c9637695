"""`mergebar action`: what the container runs; inputs and the event in, a verdict out."""

import argparse
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mergebar.commands import arguments, check, interrupts, publish, workspace
from mergebar.commands.github import (
    connecting,
    finalising,
    given_inputs,
    publishing,
    report_folders,
)
from mergebar.commands.github.finalising import Beginning, Watched
from mergebar.commands.github.publishing import Occasion
from mergebar.commands.github.step_outputs import StepOutputs
from mergebar.commands.github.workflow_log import WorkflowLog
from mergebar.commands.runs import assembling, base_runs, gate, progress
from mergebar.commands.runs.assembling import Assembled, Invocation, Surroundings
from mergebar.commands.runs.gate import Measured
from mergebar.commands.runs.placeholders import Placeholder
from mergebar.edge import artifacts, events, left_tokens
from mergebar.edge.events import Work
from mergebar.edge.github.repository import GitHub
from mergebar.edge.github.waiting import REAL, Clock
from mergebar.errors import ExitCode, StopError, UsageError
from mergebar.model.configuration import Responses
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.model.publishing import GitHubTrouble
from mergebar.processes import privileges
from mergebar.report import annotations, outputs, problems, summary, terminal
from mergebar.report.presenting import Presentation
from mergebar.settings import Settings
from mergebar.untrusted import terminal as terminal_text

OWN_FOLDER = "mergebar"
"""In the runner's temp folder."""

EXAMPLE = """\
example, in a `run:` step of a workflow:
  INPUT_GITHUB_TOKEN=… mergebar action

Inputs are variables, `INPUT_CHECK_NAME` for `check-name`; docs/reference/action.md lists them.
"""
_WIDTH = 100
_BUG = "mergebar failed by a bug of its own; the log has what to report"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """What every part of the action needs. `root` is the workspace, `folders` take the report."""

    settings: Settings
    around: Surroundings
    root: Path
    log: WorkflowLog
    outputs: StepOutputs
    folders: tuple[Path, ...] = ()
    clock: Clock = REAL


def parser() -> argparse.ArgumentParser:
    """`mergebar action` has no options."""
    return arguments.parser("action", "What the container runs: inputs and the event in.", EXAMPLE)


def main(argv: list[str], *, clock: Clock = REAL) -> int:
    """Do what the event calls for; all outputs are written. GitHub is waited for on `clock`."""
    if argv in (["--help"], ["-h"]):
        return int(arguments.parse(parser(), argv))
    finalising.listen()
    log = WorkflowLog()
    written = StepOutputs(os.environ, log)
    try:
        return _act(argv, os.environ, log, written, clock)
    except StopError as stop:
        _stopped(stop, log, written)
        return stop.code
    except KeyboardInterrupt:
        interrupts.deafen()
        written.settle(DecisionOutcome.COULD_NOT_EVALUATE, ExitCode.INTERRUPTED)
        written.exit_with(ExitCode.INTERRUPTED)
        log.say(Level.ERROR, "the run was cancelled")
        return ExitCode.INTERRUPTED
    except Exception:
        written.settle(DecisionOutcome.COULD_NOT_EVALUATE, ExitCode.BUG)
        written.exit_with(ExitCode.BUG)
        written.note("⚠️ Could not evaluate", _BUG)
        log.say(Level.ERROR, _BUG)
        raise


def _stopped(stop: StopError, log: WorkflowLog, written: StepOutputs) -> None:
    interrupts.PROCESS.hold(interrupts.nothing)
    if stop.code == ExitCode.PUBLISH_FAILED:
        written.exit_with(stop.code)
        written.note("⚠️ Not posted", stop.message)
    else:
        written.settle(DecisionOutcome.INVALID, stop.code)
        written.note("🚫 Invalid", stop.message)
    log.say(Level.ERROR, stop.message)


def _act(
    argv: list[str],
    environ: Mapping[str, str],
    log: WorkflowLog,
    written: StepOutputs,
    clock: Clock,
) -> int:
    if argv:
        raise UsageError("`mergebar action` takes no arguments: its inputs are `INPUT_*`")
    privileges.seal(environ)
    root = Path(environ.get("GITHUB_WORKSPACE") or workspace.current()).resolve()
    with report_folders.refusing(root, environ):
        settings = given_inputs.read(environ, log)
        around = assembling.around(workspace.here(root / settings.working_directory), environ)
        work = None if around.event.over else _work(settings, around, root)
    if work is None:
        interrupts.PROCESS.hold(interrupts.nothing)
        written.settle(DecisionOutcome.PASSED, ExitCode.PASSED)
        written.note("✅ Nothing to do", f"{around.event.over.capitalize()}.")
        log.show(f"{around.event.over}: nothing to do\n")
        return ExitCode.PASSED
    job = _Job(settings=settings, around=around, root=root, log=log, outputs=written, clock=clock)
    return _WORK[work](job)


def _work(settings: Settings, around: Surroundings, root: Path) -> Work:
    work = events.work(around.event, mode=settings.mode)
    if isinstance(work, Problem):
        raise StopError(work.message)
    if work is not Work.PUBLISH and not (root / settings.working_directory).is_dir():
        raise StopError(
            f"the input `working-directory` names `{settings.working_directory}`, which is no "
            "folder of the workspace: check the repository out first, or correct the input"
        )
    return work


def _check(job: _Job) -> int:
    """Validate only: outputs and summary, and neither comment nor check run."""
    suites, found = check.check(
        job.settings.paths, place=job.around.place, config_path=job.settings.config
    )
    interrupts.PROCESS.hold(interrupts.nothing)
    told = [*found, *(problem for suite in suites for problem in suite.problems)]
    code = ExitCode.INVALID if is_invalid(told) else ExitCode.PASSED
    outcome = DecisionOutcome.INVALID if code else DecisionOutcome.PASSED
    job.outputs.settle(outcome, code)
    job.outputs.summarise(problems.markdown(suites, found))
    job.log.show(problems.github(suites, found))
    return code


def _publish(job: _Job) -> int:
    """Post what an unprivileged run has found."""
    posted = publish.post(job.settings, job.around)
    job.outputs.write({"exit-code": str(posted.code), **posted.outputs})
    for level, message in posted.remarks:
        job.log.say(level, message)
    if posted.summary:
        job.outputs.summarise(posted.summary)
    else:
        job.outputs.note("⚠️ Not posted" if posted.code else "✅ Nothing to post", posted.why)
    job.log.show(terminal_text.line(posted.told) + "\n")
    return posted.code


def _run(job: _Job) -> int:
    """The main job. Its check run is there before anything is measured, and never left open."""
    happened = job.around.event
    placeholder = report_folders.placeholder_at(
        job.root, job.around.environ, trusted=happened.trusted
    )
    placeholder.replace()
    with placeholder.refusing():
        placeholder.folders = report_folders.made(
            job.root, job.around.environ, check_name=job.settings.check_name
        )
        placeholder.begin()
        return _gate(replace(job, folders=placeholder.folders), placeholder)


def _gate(job: _Job, placeholder: Placeholder) -> int:
    left = left_tokens.warning(job.root, job.around.environ) if job.around.event.trusted else None
    if left is not None:
        job.log.say(Level.WARNING, left)
    github = connecting.connect(job.settings, job.around.event, job.around.environ, clock=job.clock)
    if isinstance(github, GitHubTrouble):
        job.log.say(Level.WARNING, github.message)
    started_on = job.around.event
    job = replace(job, around=connecting.connected(job.around, github))
    reached = github if isinstance(github, GitHub) else None
    with Watched(reached, _beginning(job), clock=job.clock) as watched:
        watch = progress.here(job.around.environ)
        assembled = base_runs.assemble(_invocation(job), job.around, watch=watch)
        presentation = _presentation(job, assembled.inputs.config.responses)
        measured = gate.run(assembled, presentation)
        placeholder.over = True
        occasion = Occasion(
            settings=job.settings,
            around=job.around,
            started_on=started_on,
            github=github,
            watched=watched,
        )
        return _tell(job, assembled, measured, presentation=presentation, occasion=occasion)


def _beginning(job: _Job) -> Beginning | None:
    event = job.around.event
    if not job.settings.check_run or event.head is None:
        return None
    page = connecting.repository_page(event, job.around.environ)
    return Beginning(
        name=job.settings.check_name,
        head_sha=event.head,
        external_id=f"{event.run_id}.{event.attempt}",
        details_url=connecting.run_page(page, event.run_id) or "",
    )


def _tell(
    job: _Job,
    assembled: Assembled,
    measured: Measured,
    *,
    presentation: Presentation,
    occasion: Occasion,
) -> int:
    """Report to disk, then outputs and summary, and only then what others have to take."""
    report = measured.report
    report_folders.write(job.folders, measured.files)
    measured.settle()
    cut_short = measured.exit_code == ExitCode.INTERRUPTED
    known = outputs.values(report, report_path=f"{report_folders.FOLDER}/{gate.REPORT}")
    if cut_short:
        known["exit-code"] = str(int(measured.exit_code))
    failed = job.outputs.write(known)
    failed |= job.outputs.summarise(summary.draw(report, presentation))
    page = f"{report_folders.FOLDER}/{gate.PAGE}"
    style = terminal.Style(width=_WIDTH, responses=presentation.responses, kept=page)
    job.log.show(terminal.draw(report, style))
    if cut_short:
        published = publishing.wind_up(measured, presentation, occasion)
    else:
        published = publishing.publish(measured, presentation, assembled.inputs.config, occasion)
    for level, message in published.remarks:
        job.log.say(level, message)
    if not published.listed:
        job.log.point(annotations.annotate(report, presentation.responses))
    code = measured.exit_code
    if job.settings.require_publish and code == ExitCode.PASSED and (failed or published.failed):
        code = ExitCode.PUBLISH_FAILED
        known = {**known, "exit-code": str(int(code))}
    job.outputs.write({**known, **published.outputs})
    return code


def _invocation(job: _Job) -> Invocation:
    settings = job.settings
    temp = job.around.environ.get("RUNNER_TEMP", "")
    own = Path(temp) / OWN_FOLDER if temp and Path(temp).is_dir() else None
    return Invocation(
        paths=settings.paths,
        config=settings.config,
        scope=settings.scope,
        base=settings.base,
        agent=settings.agent,
        artifact=artifacts.report_name(settings.check_name),
        own_folder=own,
        keeps=own is not None,
    )


def _presentation(job: _Job, responses: Responses) -> Presentation:
    event = job.around.event
    page = connecting.repository_page(event, job.around.environ)
    return Presentation(
        key=job.settings.check_name,
        responses=responses,
        repository_url=page,
        run_url=connecting.run_page(page, event.run_id),
    )


_WORK: Mapping[Work, Callable[[_Job], int]] = {
    Work.RUN: _run,
    Work.CHECK: _check,
    Work.PUBLISH: _publish,
}
