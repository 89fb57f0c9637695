"""What a parser gets and gives: the seam between reading files and understanding formats."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mergebar.model.problems import Problem
from mergebar.model.sessions import Capability, EventKind, Session
from mergebar.model.text import Json, JsonObject
from mergebar.traces.faults import Faults
from mergebar.traces.records import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFile:
    """A trace of a known format. `records` begins anew with each call, and counts in `faults`.

    `beside` is what the file says beside its records, `notes` what is known to be wrong with it.
    """

    path: Path
    name: str
    records: Callable[[Faults], Iterable[Record]]
    beside: JsonObject
    cut: bool = False
    notes: tuple[Problem, ...] = ()


class Parser(Protocol):
    """One format. `capabilities` is what it can record at most; a session may have less."""

    @property
    def name(self) -> str:
        """What `Session.format` says."""
        ...

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What traces of this format record."""
        ...

    def parse(self, trace: TraceFile, /) -> Session:
        """Read a trace from its first record to its last."""
        ...

    def words(self, record: JsonObject, part: int, kind: EventKind, /) -> Json:
        """What the event of a record says, as a text or as the arguments of a call."""
        ...
