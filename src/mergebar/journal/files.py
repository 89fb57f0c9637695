"""A file and a plan's digest in; what an interrupted run of that plan measured, and a place to
write down what this one does, out.

Each entry is one line and one `write`: what was written outlives the death of this process. It is
forced to the disk only now and then (`_SYNC_S`): a machine that dies may take the last entries
along, which then are asked for again, and a line that was torn is no line. One process at a time
holds the file.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Self

from mergebar.calling import machine_json
from mergebar.journal import entries
from mergebar.journal.entries import CheckKey, Kept, TurnKey
from mergebar.model.results import AskedTurn
from mergebar.model.text import JsonObject

SCHEMA = "mergebar.journal/1"
MAX_AGE_S = 24 * 3600.0
"""A journal that is older says nothing of the agent of today."""

_LIMIT = 1024**3
_SYNC_S = 5.0
_OPEN = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class Journal:
    """Open until `close`. `turns` and `checks` are what it held when it was opened.

    `redact` takes secrets out of a text: an entry that it would change isn't kept.
    """

    def __init__(
        self, path: Path, handle: int, *, redact: Callable[[str], str], clock: Callable[[], float]
    ) -> None:
        self._path = path
        self._handle: int | None = handle
        self._redact = redact
        self._clock = clock
        self._synced_at = clock()
        self.turns: Mapping[TurnKey, AskedTurn] = {}
        self.checks: Mapping[CheckKey, Kept] = {}

    def add_turn(self, key: TurnKey, turn: AskedTurn) -> None:
        """Keep what an agent answered."""
        self._append(entries.turn_line(key, turn))

    def add_check(self, key: CheckKey, kept: Kept) -> None:
        """Keep one run of a check."""
        self._append(entries.check_line(key, kept))

    def remove(self) -> None:
        """The run is complete and its report is written: nothing is left to take up."""
        if self._handle is not None:
            self._path.unlink(missing_ok=True)
            self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _append(self, line: bytes | None) -> None:
        if line is None or self._handle is None:
            return
        text = line.decode()
        if self._redact(text) != text:
            return
        try:
            _write(self._handle, line)
            if self._clock() - self._synced_at > _SYNC_S:
                os.fdatasync(self._handle)
                self._synced_at = self._clock()
        except OSError:  # a full disk costs the journal, not the run
            self.close()

    def take_up(self, plan: str, *, now: float, anew: bool) -> Self:
        """Read what belongs to this plan; whatever else is in the file goes."""
        handle = self._handle
        if handle is None:
            return self
        data = b"" if anew else _read(handle)
        lines = data[: data.rfind(b"\n") + 1].splitlines()
        if not lines or not _is_of(lines[0], plan, now):
            os.ftruncate(handle, 0)
            header = {"schema": SCHEMA, "plan": plan, "started_at": now}
            _write(handle, json.dumps(header).encode() + b"\n")
            return self
        os.ftruncate(handle, data.rfind(b"\n") + 1)
        values = list(_values(lines[1:]))
        self.turns = dict(filter(None, (entries.read_turn(one) for one in values)))
        self.checks = dict(filter(None, (entries.read_check(one) for one in values)))
        return self


def start(
    path: Path,
    plan: str,
    *,
    anew: bool,
    redact: Callable[[str], str],
    clock: Callable[[], float],
    now: Callable[[], float],
) -> Journal | None:
    """The journal of a run of this plan; `anew` forgets what was measured before.

    `None` where it can't be written, or another process holds it: the run goes on without.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, _OPEN, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        journal = Journal(path, handle, redact=redact, clock=clock)
        return journal.take_up(plan, now=now(), anew=anew)
    except OSError:
        os.close(handle)
        return None


def _read(handle: int) -> bytes:
    if os.fstat(handle).st_size > _LIMIT:
        return b""
    os.lseek(handle, 0, os.SEEK_SET)
    with os.fdopen(os.dup(handle), "rb") as stream:
        return stream.read()


def _write(handle: int, line: bytes) -> None:
    while line:
        line = line[os.write(handle, line) :]


def _is_of(line: bytes, plan: str, now: float) -> bool:
    header = machine_json.parse(line)
    if isinstance(header, machine_json.Fault):
        return False
    begun = header.get("started_at")
    if header.get("schema") != SCHEMA or header.get("plan") != plan:
        return False
    return isinstance(begun, int | float) and 0 <= now - begun <= MAX_AGE_S


def _values(lines: list[bytes]) -> Iterator[JsonObject]:
    for line in lines:
        value = machine_json.parse(line)
        if not isinstance(value, machine_json.Fault):
            yield value
