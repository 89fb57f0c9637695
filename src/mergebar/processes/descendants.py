"""A process that is to be started in, and at its end all that it started and left behind ended.

A process group ends with `killpg`; who began a session of its own isn't in it. Where there is
`/proc`, those are found by whose child they are, and by a limit that every child inherits and
nobody else has. Elsewhere they stay: nothing is ended that isn't surely ours.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mergebar.processes import marks, strays

_PROC = Path("/proc")
_ROUNDS = 50
_STATE, _PARENT, _STARTED = 0, 1, 19
"""Fields of `/proc/<pid>/stat` behind the name of the program."""

_OPEN: set[bytes] = set()
"""The marks of what this process started without rights, and hasn't ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """One process to start, and its descendants. `since` counts the kernel's ticks.

    `newest` is the number of the process that was started last before this one.
    `prepare` is what the new process does before its program begins: it takes its mark. Both are
    `None` where there is none to be had. `user` runs the repository's code and nothing else.
    """

    since: int
    newest: int = 0
    mark: bytes | None = None
    prepare: Callable[[], None] | None = None
    user: int | None = None

    def end(self, leader: int | None) -> None:
        """End all descendants; `leader` is the process itself while it is alive, and ends last.

        They are stopped before they are ended, so that none of them starts another meanwhile. With
        them ends whoever else of the same user got away.
        """
        self._end(leader)
        if self.user is not None:
            _OPEN.discard(self.mark or b"")
            strays.end(self.user, kept=_OPEN)

    def _end(self, leader: int | None) -> None:
        found: set[int] = set()
        for _ in range(_ROUNDS):
            new = set(self._living(leader)) - found
            if not new:
                break
            found |= new
            self._signal(new, signal.SIGSTOP)
        self._signal(found, signal.SIGKILL)
        for pid in found - {leader}:  # whoever started the leader waits for it
            with suppress(OSError):  # where we are who inherits orphans
                os.waitpid(pid, os.WNOHANG)

    def _living(self, leader: int | None) -> Iterator[int]:
        """What is alive of them now, the leader itself too."""
        table = self._table(self._numbers())
        below = {leader} & table.keys()
        while True:
            children = {pid for pid, parent in table.items() if parent in below} - below
            if not children:
                break
            below |= children
        for pid in table:
            if pid in below or self._is_marked(pid):
                yield pid

    def _numbers(self) -> list[str]:
        """Of all processes that may have been started since: numbers go up, and then anew."""
        try:
            names = os.listdir(_PROC)  # noqa: PTH208 - hundreds at once
        except OSError:
            return []
        last = _newest()
        return [
            name
            for name in names
            if name.isdigit() and (last < self.newest or self.newest < int(name) <= last)
        ]

    def _table(self, names: list[str]) -> dict[int, int]:
        """The parents of those that live and were started since, but for this very process."""
        found: dict[int, int] = {}
        for name in names:
            fields = _fields(name)
            if fields and fields[_STATE] not in {"Z", "X"} and int(fields[_STARTED]) >= self.since:
                found[int(name)] = int(fields[_PARENT])
        found.pop(os.getpid(), None)
        return found

    def _is_marked(self, pid: int) -> bool:
        return self.mark is not None and marks.of(pid) == self.mark

    def _signal(self, pids: set[int], number: signal.Signals) -> None:
        """A number may have gone to another process since it was looked at: the handle hasn't."""
        for pid in pids:
            with suppress(OSError, AttributeError):  # not every libc has these calls
                handle = os.pidfd_open(pid)
                try:
                    if pid in self._table([str(pid)]):
                        signal.pidfd_send_signal(handle, number)
                finally:
                    os.close(handle)


def begin(user: int | None = None) -> Lineage:
    """What one process takes to be started, as a user without rights or as we are."""
    mark = marks.new(lowered=user is not None)
    name = None if mark is None else str(mark.soft).encode()
    if user is not None and name is not None:
        _OPEN.add(name)
    prepare = None if mark is None and user is None else partial(_prepare, mark, user)
    return Lineage(since=_now(), newest=_newest(), mark=name, prepare=prepare, user=user)


def _prepare(mark: marks.Mark | None, user: int | None) -> None:
    """Between fork and exec: two system calls, nothing else."""
    if mark is not None:
        mark.take()
    if user is not None:
        marks.renounce()


def _now() -> int:
    """The kernel's ticks since the machine started, rounded down."""
    try:
        uptime = (_PROC / "uptime").read_text(encoding="ascii").split()[0]
        return int(float(uptime) * os.sysconf("SC_CLK_TCK")) - 1
    except (OSError, ValueError):
        return 0


def _newest() -> int:
    """The number of the process that was started last."""
    try:
        return int((_PROC / "loadavg").read_text(encoding="ascii").split()[-1])
    except (OSError, ValueError, IndexError):
        return 0


def _fields(name: str) -> list[str]:
    try:
        with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - hundreds at once
            return file.read().rpartition(b")")[2].decode("ascii").split()
    except (OSError, ValueError):
        return []
