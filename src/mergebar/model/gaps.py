"""What happened in a session and isn't in its trace: from which chain it is missing, and why."""

from dataclasses import dataclass
from enum import StrEnum


class Missing(StrEnum):
    """Where something is missing: after the end, nothing that came last is known."""

    BEGINNING = "beginning"
    MIDDLE = "middle"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One reason for which a trace may not hold all that happened on a chain.

    `what` is a clause: "the file ends in the middle of line 7". `sure` is false where a line may
    never have been a record: something may be missing, and nothing says so.
    """

    missing: Missing
    what: str
    branch: int = 0
    sure: bool = True
