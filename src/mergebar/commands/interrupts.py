"""SIGINT, SIGTERM and SIGHUP in; one interruption out, however often they are sent.

A terminal, a runner and its shell may all send one for the same wish, within milliseconds. Only
who still waits after `GRACE_S` and sends another one wants it to end at any price.
"""

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

GRACE_S = 5.0
NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""From a person, from a runner, and from a terminal or a connection that is gone."""


class Interruption(KeyboardInterrupt):
    """A `KeyboardInterrupt` in all but its exact type.

    One of the exact type that passes through `exec` (as dataclasses do it while modules are loaded)
    makes CPython end the process by SIGINT, although it was caught and a code was returned.
    """


class Interrupts:
    """The signals of a process. The first one raises `Interruption`, unless it is held."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first: float | None = None
        self._act: Callable[[], object] | None = None

    @property
    def heard(self) -> bool:
        """Whether there was one."""
        return self._first is not None

    def listen(self, act: Callable[[], object] | None = None) -> None:
        """From now on all are heard; none was yet. With `act`, they are held from the start."""
        self._first, self._act = None, act
        self._install()

    def hold(self, act: Callable[[], object]) -> None:
        """Let the first one do this instead of raising, until `release`; now, if it was before."""
        self._act = act
        self._install()
        if self.heard:
            act()

    def release(self) -> bool:
        """What was to be kept is kept: raise again. Whether there was one."""
        self._act = None
        return self.heard

    def _install(self) -> None:
        # Only the main thread hears signals; elsewhere there is nothing to install.
        if threading.current_thread() is threading.main_thread():
            for number in NUMBERS:
                if number is not signal.SIGHUP or not _is_to_outlive_its_terminal():
                    signal.signal(number, self._handle)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        now = self._clock()
        if self._first is None:
            self._first = now
            if self._act is not None:
                self._act()
                return
        elif now - self._first < GRACE_S:
            return
        raise Interruption


def deafen() -> None:
    """Finish what is being finished; the runner's next signal is its last."""
    if threading.current_thread() is threading.main_thread():
        for number in NUMBERS:
            signal.signal(number, signal.SIG_IGN)


def nothing() -> None:
    """To hold them with while something is written: that isn't stopped."""


def _is_to_outlive_its_terminal() -> bool:
    """`nohup` asks for that."""
    return signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


PROCESS = Interrupts()
"""Those of this process: signals have no other owner."""
