"""What went wrong while a file was read, counted; sentences for the session's notes out."""

from collections.abc import Iterator
from dataclasses import dataclass

from mergebar.model.problems import Level, Problem

LINE_LIMIT = 16 * 1024 * 1024
_MIB = 1024 * 1024
_HALF = 0.5


@dataclass(slots=True, kw_only=True)
class Faults:
    """Counts, and the first line of each kind; a line counts from 1, 0 is none.

    `readable` counts the records that could be read. `lost_at` is where the last record that
    couldn't be read begins; `remains` says that one of them was a record once.
    """

    readable: int = 0
    malformed: int = 0
    first_malformed: int = 0
    cut_line: int = 0
    joined: int = 0
    first_joined: int = 0
    long: int = 0
    first_long: int = 0
    longest: int = 0
    damaged: int = 0
    first_damaged: int = 0
    odd: int = 0
    first_odd: int = 0
    foreign: int = 0
    first_foreign: int = 0
    lost_at: int = -1
    remains: bool = False

    def note_malformed(self, line: int, *, at: int, remains: bool) -> None:
        """A line that is no JSON object."""
        self.lost_at = max(self.lost_at, at)
        self.remains = self.remains or remains
        self.malformed += 1
        self.first_malformed = self.first_malformed or line

    def note_joined(self, line: int) -> None:
        """A line with several values on it."""
        self.joined += 1
        self.first_joined = self.first_joined or line

    def note_long(self, line: int, size: int, *, at: int) -> None:
        """A line over the limit."""
        self.lost_at = max(self.lost_at, at)
        self.long += 1
        self.first_long = self.first_long or line
        self.longest = max(self.longest, size)

    def note_damaged(self, line: int) -> None:
        """A line with bytes that aren't UTF-8."""
        self.damaged += 1
        self.first_damaged = self.first_damaged or line

    def note_odd(self, line: int) -> None:
        """A record of which something doesn't have any known shape."""
        self.odd += 1
        self.first_odd = self.first_odd or line

    def note_foreign(self, line: int) -> None:
        """A record of another session, in the same format or in another one."""
        self.foreign += 1
        self.first_foreign = self.first_foreign or line

    @property
    def lost(self) -> bool:
        """Whether something that happened may be missing."""
        return bool(self.malformed or self.cut_line or self.long or self.foreign)

    def problems(self, path: str) -> tuple[Problem, ...]:
        """One problem for each kind, at its first line."""
        return tuple(
            Problem(level=level, rule=f"trace/{rule}", message=message, path=path, line=line)
            for level, rule, message, line in self._told()
        )

    def _told(self) -> Iterator[tuple[Level, str, str, int]]:
        if self.cut_line:
            yield Level.WARNING, "truncated", _CUT, self.cut_line
        if self.malformed:
            yield Level.WARNING, "malformed", self._malformed(), self.first_malformed
        if self.long:
            yield Level.WARNING, "long-line", self._long(), self.first_long
        if self.joined:
            yield Level.NOTICE, "joined", self._joined(), self.first_joined
        if self.damaged:
            yield Level.WARNING, "encoding", self._damaged(), self.first_damaged
        if self.odd:
            yield Level.NOTICE, "odd-record", self._odd(), self.first_odd
        if self.foreign:
            yield Level.WARNING, "mixed", self._foreign(), self.first_foreign

    def _malformed(self) -> str:
        total = self.readable + self.malformed
        most = ": is this the right file?" if self.malformed > _HALF * total else ""
        if self.malformed == 1:
            return f"this line is no JSON object; it was left out{most}"
        return (
            f"{self.malformed:,} of {total:,} lines are no JSON objects, this is the first; "
            f"they were left out{most}"
        )

    def _long(self) -> str:
        size = f"{self.longest:,} bytes, and at most {LINE_LIMIT:,} ({LINE_LIMIT // _MIB} MiB)"
        if self.long == 1:
            return f"this line has {size} are read; it was left out"
        return f"{self.long} lines are too long, this is the first; the longest has {size} are read"

    def _joined(self) -> str:
        many = "" if self.joined == 1 else f" (and so do {self.joined - 1} more)"
        return f"this line holds several JSON values{many}; each was read"

    def _damaged(self) -> str:
        many = "" if self.damaged == 1 else f", nor in {self.damaged - 1} more"
        return f"some bytes of this line are not UTF-8{many}; each was read as \ufffd"

    def _odd(self) -> str:
        many = "" if self.odd == 1 else f" (and {self.odd - 1} more)"
        return f"something in this record has no known shape{many}; that was left out"

    def _foreign(self) -> str:
        many = "" if self.foreign == 1 else f", and so are {self.foreign - 1:,} more"
        return (
            f"this record is of another session than the file{many}; that was left out: a trace is "
            "one session"
        )


_CUT = "the file ends in the middle of this line: what came after it is missing"
