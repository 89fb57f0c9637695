"""The first process of a container in; a child that goes on as us, while that one waits, out.

Whatever loses its parent in a container becomes the first process's child, and stays a zombie until
that waits for it. The kernel ends all the others when it ends.
"""

import os
import signal
from contextlib import suppress

_FIRST = 1
_HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_SIGNALLED = 128
"""What a shell adds to the number of the signal that a child died of."""


class FirstProcess:
    """Whether there is one that ends, and all others with it, as soon as we do."""

    def __init__(self) -> None:
        self.ends_with_us = False

    def stand_aside(self) -> None:
        """Nothing, unless this is the first process. It returns in the child alone."""
        if os.getpid() != _FIRST:
            return
        # A signal that comes now waits until somebody is there to take it.
        signal.pthread_sigmask(signal.SIG_BLOCK, _HANDED_ON)
        child = os.fork()
        if child != 0:
            os._exit(_end_of(child))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDED_ON)
        self.ends_with_us = True


def _end_of(child: int) -> int:
    """The exit code of the child, and meanwhile all others that end are waited for, too."""
    _let_to_the_front(child)
    for number in _HANDED_ON:
        signal.signal(number, lambda number, _: _hand_on(child, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDED_ON)
    ended, status = os.wait()
    while ended != child:
        ended, status = os.wait()
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else _SIGNALLED - code


def _let_to_the_front(child: int) -> None:
    """What is typed at a terminal is a signal for all in front: it would come twice."""
    with suppress(OSError):
        if os.isatty(0):
            os.setpgid(child, child)
            os.tcsetpgrp(0, child)


def _hand_on(child: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(child, number)


PROCESS = FirstProcess()
"""That of this process."""
