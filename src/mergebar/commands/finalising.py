"""A gate's check run from its start to its end: whatever comes in between, it doesn't hang.

A runner that cancels sends SIGINT, after 7.5 seconds SIGTERM, and 2.5 seconds later it kills.
"""

import signal
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from mergebar.edge.github.surface import GitHub
from mergebar.errors import StopError
from mergebar.model.publishing import (
    CheckRun,
    CheckRunOutput,
    Conclusion,
    GitHubTrouble,
    PublishOutcome,
    PublishState,
)
from mergebar.report import check_run

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_CANCELLED = "The run was cancelled before there was a verdict."
_BUG = "mergebar failed by a bug of its own; the log has what to report."


def listen() -> None:
    """Let both signals raise `KeyboardInterrupt`: as PID 1 we'd never see SIGTERM otherwise."""
    for number in _SIGNALS:
        signal.signal(number, signal.default_int_handler)


def deafen() -> None:
    """Finish what is being finished; the runner's next signal is its last."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


class Watched:
    """A check run that is ended on leaving the block, with what ended the block.

    `started` is what came of starting it; `None` where none was asked for. `author` is the login
    that the token speaks for, where GitHub has told it.
    """

    def __init__(self, github: GitHub | None, started: CheckRun | GitHubTrouble | None) -> None:
        self._github = github
        self._run = started if isinstance(started, CheckRun) else None
        self.trouble = started if isinstance(started, GitHubTrouble) else None
        self.url = self._run.url if self._run is not None else ""
        self.author = self._run.author if self._run is not None else None

    def __enter__(self) -> Self:
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
        """Complete it with all that there is to say; `None` where there is none."""
        return self._end(
            lambda github, run: github.complete_check_run(
                run, conclusion=conclusion, completed_at=now(), output=output
            ),
            self._github,
        )

    def cancel(self, output: CheckRunOutput | None = None) -> PublishOutcome | None:
        """Complete it within the seconds that are left, over a connection that isn't waited for."""
        deafen()
        if self._github is None:
            return None
        with self._github.hurried() as hurried:
            shown = output or check_run.ended("Cancelled", _CANCELLED)
            return self._end(
                lambda github, run: github.complete_check_run(
                    run, conclusion=Conclusion.CANCELLED, completed_at=now(), output=shown
                ),
                hurried,
            )

    def _end(
        self, send: Callable[[GitHub, CheckRun], PublishOutcome], github: GitHub | None
    ) -> PublishOutcome | None:
        """Send it once: afterwards there is nothing left to end."""
        if self._run is None or github is None:
            return None
        outcome = send(github, self._run)
        if outcome.state is PublishState.UPDATED:
            self._run = None
        return outcome


def now() -> str:
    """RFC 3339 in UTC, as GitHub wants its times."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
