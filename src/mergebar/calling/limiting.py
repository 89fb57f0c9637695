"""One limiter per endpoint: so many calls at once, fewer while there are too many for it.

The number falls by half for each round of calls that is refused as too many, and grows by one for
each round that isn't (additive increase, multiplicative decrease), up to what is configured.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mergebar.model.contexts import Timing

_DECREASE = 0.5


class Limiter:
    """Shared by all calls to one endpoint. Who waits for a slot gets it in the order of coming.

    `throttled` counts the calls that were one too many.
    """

    def __init__(self, *, concurrency: int, timing: Timing) -> None:
        self._most = max(1, concurrency)
        self._limit = float(self._most)
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._round = 0
        self._timing = timing
        self._free_at = 0.0
        self.throttled = 0

    @property
    def limit(self) -> int:
        """How many calls may run at the moment, at least one."""
        return int(self._limit)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """One of the slots for as long as the call takes; gives the round that it starts in."""
        await self._enter()
        try:
            yield self._round
        finally:
            self._leave()

    def slower(self, began: int) -> None:
        """A call that began in this round was one too many; a round is punished once."""
        self.throttled += 1
        if began == self._round:
            self._round += 1
            self._limit = max(1.0, self._limit * _DECREASE)

    def faster(self) -> None:
        """A call was not one too many."""
        self._limit = min(float(self._most), self._limit + 1 / self._limit)

    def hold(self, seconds: float) -> None:
        """Let no call start for so long: the endpoint asked for it."""
        self._free_at = max(self._free_at, self._timing.clock() + seconds)

    async def held_back(self, *, at_most_s: float) -> float:
        """Wait until the endpoint takes calls again; returns the seconds waited."""
        waited_s = 0.0
        while True:
            wait_s = min(self._free_at - self._timing.clock(), at_most_s - waited_s)
            if wait_s <= 0:
                return waited_s
            await self._timing.sleep(wait_s)
            waited_s += wait_s

    async def _enter(self) -> None:
        if self._running < self.limit and not self._waiting:
            self._running += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()  # it was let in just as it was cancelled
            raise

    def _leave(self) -> None:
        self._running -= 1
        while self._waiting and self._running < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self._running += 1
                turn.set_result(None)
