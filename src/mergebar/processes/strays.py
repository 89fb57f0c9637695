"""A user who runs the repository's code in; whoever of theirs got away from all of us ended.

In our container whatever runs as that user was started by us. Who has lost its parents and bears
no mark of what is still running is nobody's any more. What isn't orphaned is left to whoever
started it.
"""

import os
import signal
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mergebar.processes import marks

_PROC = Path("/proc")
_FIRST = 1
_ROUNDS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class _Process:
    """`is_dead`: it only waits to be waited for."""

    parent: int
    user: int
    is_dead: bool


def end(user: int, *, kept: Collection[bytes]) -> None:
    """End them all: stopped first, so that none of them starts another meanwhile."""
    found: set[int] = set()
    for _ in range(_ROUNDS):
        new = _found(user, kept) - found
        if not new:
            break
        found |= new
        _signal(new, signal.SIGSTOP, user)
    _signal(found, signal.SIGKILL, user)


def _found(user: int, kept: Collection[bytes]) -> set[int]:
    table = dict(_table())
    return {
        pid
        for pid, process in table.items()
        if process.user == user
        and not process.is_dead
        and _is_orphaned(pid, table, user)
        and marks.of(pid) not in kept
    }


def _is_orphaned(pid: int, table: Mapping[int, _Process], user: int) -> bool:
    """Whether the first of its line is a child of the first process."""
    for _ in table:
        process = table.get(pid)
        if process is None:
            return True
        if process.user != user:
            return pid == _FIRST
        pid = process.parent
    return False


def _table() -> Iterable[tuple[int, _Process]]:
    with suppress(OSError):
        for name in os.listdir(_PROC):  # noqa: PTH208 - hundreds at once
            process = _process(name) if name.isdigit() else None
            if process is not None:
                yield int(name), process


def _process(name: str) -> _Process | None:
    """From `status`: whom the folder belongs to, a process can disguise."""
    try:
        lines = (_PROC / name / "status").read_bytes().splitlines()
        told = {key: rest.split() for key, _, rest in (line.partition(b":") for line in lines)}
        return _Process(
            parent=int(told[b"PPid"][0]),
            user=int(told[b"Uid"][0]),
            is_dead=told[b"State"][0] in {b"Z", b"X"},
        )
    except (OSError, KeyError, IndexError, ValueError):
        return None


def _signal(pids: Iterable[int], number: signal.Signals, user: int) -> None:
    """A number may have gone to another process since it was looked at: the handle hasn't."""
    for pid in pids:
        with suppress(OSError, AttributeError):  # not every libc has these calls
            handle = os.pidfd_open(pid)
            try:
                process = _process(str(pid))
                if process is not None and process.user == user:
                    signal.pidfd_send_signal(handle, number)
            finally:
                os.close(handle)
