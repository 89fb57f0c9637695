"""What changed between the base and this tree."""

from dataclasses import dataclass, field
from enum import StrEnum


class Scope(StrEnum):
    """How much is measured; `auto` follows the event."""

    AUTO = "auto"
    AFFECTED = "affected"
    ALL = "all"


class Status(StrEnum):
    """What happened to a file."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One changed file; paths are repository-relative and posix. `old_path` for renames only.

    `untracked`: git doesn't know it. `moved`: renamed, and not a byte of it is another. Bytes of a
    name that aren't UTF-8 are lone surrogates, as in all names of files that Python gives.
    """

    path: str
    status: Status = Status.MODIFIED
    old_path: str | None = None
    untracked: bool = field(default=False, compare=False)
    moved: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """All that changed, or `everything` with the reason: asked for, or it can't be known."""

    files: tuple[Change, ...] = ()
    everything: bool = False
    reason: str = ""
