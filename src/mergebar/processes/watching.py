"""A process that begins or ends in; a watcher beside us, told of it, so that none outlives us."""

import os
import subprocess
import sys
from contextlib import suppress

from mergebar.processes import watcher
from mergebar.processes.descendants import Lineage

_ARGV = (sys.executable, "-I", "-m", "mergebar.processes.watcher")
_INIT = 1


class Watcher:
    """Started for the first process that can be told by its mark. It ends with us."""

    def __init__(self) -> None:
        self._pipe: int | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def begun(self, lineage: Lineage) -> None:
        """It is about to be started."""
        if lineage.mark is None or os.getpid() == _INIT:  # the kernel ends all that is in there
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
        with suppress(OSError):
            outer, self._pipe = os.pipe()
            os.set_blocking(self._pipe, False)
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own program
                    _ARGV,
                    env={},
                    cwd="/",
                    stdin=outer,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            finally:
                os.close(outer)

    def _tell(self, line: str) -> None:
        """Nobody waits for it, and who can't be told is gone."""
        if self._pipe is not None:
            with suppress(OSError):
                os.write(self._pipe, line.encode())


PROCESS = Watcher()
"""That of this process."""
