"""`mergebar publish`: a finished run's report in, one comment out: the second of two workflows.

The first ran a stranger's change without secrets; this one has a token and runs nothing. It takes
the report for what it is, a stranger's file: neither the pull request nor the verdict is its to
say, what it says is drawn by our own templates, and no check run bears the gate's name.
"""

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mergebar import config as configs
from mergebar import plugins
from mergebar import settings as inputs
from mergebar.commands import arguments, workspace
from mergebar.commands.github import connecting, recomputing
from mergebar.commands.runs import assembling
from mergebar.commands.runs.assembling import Surroundings
from mergebar.config import locating
from mergebar.edge import artifacts, events, finished_runs
from mergebar.edge.finished_runs import FinishedRun
from mergebar.edge.github import comment_modes
from mergebar.edge.github.pull_requests import PullRequest
from mergebar.edge.github.repository import GitHub
from mergebar.errors import ExitCode, StopError
from mergebar.model.configuration import Config, Responses
from mergebar.model.problems import Level, Problem
from mergebar.model.publishing import (
    CommentMode,
    GitHubTrouble,
    PublishOutcome,
    PublishState,
    TroubleKind,
)
from mergebar.model.reports import Report
from mergebar.report import comment, json_report, outputs, summary
from mergebar.report.presenting import Presentation
from mergebar.settings import Settings
from mergebar.untrusted import terminal

EXAMPLE = """\
example, in a `run:` step of a workflow on `workflow_run`:
  GITHUB_TOKEN=… mergebar publish --check-name mergebar

exit codes: 0 posted or nothing to post, 2 refused, 5 not posted
"""
_REPORT = "report.json"
_CONFIG_BYTES = 1024 * 1024
_SAID = {
    PublishState.CREATED: "the comment was posted",
    PublishState.UPDATED: "the comment was updated",
    PublishState.UNCHANGED: "the comment says so already",
    PublishState.OLDER: "a newer run has reported, or the pull request has newer commits",
    PublishState.SKIPPED: "no comment is wanted for this",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """What became of it: outputs, the job summary, remarks by level, and a line for the log."""

    code: int
    told: str
    outputs: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    remarks: tuple[tuple[Level, str], ...] = ()

    @property
    def why(self) -> str:
        """Why nothing was posted."""
        return "; ".join(message for _, message in self.remarks) or self.told


def parser() -> argparse.ArgumentParser:
    """The options of `mergebar publish`."""
    made = arguments.parser(
        "publish", "Post a finished report to GitHub, from a workflow on `workflow_run`.", EXAMPLE
    )
    made.add_argument(
        "--check-name", metavar="NAME", default="mergebar", help="the gate (default: mergebar)"
    )
    made.add_argument("--config", metavar="FILE", help="instead of the base's mergebar.yml")
    made.add_argument(
        "--comment",
        choices=tuple(CommentMode),
        help="when to comment (default: what the base's configuration says)",
    )
    return made


def main(argv: list[str]) -> int:
    """Post it, say what became of it, and return the exit code."""
    parsed = arguments.parse(parser(), argv)
    if isinstance(parsed, int):
        return parsed
    environ = os.environ
    token = environ.get("GITHUB_TOKEN") or environ.get("GH_TOKEN") or ""
    given = {
        "check-name": parsed.check_name,
        "config": parsed.config or "",
        "comment": parsed.comment or "",
        "github-token": token,
    }
    settings = inputs.from_inputs({inputs.variable(key): given[key] for key in given})
    if not isinstance(settings, Settings):
        raise StopError("; ".join(problem.message for problem in settings))
    posted = post(settings, assembling.around(workspace.here(), environ))
    for level, message in posted.remarks:
        sys.stderr.write(terminal.line(f"{level}: {message}") + "\n")
    sys.stdout.write(terminal.line(posted.told) + "\n")
    return posted.code


def post(settings: Settings, around: Surroundings) -> Posted:
    """Find the report and the pull request of the run that finished, and comment there."""
    run = _finished(around)
    if run.event != "pull_request":
        why = f"the run was started by `{run.event}`"
        return _nothing(f"{why}, and only pull requests get a comment")
    github = _connected(settings, around)
    with github:
        pulls = github.pull_requests(run.head_sha, owner=run.owner, branch=run.branch)
        if isinstance(pulls, GitHubTrouble):
            return _failed(pulls)
        if not pulls:
            return _nothing(f"no open pull request has the head `{run.head_sha[:12]}` any more")
        pulls = tuple(pull for pull in pulls if _is_a_strangers(pull, run, around))
        if not pulls:
            return _nothing("the runs of this repository's own branches comment by themselves")
        data = _artifact(github, settings, run)
        if data is None:
            return _without_report(run)
        report = json_report.load(data)
        if isinstance(report, Problem):
            raise StopError(f"the report of run {run.id} is refused: {report.message}")
        return _post(github, settings, around, run=run, report=report, pulls=pulls)


def _finished(around: Surroundings) -> FinishedRun:
    if around.event.name != "workflow_run":
        raise StopError(
            f"`publish` posts what another workflow has found, on the event `workflow_run`; this "
            f"is {f'`{around.event.name}`' if around.event.name else 'no event of GitHub Actions'}"
        )
    run = finished_runs.read(around.environ)
    if isinstance(run, Problem):
        raise StopError(run.message)
    return run


def _connected(settings: Settings, around: Surroundings) -> GitHub:
    github = connecting.connect(settings, around.event, around.environ)
    if isinstance(github, GitHub):
        return github
    why = github.message if github is not None else "can't use GitHub"
    raise StopError(why, code=ExitCode.PUBLISH_FAILED)


def _is_a_strangers(pull: PullRequest, run: FinishedRun, around: Surroundings) -> bool:
    """Whether its own run got a token that can't comment; else that run's word stands."""
    if run.repository is None or run.repository != around.event.repository:
        return True
    return events.DEPENDABOT in {*run.actors, pull.author}


def _artifact(github: GitHub, settings: Settings, run: FinishedRun) -> bytes | None:
    name = artifacts.report_name(settings.check_name)
    found = github.artifact(run.id, name, _REPORT, limit=json_report.STRANGERS_LIMIT)
    if not isinstance(found, GitHubTrouble):
        return found
    hostile = found.kind is TroubleKind.REJECTED
    code = ExitCode.INVALID if hostile else ExitCode.PUBLISH_FAILED
    raise StopError(f"the report of run {run.id} can't be had: {found.message}", code=code)


def _without_report(run: FinishedRun) -> Posted:
    if run.conclusion in {"cancelled", "skipped"}:
        return _nothing(f"the run {run.id} was {run.conclusion} and left no report")
    message = (
        f"the run {run.id} has left no report, or it has expired: its step needs "
        "`upload-artifact: true`, and the same `check-name` as this one"
    )
    return Posted(
        code=ExitCode.PUBLISH_FAILED, told="nothing was posted", remarks=((Level.WARNING, message),)
    )


def _post(
    github: GitHub,
    settings: Settings,
    around: Surroundings,
    *,
    run: FinishedRun,
    report: Report,
    pulls: tuple[PullRequest, ...],
) -> Posted:
    """To each pull request with this head, by the policy of its own base."""
    posted = [_to(github, settings, around, run=run, report=report, pull=pull) for pull in pulls]
    worst = max(posted, key=lambda one: one.code)
    return replace(worst, remarks=tuple(remark for one in posted for remark in one.remarks))


def _to(
    github: GitHub,
    settings: Settings,
    around: Surroundings,
    *,
    run: FinishedRun,
    report: Report,
    pull: PullRequest,
) -> Posted:
    config = _policy(github, settings, pull)
    if isinstance(config, str):
        return Posted(
            code=ExitCode.PUBLISH_FAILED,
            told="nothing was posted",
            remarks=((Level.WARNING, config),),
        )
    prefix = "" if settings.working_directory == "." else settings.working_directory
    report = recomputing.recompute(report, config, run, prefix=prefix)
    mode = settings.comment or config.comment
    shown = _presentation(settings, around, run, responses=_responses(config, around))
    outcome = github.comment(
        pull.number,
        comment.draw(report, shown),
        mode=mode,
        noteworthy=comment_modes.is_noteworthy(report, mode),
    )
    return _told(outcome, report, pull, summary.draw(report, shown))


def _policy(github: GitHub, settings: Settings, pull: PullRequest) -> Config | str:
    """The configuration of the pull request's base; or why it can't be had."""
    folder = "" if settings.working_directory == "." else f"{settings.working_directory}/"
    for name in [settings.config] if settings.config else locating.PLACES:
        data = github.read(f"{folder}{name}", pull.base_sha, limit=_CONFIG_BYTES)
        if isinstance(data, bytes):
            parsed = configs.parse(
                data, path=name, explain=plugins.explain, installed=plugins.installed
            )
            if parsed.config is None:
                return f"`{name}` of the base is invalid: nothing can be decided by it"
            return parsed.config
        if data.kind is not TroubleKind.NOT_FOUND:
            return data.message
    return Config(path=None, digest="")


def _responses(config: Config, around: Surroundings) -> Responses:
    if around.event.public and not config.responses_said:
        return Responses.NONE
    return config.responses


def _presentation(
    settings: Settings, around: Surroundings, run: FinishedRun, *, responses: Responses
) -> Presentation:
    page = connecting.repository_page(around.event, around.environ)
    return Presentation(
        key=settings.check_name,
        responses=responses,
        repository_url=page,
        run_url=connecting.run_page(page, run.id),
        reported=True,
    )


def _told(outcome: PublishOutcome, report: Report, pull: PullRequest, drawn: str) -> Posted:
    trouble = outcome.trouble
    refused = outcome.state is PublishState.REFUSED
    known = {**outputs.values(report, report_path=""), "comment-url": outcome.url or ""}
    said = "the comment was not posted" if refused else _SAID[outcome.state]
    return Posted(
        code=ExitCode.PUBLISH_FAILED if refused else ExitCode.PASSED,
        told=f"pull request {pull.number}: {said}",
        outputs={**known, "exit-code": str(int(ExitCode.PUBLISH_FAILED))} if refused else known,
        summary=drawn,
        remarks=((Level.WARNING, trouble.message),) if trouble is not None else (),
    )


def _nothing(why: str) -> Posted:
    return Posted(code=ExitCode.PASSED, told=f"nothing to post: {why}")


def _failed(trouble: GitHubTrouble) -> Posted:
    return Posted(
        code=ExitCode.PUBLISH_FAILED,
        told="nothing was posted",
        remarks=((Level.WARNING, trouble.message),),
    )
