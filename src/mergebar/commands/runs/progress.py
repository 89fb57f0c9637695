"""Progress in; what people see of it on stderr out: a bar on a terminal, lines in a log.

Nothing of it is a result: stdout is never touched.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TextIO

from mergebar.reading.sentences import counted
from mergebar.running import Progress, SuiteProgress
from mergebar.untrusted import terminal

HEARTBEAT_S = 30.0
_REDRAWN_S = 1.0
_WIDTH = 24
_CLEAR = "\r\x1b[2K"

Sleep = Callable[[float], Awaitable[object]]


class Tell(Protocol):
    """Takes progress as it comes."""

    def __call__(self, progress: Progress, /) -> None:
        """Show it, or not."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """Who watches a run. `pulse` returns whenever it is time to tell, though nothing happened."""

    tell: Tell | None = None
    pulse: Callable[[], Awaitable[object]] | None = None


def here(environ: Mapping[str, str], *, quiet: bool = False) -> Watching:
    """Whoever watches this process."""
    return watching(sys.stderr, environ, quiet=quiet, clock=time.monotonic, sleep=asyncio.sleep)


def watching(
    stream: TextIO,
    environ: Mapping[str, str],
    *,
    quiet: bool,
    clock: Callable[[], float],
    sleep: Sleep,
) -> Watching:
    """A bar for somebody at a terminal, lines for the log of a CI, nothing for those who wish so.

    Elsewhere only what isn't expected is said: that this run goes on with another.
    """
    if quiet:
        return Watching()
    if environ.get("CI"):
        return Watching(tell=Log(stream, clock), pulse=lambda: sleep(HEARTBEAT_S))
    if stream.isatty() and environ.get("TERM") != "dumb":
        return Watching(tell=Bar(stream, clock), pulse=lambda: sleep(_REDRAWN_S))
    return Watching(tell=Log(stream, clock, brief=True))


class Bar:
    """One line that is drawn over, and gone when the run ends."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._started = clock()
        self._drawn = ""
        self._begun = False

    def __call__(self, progress: Progress, /) -> None:
        """Draw it anew, where anything changed."""
        if progress.before and not self._begun:
            _say(self._stream, f"{_CLEAR}{resumed(progress)}\n")
        self._begun = True
        is_over = progress.done == progress.total
        line = "" if is_over else self._line(progress)
        if line != self._drawn:
            self._drawn = line
            _say(self._stream, f"{_CLEAR}{line}")

    def _line(self, progress: Progress) -> str:
        filled = progress.done * _WIDTH // max(1, progress.total)
        bar = "█" * filled + "░" * (_WIDTH - filled)
        parts = [f"{progress.done} of {progress.total} checks", *_troubles(progress)]
        return f"{bar} {' · '.join(parts)} · {duration(self._clock() - self._started)}"


class Log:
    """A line for each finished suite, and a sign of life now and then; `brief`: neither of them."""

    def __init__(self, stream: TextIO, clock: Callable[[], float], *, brief: bool = False) -> None:
        self._stream = stream
        self._clock = clock
        self._brief = brief
        self._started = clock()
        self._begun = False

    def __call__(self, progress: Progress, /) -> None:
        """Say it, if it is worth a line."""
        if progress.before and not self._begun:
            self._line(resumed(progress))
        self._begun = True
        if self._brief:
            return
        if progress.finished is not None:
            self._line(f"{_suite(progress.finished)} ({progress.done} of {progress.total})")
        elif progress.beat:
            parts = [f"{progress.done} of {progress.total} checks", *_troubles(progress)]
            elapsed = duration(self._clock() - self._started)
            self._line(f"still running after {elapsed}: {', '.join(parts)}")

    def _line(self, text: str) -> None:
        _say(self._stream, terminal.line(text) + "\n")


def resumed(progress: Progress) -> str:
    """Said once, where a run doesn't begin at nothing."""
    known = f"{progress.before} of {progress.total} checks are measured"
    return f"going on with the interrupted run of this plan: {known} (`--no-cache` starts anew)"


def duration(seconds: float) -> str:
    """`9 s`, `2 min 5 s`, `1 h 2 min`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _suite(suite: SuiteProgress) -> str:
    counts = [counted(suite.done, "check")]
    counts += [f"{suite.failed} failed"] if suite.failed else []
    counts += [f"{suite.errors} not measured"] if suite.errors else []
    return f"{suite.path}: {', '.join(counts)}"


def _troubles(progress: Progress) -> list[str]:
    counts = (
        (progress.failed, "failed"),
        (progress.errors, "not measured"),
        (progress.running, "running"),
        (progress.throttled, "throttled"),
    )
    return [f"{number} {word}" for number, word in counts if number]


def _say(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):
        return  # whoever listened went away, which changes nothing
