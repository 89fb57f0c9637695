"""What is looked for among the reports that runs left, and what may be found: values alone.

Apart from the search itself, because whoever only plans needs no connection.
"""

from dataclasses import dataclass
from datetime import datetime

from mergebar.reading.limits import MAX_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to look for: the artifact's name, the file in it, and the branch that it is of.

    `commit` is where the way back begins; with `None` at the tip of the branch.
    """

    artifact: str
    file: str
    branch: str
    commit: str | None = None
    limit: int = MAX_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A report that a run left. `created_at` is RFC 3339; commit and run are as GitHub says.

    `distance` is how many commits lie on the way to it, 0 for the wanted one itself.
    """

    data: bytes
    commit: str
    created_at: str
    run: int
    artifact: int
    distance: int

    def age_s(self, now: float) -> float | None:
        """How old it is at `now`, in seconds since 1970; `None` where GitHub gives no date."""
        try:
            made = datetime.fromisoformat(self.created_at)
        except ValueError:
            return None
        return max(0.0, now - made.timestamp()) if made.tzinfo is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoBaseline:
    """There is none, and why."""

    reason: str
