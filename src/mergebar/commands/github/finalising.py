"""A gate's check run from its start to its end: whatever comes in between, it doesn't hang.

A runner that cancels sends SIGINT, after 7.5 seconds SIGTERM, and 2.5 seconds later it kills.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from mergebar.commands import interrupts
from mergebar.edge.github.repository import GitHub
from mergebar.edge.github.waiting import REAL, Clock
from mergebar.errors import StopError
from mergebar.model.publishing import (
    CheckRun,
    CheckRunOutput,
    Conclusion,
    GitHubTrouble,
    PublishOutcome,
    PublishState,
    TroubleKind,
)
from mergebar.report import check_run

_CANCELLED = "The run was cancelled before there was a verdict."
_BUG = "mergebar failed by a bug of its own; the log has what to report."
_PASSING = {TroubleKind.UNAVAILABLE, TroubleKind.RATE_LIMITED}
_LOOKS = 5
_BETWEEN_LOOKS_S = 1.0
"""All of them and the end take less than the runner leaves before its second signal."""


def listen() -> None:
    """Let the signals raise `KeyboardInterrupt`: as PID 1 we'd never see SIGTERM otherwise."""
    interrupts.PROCESS.listen()


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """What a check run is started with, and by which it is found again."""

    name: str
    head_sha: str
    external_id: str
    details_url: str


class Watched:
    """A check run that is started on entering the block, and ended on leaving it in any way.

    `beginning` is `None` where none is asked for. Inside of the block, `trouble` is why there is
    none, and `author` the login that the token speaks for, where GitHub has told it.
    """

    def __init__(
        self, github: GitHub | None, beginning: Beginning | None, *, clock: Clock = REAL
    ) -> None:
        self._github = github
        self._beginning = beginning
        self._clock = clock
        self._run: CheckRun | None = None
        self.trouble: GitHubTrouble | None = None
        self.url = ""
        self.author: str | None = None

    def __enter__(self) -> Self:
        if self._github is None or self._beginning is None:
            return self
        try:
            started = _start(self._github, self._beginning)
        except KeyboardInterrupt:
            interrupts.deafen()
            self._cancel_started(self._github, self._beginning)
            raise
        if isinstance(started, GitHubTrouble):
            self.trouble = started
        else:
            self._run = started
            self.url, self.author = started.url, started.author
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._run is None:
            return
        if isinstance(error, KeyboardInterrupt):
            self.cancel()
        elif isinstance(error, StopError):
            self.finish(Conclusion.FAILURE, check_run.ended("Invalid", error.message))
        elif error is not None:
            self.finish(Conclusion.FAILURE, check_run.ended("Could not evaluate", _BUG))

    def finish(self, conclusion: Conclusion, output: CheckRunOutput) -> PublishOutcome | None:
        """Complete it with all that there is to say; `None` where there is none.

        Where GitHub has used up our patience before, at least the conclusion gets one more try.
        """
        outcome = self._end(self._github, conclusion, output)
        trouble = None if outcome is None else outcome.trouble
        if self._github is None or self._run is None or trouble is None:
            return outcome
        if trouble.kind not in _PASSING:
            return outcome
        with self._github.hurried() as hurried:
            late = self._end(hurried, conclusion, replace(output, annotations=()))
        return outcome if late is None else replace(late, trouble=trouble)

    def cancel(self, output: CheckRunOutput | None = None) -> PublishOutcome | None:
        """Complete it as cancelled within the seconds that are left."""
        shown = output or check_run.ended("Cancelled", _CANCELLED)
        return self.hurry(Conclusion.CANCELLED, shown)

    def hurry(self, conclusion: Conclusion, output: CheckRunOutput) -> PublishOutcome | None:
        """Complete it over a connection that isn't waited for."""
        interrupts.deafen()
        if self._github is None:
            return None
        with self._github.hurried() as hurried:
            return self._end(hurried, conclusion, output)

    def _cancel_started(self, github: GitHub, beginning: Beginning) -> None:
        """Interrupted while it was started: it may be there, or be there in a moment."""
        with github.hurried() as hurried:
            for look in range(_LOOKS):
                self._clock.sleep(_BETWEEN_LOOKS_S if look else 0)
                found = hurried.find_check_run(
                    name=beginning.name,
                    head_sha=beginning.head_sha,
                    external_id=beginning.external_id,
                )
                if isinstance(found, CheckRun):
                    self._run = found
                    self._end(
                        hurried, Conclusion.CANCELLED, check_run.ended("Cancelled", _CANCELLED)
                    )
                if found is not None:
                    return

    def _end(
        self, github: GitHub | None, conclusion: Conclusion, output: CheckRunOutput
    ) -> PublishOutcome | None:
        """Send it once: afterwards there is nothing left to end."""
        if self._run is None or github is None:
            return None
        outcome = github.complete_check_run(
            self._run, conclusion=conclusion, completed_at=now(), output=output
        )
        if outcome.state is PublishState.UPDATED:
            self._run = None
        return outcome


def now() -> str:
    """RFC 3339 in UTC, as GitHub wants its times."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _start(github: GitHub, beginning: Beginning) -> CheckRun | GitHubTrouble:
    return github.start_check_run(
        name=beginning.name,
        head_sha=beginning.head_sha,
        external_id=beginning.external_id,
        details_url=beginning.details_url,
        started_at=now(),
    )
