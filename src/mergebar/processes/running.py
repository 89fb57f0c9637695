"""Runs one process to its end: argv and a line in; what it printed, and how it ended, out.

It must not know what the line means. Whatever the process does (print without end, ignore its
input, leave children that hold the pipes), this ends within the timeout and leaves nothing behind.
"""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mergebar.processes import descendants, privileges, watching

STDERR_TAIL = 64 * 1024
"""So much is kept of stderr: more than is shown, for it is redacted before it is cut."""

_LINGER_S = 1.0
"""How long a pipe is read on after the process has ended and its group was killed."""

_STDIN, _STDOUT = 0, 1


class End(StrEnum):
    """How it came to an end: by itself, or by us."""

    EXITED = "exited"
    TIMED_OUT = "timed-out"
    TOO_MUCH = "too-much"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """`returncode` is negative for a signal; `stderr` is its tail, whatever its bytes were."""

    end: End
    returncode: int | None
    stdout: bytes
    stderr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What to start, where, and within which bounds.

    `log_limit` bounds what it prints on stderr, of which only the last `log_tail` bytes are kept.
    """

    argv: Sequence[str]
    cwd: Path
    environ: Mapping[str, str]
    timeout_s: float
    output_limit: int
    log_limit: int | None = None
    log_tail: int = STDERR_TAIL


class _Watch(asyncio.SubprocessProtocol):
    """Collects what the process prints. Its end is told by `exited`, not by the pipes' end."""

    def __init__(self, start: Start) -> None:
        self.exited = asyncio.Event()
        self.drained = asyncio.Event()
        self.stopped = asyncio.Event()
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.overflowed = False
        self._limit = start.output_limit
        self._log_room = start.log_limit
        self._log_tail = start.log_tail

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != _STDOUT:
            self.stderr += data
            del self.stderr[: -self._log_tail - 1]
            if self._log_room is not None:
                self._log_room -= len(data)
                self._bound(exceeded=self._log_room < 0)
        elif not self.overflowed:
            self.stdout += data
            self._bound(exceeded=len(self.stdout) > self._limit)

    def _bound(self, *, exceeded: bool) -> None:
        if exceeded:
            self.overflowed = True
            self.stopped.set()

    def process_exited(self) -> None:
        self.exited.set()
        self.stopped.set()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.drained.set()


def tail(stderr: bytearray, kept: int) -> str:
    """The end of stderr as text, with an ellipsis where something was cut off before it."""
    text = stderr[-kept:].decode("utf-8", "replace")
    return f"…{text}" if len(stderr) > kept else text


async def run(start: Start, line: bytes) -> Ended:
    """Start it in a process group of its own, give it the line, and wait for its end.

    In our container it runs as a user without rights.

    Raises OSError or ValueError when it can't be started. A cancellation kills it.
    """
    environ, options = privileges.lowered(start.environ)
    lineage = descendants.begin(options.get("user"))
    watching.PROCESS.begun(lineage)
    transport, watch = await asyncio.get_running_loop().subprocess_exec(
        lambda: _Watch(start),
        *start.argv,
        cwd=start.cwd,
        env=environ,
        start_new_session=True,
        preexec_fn=lineage.prepare,
        **options,
    )
    try:
        _give(transport, line)
        end = await _wait(watch, start.timeout_s)
    finally:
        await _end(transport, watch, lineage)
    return Ended(
        end=end,
        returncode=transport.get_returncode(),
        stdout=bytes(watch.stdout),
        stderr=tail(watch.stderr, start.log_tail),
    )


def _give(transport: asyncio.SubprocessTransport, line: bytes) -> None:
    stdin = transport.get_pipe_transport(_STDIN)
    if isinstance(stdin, asyncio.WriteTransport):
        stdin.write(line)
        stdin.write_eof()


async def _wait(watch: _Watch, timeout_s: float) -> End:
    try:
        async with asyncio.timeout(timeout_s):
            await watch.stopped.wait()
    except TimeoutError:
        return End.TIMED_OUT
    return End.TOO_MUCH if watch.overflowed else End.EXITED


async def _end(
    transport: asyncio.SubprocessTransport, watch: _Watch, lineage: descendants.Lineage
) -> None:
    """Kill whatever it left, read what is still in the pipes, and let go of them."""
    lineage.end(transport.get_pid() if transport.get_returncode() is None else None)
    watching.PROCESS.over(lineage)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(transport.get_pid(), signal.SIGKILL)
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_S):
                await watch.drained.wait()
    finally:
        transport.close()
