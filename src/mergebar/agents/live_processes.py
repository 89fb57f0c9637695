"""A process that is kept for several turns: a line in, what it printed by then, out.

It must not know what a line means. However it ends, nothing of its group is left behind.
"""

import asyncio
import os
import signal
from contextlib import suppress

from mergebar.processes import descendants, privileges, watching
from mergebar.processes.running import End, Ended, Start, tail

_GRACE_S = 1.0
"""How long a process may take to end by itself after its last answer."""

_LINGER_S = 1.0
"""How long a pipe is read on after the process has ended and its group was killed."""

_STDIN, _STDOUT = 0, 1


class _Watch(asyncio.SubprocessProtocol):
    """Collects what is printed. `moved` is set by each line, by the end and by too much."""

    def __init__(self, start: Start) -> None:
        self.moved = asyncio.Event()
        self.exited = asyncio.Event()
        self.drained = asyncio.Event()
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.overflowed = False
        self._start = start

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to come of it."""
        return self.overflowed or self.exited.is_set()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != _STDOUT:
            self.stderr += data
            del self.stderr[: -self._start.log_tail - 1]
        elif not self.overflowed:
            self.stdout += data
            self.overflowed = len(self.stdout) > self._start.output_limit
            if self.overflowed or b"\n" in data:
                self.moved.set()

    def process_exited(self) -> None:
        self.exited.set()
        self.moved.set()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.drained.set()


class LiveProcess:
    """One process of its own group, asked one line at a time."""

    def __init__(
        self,
        start: Start,
        transport: asyncio.SubprocessTransport,
        watch: _Watch,
        lineage: descendants.Lineage,
    ) -> None:
        self._start = start
        self._lineage = lineage
        self._transport = transport
        self._watch = watch
        self._let_go = False

    @classmethod
    async def begin(cls, start: Start) -> "LiveProcess":
        """Start it. Raises OSError or ValueError when it can't be started."""
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
        return cls(start, transport, watch, lineage)

    async def ask(self, line: bytes, *, last: bool) -> tuple[Ended, bool]:
        """What it printed until it had ended a line, and whether it can be asked again.

        What it printed unasked since the answer before comes first. After the `last` line its
        input ends; then it has a moment to end as well, and its exit code counts.
        """
        self._watch.moved.clear()
        if self._watch.is_over:
            self._watch.moved.set()
        stdin = self._transport.get_pipe_transport(_STDIN)
        if isinstance(stdin, asyncio.WriteTransport):
            stdin.write(line)
            if last:
                stdin.write_eof()
        try:
            async with asyncio.timeout(self._start.timeout_s):
                await self._watch.moved.wait()
        except TimeoutError:
            await self.end()
            return self._ended(End.TIMED_OUT), False
        if not last and not self._watch.is_over:
            return self._answered(), True
        by_itself = self._watch.overflowed or await self._exits()
        await self.end()
        ended = self._ended(End.TOO_MUCH if self._watch.overflowed else End.EXITED)
        return ended if by_itself else self._answered(ended), False

    async def end(self) -> None:
        """Kill whatever is left of the group, read what is still in the pipes, and let go."""
        if self._let_go:
            return
        self._let_go = True
        alive = self._transport.get_returncode() is None
        self._lineage.end(self._transport.get_pid() if alive else None)
        watching.PROCESS.over(self._lineage)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._transport.get_pid(), signal.SIGKILL)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LINGER_S):
                    await self._watch.drained.wait()
        finally:
            self._transport.close()

    async def _exits(self) -> bool:
        try:
            async with asyncio.timeout(_GRACE_S):
                await self._watch.exited.wait()
        except TimeoutError:
            return False
        return True

    def _ended(self, end: End) -> Ended:
        return Ended(
            end=end,
            returncode=self._transport.get_returncode(),
            stdout=bytes(self._watch.stdout),
            stderr=tail(self._watch.stderr, self._start.log_tail),
        )

    def _answered(self, ended: Ended | None = None) -> Ended:
        """As if it had ended well: it is alive, or was ended by us after its last answer."""
        stdout = bytes(self._watch.stdout) if ended is None else ended.stdout
        if ended is None:
            self._watch.stdout.clear()
        return Ended(
            end=End.EXITED,
            returncode=0,
            stdout=stdout,
            stderr=tail(self._watch.stderr, self._start.log_tail),
        )
