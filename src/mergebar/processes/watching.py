"""A process that begins or ends in; a watcher beside us, told of it, so that none outlives us."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from mergebar.processes import first_process, watcher
from mergebar.processes.descendants import Lineage

_ARGV = (sys.executable, "-I", "-m", "mergebar.processes.watcher")


class Watcher:
    """Started for the first process that can be told by its mark. It ends with us."""

    def __init__(self) -> None:
        self._pipe: int | None = None

    def begun(self, lineage: Lineage) -> None:
        """It is about to be started."""
        if lineage.mark is None or first_process.PROCESS.ends_with_us:
            return
        if self._pipe is None:
            self._start()
        self._tell(f"{watcher.BEGUN} {lineage.mark.decode()} {lineage.since} {lineage.newest}\n")

    def over(self, lineage: Lineage) -> None:
        """It has ended, and what it had started too."""
        if lineage.mark is not None:
            self._tell(f"{watcher.OVER} {lineage.mark.decode()}\n")

    def _start(self) -> None:
        """In a session of its own: what a terminal sends to us isn't for it."""
        with suppress(OSError, NotImplementedError):  # not every libc begins sessions
            outer, inner = os.pipe()
            try:
                os.posix_spawn(_ARGV[0], _ARGV, {}, file_actions=_streams(outer), setsid=True)
            except BaseException:
                os.close(inner)
                raise
            finally:
                os.close(outer)
            os.set_blocking(inner, False)
            self._pipe = inner

    def _tell(self, line: str) -> None:
        """Nobody waits for it, and who can't be told is gone."""
        if self._pipe is not None:
            with suppress(OSError):
                os.write(self._pipe, line.encode())


def _streams(pipe: int) -> Sequence[tuple[int, ...] | tuple[int, int, str, int, int]]:
    """It reads the pipe, and says nothing to anybody."""
    nowhere = [(os.POSIX_SPAWN_OPEN, at, os.devnull, os.O_WRONLY, 0) for at in (1, 2)]
    return [(os.POSIX_SPAWN_DUP2, pipe, 0), *nowhere]


PROCESS = Watcher()
"""That of this process."""
