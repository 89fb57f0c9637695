"""A command in, what it printed out: bounded in time and size, its descendants ended with it."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

_CHUNK = 64 * 1024
_STDERR_LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A process that ended by itself."""

    code: int
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """A process that couldn't be started or had to be ended, and why: the end of a sentence."""

    reason: str


class Run(Protocol):
    """Runs a command to its end."""

    def __call__(
        self,
        argv: Sequence[str],
        /,
        *,
        cwd: Path,
        environ: Mapping[str, str],
        timeout_s: float,
        limit: int,
    ) -> Finished | Stopped:
        """Run `argv` without a shell and without input; at most `limit` bytes of output."""
        ...


def run(
    argv: Sequence[str], /, *, cwd: Path, environ: Mapping[str, str], timeout_s: float, limit: int
) -> Finished | Stopped:
    """Run `argv` with pipes of its own: nothing that it prints reaches ours."""
    try:
        process = subprocess.Popen(  # noqa: S603 - argv from our own code, never a shell
            list(argv),
            cwd=cwd,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Stopped(reason=f"could not be started: {error}")
    try:
        return _collect(process, deadline=time.monotonic() + timeout_s, limit=limit)
    finally:
        _end(process)


def _collect(
    process: subprocess.Popen[bytes], *, deadline: float, limit: int
) -> Finished | Stopped:
    out, err = bytearray(), bytearray()
    with selectors.DefaultSelector() as waiting:
        for stream, buffer in ((process.stdout, out), (process.stderr, err)):
            if stream is not None:
                waiting.register(stream, selectors.EVENT_READ, buffer)
        while waiting.get_map():
            ready = waiting.select(timeout=max(0.0, deadline - time.monotonic()))
            if not ready:
                return Stopped(reason="took too long")
            for key, _ in ready:
                _take(waiting, key)
            if len(out) > limit:
                return Stopped(reason=f"printed more than {limit} bytes")
            del err[:-_STDERR_LIMIT]
    try:
        code = process.wait(timeout=max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return Stopped(reason="took too long")
    return Finished(code=code, stdout=bytes(out), stderr=bytes(err))


def _take(waiting: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    stream: IO[bytes] = key.fileobj  # type: ignore[assignment]
    data = os.read(stream.fileno(), _CHUNK)
    if data:
        key.data.extend(data)
    else:
        waiting.unregister(stream)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End whatever is left of the process group, and reap the process."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            process.kill()
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
