"""A finished run in; artifact, comment and check run out, in this order, each for itself.

A step that fails is said and hides nothing of the rest. The verdict is told already by then.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass, field, replace

import httpx

from mergebar import gating
from mergebar.calling.proxied import Transport
from mergebar.calling.timing import REAL
from mergebar.commands import interrupts
from mergebar.commands.github import connecting
from mergebar.commands.github.finalising import Watched
from mergebar.commands.runs.assembling import Surroundings
from mergebar.commands.runs.gate import Measured
from mergebar.edge import artifacts
from mergebar.edge.artifacts import ArtifactTrouble, Limits, Uploaded
from mergebar.edge.events import Event
from mergebar.edge.github import comment_modes
from mergebar.edge.github.repository import GitHub
from mergebar.errors import ExitCode
from mergebar.model.configuration import Config, Mode
from mergebar.model.problems import Level
from mergebar.model.publishing import (
    CheckRunOutput,
    CommentMode,
    Conclusion,
    GitHubTrouble,
    PublishOutcome,
    TroubleKind,
    refused,
)
from mergebar.report import check_run, comment
from mergebar.report.presenting import Presentation
from mergebar.settings import Settings

_HURRIED = Limits(attempts=1, total_s=2.0)
_LEFT_OUT = (
    "the run was cancelled when everything had been measured: its verdict stands, and the comment "
    "may be that of an earlier run"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a run is published on. `started_on` is the event as GitHub states it.

    `github` is `None` outside of GitHub Actions, and trouble where it can't be used.
    """

    settings: Settings
    around: Surroundings
    started_on: Event
    github: GitHub | GitHubTrouble | None
    watched: Watched


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """`outputs` are those that only now are known; `remarks` is what to say, and how loudly.

    `failed`: something that was asked for isn't there. `listed`: the check run has the remarks on
    lines.
    """

    outputs: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[tuple[Level, str], ...] = ()
    failed: bool = False
    listed: bool = False


@dataclass(slots=True, kw_only=True)
class _Sent:
    """What came of it so far. `told`: whoever is to have a comment has it, or can't."""

    uploaded: Uploaded | ArtifactTrouble | None = None
    commented: PublishOutcome | None = None
    told: bool = False


def publish(
    measured: Measured, presentation: Presentation, config: Config, occasion: Occasion
) -> Published:
    """Everything, as far as it is asked for and allowed.

    The verdict is told already, so a signal changes nothing of it: what is left is hurried, and
    there is no comment then.
    """
    sent = _Sent()
    try:
        _send(sent, measured, presentation, config, occasion)
        published = _end(sent, measured, presentation, config, occasion, hurried=False)
        interrupts.PROCESS.hold(interrupts.nothing)
    except KeyboardInterrupt:
        interrupts.deafen()
        environ = occasion.around.environ
        if not isinstance(sent.uploaded, Uploaded):
            sent.uploaded = upload(measured.files, occasion.settings, environ, limits=_HURRIED)
        published = _end(sent, measured, presentation, config, occasion, hurried=True)
    return published


def _send(
    sent: _Sent, measured: Measured, presentation: Presentation, config: Config, occasion: Occasion
) -> None:
    sent.uploaded = upload(measured.files, occasion.settings, occasion.around.environ)
    if interrupts.PROCESS.release():
        raise interrupts.Interruption
    drawn = _linked(presentation, sent)
    sent.commented = _comment(measured, drawn, config, occasion)
    sent.told = True


def _linked(presentation: Presentation, sent: _Sent) -> Presentation:
    if not isinstance(sent.uploaded, Uploaded):
        return presentation
    return replace(presentation, artifact_url=sent.uploaded.url)


def _end(
    sent: _Sent,
    measured: Measured,
    presentation: Presentation,
    config: Config,
    occasion: Occasion,
    *,
    hurried: bool,
) -> Published:
    """The check run, and an account of all."""
    uploaded, commented = sent.uploaded, sent.commented
    troubles = [one for one in (occasion.watched.trouble, _trouble(commented)) if one is not None]
    failed = bool(troubles) or _is_failure(uploaded) or _is_out_of_reach(config, occasion)
    untold = not sent.told and _is_to_be_told(config, occasion)
    verdict = _verdict(measured, _linked(presentation, sent), occasion, failed=failed or untold)
    end = occasion.watched.hurry if hurried else occasion.watched.finish
    concluded = end(*verdict)
    late = _trouble(concluded)
    troubles += [late] if late is not None else []
    return Published(
        outputs={
            **_of_artifact(uploaded),
            "comment-url": (commented and commented.url) or "",
            "check-run-url": occasion.watched.url,
        },
        remarks=(
            *_said(uploaded),
            *_told(troubles),
            *([(Level.WARNING, _LEFT_OUT)] if untold else ()),
        ),
        failed=failed or untold or late is not None,
        listed=concluded is not None and late is None,
    )


def wind_up(measured: Measured, presentation: Presentation, occasion: Occasion) -> Published:
    """What can be done of an interrupted run in the seconds that the runner leaves.

    The check run comes first, and the pull request gets no comment.
    """
    output = check_run.draw(measured.report, presentation)
    cancelled = replace(output, title=f"Cancelled: {output.title}", annotations=())
    occasion.watched.cancel(cancelled)
    uploaded = upload(measured.files, occasion.settings, occasion.around.environ, limits=_HURRIED)
    return Published(
        outputs={**_of_artifact(uploaded), "check-run-url": occasion.watched.url},
        remarks=_said(uploaded),
    )


def upload(
    files: Mapping[str, bytes],
    settings: Settings,
    environ: Mapping[str, str],
    *,
    limits: Limits | None = None,
) -> Uploaded | ArtifactTrouble | None:
    """The report folder as an artifact; `None` where it isn't wanted, or was interrupted.

    With `limits` it isn't interrupted; without, signals are held until somebody releases them.
    """
    if not settings.upload_artifact:
        return None

    async def send() -> Uploaded | ArtifactTrouble:
        async with httpx.AsyncClient(transport=Transport(environ)) as client:
            return await artifacts.upload(
                files,
                name=artifacts.report_name(settings.check_name),
                environ=environ,
                client=client,
                timing=REAL,
                retention_days=settings.retention_days,
                limits=limits or Limits(),
            )

    return asyncio.run(send() if limits else _until_heard(send()))


async def _until_heard(
    sending: Coroutine[object, object, Uploaded | ArtifactTrouble],
) -> Uploaded | ArtifactTrouble | None:
    """A signal that is raised in the middle of a loop would leave it in ruins."""
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(sending)
    interrupts.PROCESS.hold(lambda: loop.call_soon_threadsafe(task.cancel))
    try:
        return await task
    except asyncio.CancelledError:
        return None
    finally:
        interrupts.PROCESS.hold(interrupts.nothing)


def _comment(
    measured: Measured, presentation: Presentation, config: Config, occasion: Occasion
) -> PublishOutcome | None:
    """The sticky comment of a pull request; `None` where there is nowhere to post it."""
    github, event = occasion.github, occasion.around.event
    mode = _mode(config, occasion)
    if not isinstance(github, GitHub) or mode is CommentMode.NEVER:
        return None
    number = connecting.pull_request(event, github, started_on=occasion.started_on)
    if isinstance(number, GitHubTrouble):
        return refused(number)
    if number is None:
        return None
    return github.comment(
        number,
        comment.draw(measured.report, presentation),
        mode=mode,
        noteworthy=comment_modes.is_noteworthy(measured.report, mode),
        author=occasion.watched.author,
    )


def _mode(config: Config, occasion: Occasion) -> CommentMode:
    return occasion.settings.comment or config.comment


def _is_to_be_told(config: Config, occasion: Occasion) -> bool:
    on_pull_request = occasion.around.event.name == "pull_request"
    return on_pull_request and _mode(config, occasion) is not CommentMode.NEVER


def _is_out_of_reach(config: Config, occasion: Occasion) -> bool:
    """Whether something was to be posted on GitHub, and there is no way to it."""
    wanted = occasion.settings.check_run or _mode(config, occasion) is not CommentMode.NEVER
    return wanted and isinstance(occasion.github, GitHubTrouble)


def _verdict(
    measured: Measured, presentation: Presentation, occasion: Occasion, *, failed: bool
) -> tuple[Conclusion, CheckRunOutput]:
    """What the check run ends with; it fails too where publishing was required and failed."""
    output = check_run.draw(measured.report, presentation)
    conclusion = Conclusion(
        gating.conclusion(measured.report.decision, mode=Mode(measured.report.run.mode))
    )
    if failed and occasion.settings.require_publish and measured.exit_code == ExitCode.PASSED:
        conclusion = Conclusion.FAILURE
        output = replace(output, title=f"{output.title}, but publishing failed")
    return conclusion, output


def _trouble(outcome: PublishOutcome | None) -> GitHubTrouble | None:
    return None if outcome is None else outcome.trouble


def _of_artifact(uploaded: Uploaded | ArtifactTrouble | None) -> Mapping[str, str]:
    if not isinstance(uploaded, Uploaded):
        return {}
    return {"artifact-id": str(uploaded.id), "artifact-url": uploaded.url or ""}


def _is_failure(uploaded: Uploaded | ArtifactTrouble | None) -> bool:
    """A server that has no such service at all is no failure: the report in the workspace it is."""
    if not isinstance(uploaded, ArtifactTrouble):
        return False
    return uploaded.kind is not artifacts.TroubleKind.UNSUPPORTED


def _said(uploaded: Uploaded | ArtifactTrouble | None) -> tuple[tuple[Level, str], ...]:
    if not isinstance(uploaded, ArtifactTrouble):
        return ()
    return ((uploaded.level, uploaded.message),)


def _told(troubles: Iterable[GitHubTrouble]) -> tuple[tuple[Level, str], ...]:
    """One warning for all that a permission is missing for, and one for each other trouble."""
    messages = dict.fromkeys((one.kind is TroubleKind.PERMISSION, one.message) for one in troubles)
    missing = "; ".join(message for permission, message in messages if permission)
    others = [message for permission, message in messages if not permission]
    return tuple((Level.WARNING, message) for message in filter(None, [missing, *others]))
