"""How often a judge was asked, and how often it didn't need to be."""

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Tally:
    """`calls` were really made, `hits` came from a cache. `whole` is a sum that counts along."""

    calls: int = 0
    hits: int = 0
    whole: "Tally | None" = None

    def add(self, *, calls: int = 0, hits: int = 0) -> None:
        """Count here, and in the sum."""
        self.calls += calls
        self.hits += hits
        if self.whole is not None:
            self.whole.add(calls=calls, hits=hits)
