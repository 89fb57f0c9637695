"""A limit that every child inherits and nobody else has: the mark of what one process started.

A process can lower its own limits. What runs without rights can't raise them again, so it can't
take the mark of what is started later.
"""

import ctypes
import resource
import secrets
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

_PROC = Path("/proc")
_LIMIT = b"Max msgqueue size"
"""The limit that carries the mark: for message queues of POSIX, which hardly anybody has."""

_MARKS = 300_000
_NUMBERS = count(secrets.randbelow(_MARKS // 2))

_NO_NEW_PRIVILEGES = 38
_CONTROL = getattr(ctypes.PyDLL(None), "prctl", None)
"""Of Linux alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What a new process takes before its program begins. `lowered`: it can't go back."""

    soft: int
    hard: int
    lowered: bool

    def take(self) -> None:
        """Between fork and exec: one system call, nothing else."""
        with suppress(OSError, ValueError):
            limits = (self.soft, self.soft if self.lowered else self.hard)
            resource.setrlimit(resource.RLIMIT_MSGQUEUE, limits)


def new(*, lowered: bool) -> Mark | None:
    """One that no other process has, below the hard limit that there is."""
    if not hasattr(resource, "RLIMIT_MSGQUEUE") or not _PROC.is_dir():
        return None
    _, hard = resource.getrlimit(resource.RLIMIT_MSGQUEUE)
    most = 2**32 if hard == resource.RLIM_INFINITY else hard
    if most <= 2 * _MARKS:
        return None
    return Mark(soft=most - _MARKS + next(_NUMBERS) % _MARKS, hard=hard, lowered=lowered)


def renounce() -> None:
    """From now on no program that is executed brings rights of its own: `sudo`, for one."""
    if _CONTROL is not None:
        _CONTROL(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def of(pid: int) -> bytes | None:
    """The mark of a process that lives."""
    try:
        limits = (_PROC / str(pid) / "limits").read_bytes()
    except OSError:
        return None
    found = limits.partition(_LIMIT)[2].split(maxsplit=1)[:1]
    return found[0] if found else None
