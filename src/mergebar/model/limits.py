"""How many calls an address takes at once: what all that call it share."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol


class Limiter(Protocol):
    """One for each address; a slot is held for as long as one try takes."""

    def slot(self) -> AbstractAsyncContextManager[int]:
        """Wait for a slot; gives the round that the try starts in."""
        ...

    def slower(self, began: int) -> None:
        """A try that began in this round was one too many."""
        ...

    def faster(self) -> None:
        """A try was not one too many."""
        ...

    def hold(self, seconds: float) -> None:
        """Let no try start for so long."""
        ...

    async def held_back(self, *, at_most_s: float) -> float:
        """Wait until tries may start again; gives the seconds waited."""
        ...


class Limits(Protocol):
    """The limiters of one run, by address."""

    def join(self, url: str, *, concurrency: int) -> Limiter:
        """The limiter of whoever else calls this host, with room for so many more calls."""
        ...
