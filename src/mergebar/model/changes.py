"""What changed between the base and this tree."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """What happened to a file."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One changed file; paths are repository-relative and posix. `old_path` for renames only."""

    path: str
    status: Status = Status.MODIFIED
    old_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """All that changed, or `everything` with the reason: asked for, or it can't be known."""

    files: tuple[Change, ...] = ()
    everything: bool = False
    reason: str = ""
