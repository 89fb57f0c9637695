"""One limiter per endpoint: so many calls at once, and none while it asked to be left alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mergebar.model.contexts import Timing


class Limiter:
    """Shared by all calls to one endpoint."""

    def __init__(self, *, concurrency: int, timing: Timing) -> None:
        self._slots = asyncio.Semaphore(max(1, concurrency))
        self._timing = timing
        self._free_at = 0.0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """One of the slots, for as long as the call takes."""
        async with self._slots:
            yield

    def hold(self, seconds: float) -> None:
        """Let no call start for so long: the endpoint answered that there are too many."""
        self._free_at = max(self._free_at, self._timing.clock() + seconds)

    async def held_back(self, *, at_most_s: float) -> float:
        """Wait until the endpoint takes calls again; returns the seconds waited."""
        wait_s = min(self._free_at - self._timing.clock(), at_most_s)
        if wait_s <= 0:
            return 0.0
        await self._timing.sleep(wait_s)
        return wait_s
