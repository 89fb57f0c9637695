"""A process that answers lines with lines: questions in, answers out, each within its time.

It must not know what a line means. A process that is late or dies is ended; the next question
starts another one.
"""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from mergebar.processes import descendants, privileges, watching

_READY = b"ready\n"
_START_S = 30.0
_LONGEST_ANSWER = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """There is no answer. `late`: the process was ended because its time was over."""

    message: str
    late: bool = False


class Worker:
    """One process at a time; questions wait for one another.

    The process says `ready` on a line of its own once it takes questions.
    """

    def __init__(self, argv: Sequence[str], *, environ: Mapping[str, str]) -> None:
        self._argv = tuple(argv)
        self._environ = dict(environ)
        self._process: Process | None = None
        self._lineage: descendants.Lineage | None = None
        self._turn = asyncio.Lock()

    async def ask(self, line: bytes, *, timeout_s: float) -> bytes | Lost:
        """The answer to a line, without its end. Starting the process isn't on the clock."""
        async with self._turn:
            process = self._process or await self._start()
            if isinstance(process, Lost):
                return process
            answered = False
            try:
                async with asyncio.timeout(timeout_s):
                    answer = await _exchange(process, line)
                answered = isinstance(answer, bytes)
                return answer if isinstance(answer, bytes) else await self._died(process, answer)
            except TimeoutError:
                return Lost(message=f"took longer than {timeout_s:g} s", late=True)
            finally:
                if not answered:
                    await self._end()

    async def aclose(self) -> None:
        """End the process."""
        await self._end()

    async def _start(self) -> Process | Lost:
        try:
            environ, options = privileges.lowered(self._environ)
            lineage = descendants.begin(options.get("user"))
            watching.PROCESS.begun(lineage)
            process = await asyncio.create_subprocess_exec(
                *self._argv,
                env=environ,
                stdin=PIPE,
                stdout=PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                limit=_LONGEST_ANSWER,
                preexec_fn=lineage.prepare,
                **options,
            )
        except (OSError, ValueError) as error:
            return Lost(message=f"could not be started: {error}")
        self._process, self._lineage = process, lineage
        ready = False
        try:
            async with asyncio.timeout(_START_S):
                ready = await _line(process) == _READY
        except TimeoutError:
            pass
        finally:
            if not ready:
                await self._end()
        return process if ready else Lost(message="did not start")

    async def _died(self, process: Process, trouble: Lost) -> Lost:
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                code = await process.wait()
                return Lost(message=f"{trouble.message} ({code})")
        return trouble

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if self._lineage is not None:
            self._lineage.end(process.pid if process.returncode is None else None)
            watching.PROCESS.over(self._lineage)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


async def _exchange(process: Process, line: bytes) -> bytes | Lost:
    stdin = process.stdin
    if stdin is None:
        return Lost(message="takes no questions")
    try:
        stdin.write(line + b"\n")
        await stdin.drain()
        answer = await _line(process)
    except (OSError, ValueError):
        answer = b""
    return answer[:-1] if answer.endswith(b"\n") else Lost(message="ended without an answer")


async def _line(process: Process) -> bytes:
    return await process.stdout.readline() if process.stdout is not None else b""
