"""One limiter per endpoint: so many calls at once, fewer while there are too many for it.

The number falls by half for each round of calls that is refused as too many, and grows by one for
each round that isn't (additive increase, multiplicative decrease), up to what is configured.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from mergebar.model.contexts import Timing

_DECREASE = 0.5
_PORTS = {"http": 80, "https": 443}


class Limiter:
    """Shared by all calls to one endpoint. Who waits for a slot gets it in the order of coming."""

    def __init__(self, *, concurrency: int, timing: Timing) -> None:
        self._most = max(1, concurrency)
        self._limit = float(self._most)
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._round = 0
        self._timing = timing
        self._free_at = 0.0

    @property
    def limit(self) -> int:
        """How many calls may run at the moment, at least one."""
        return int(self._limit)

    def widen(self, concurrency: int) -> None:
        """Somebody else calls the same endpoint, and may make so many calls at once."""
        if self._limit == self._most:
            self._limit += concurrency
        self._most += concurrency
        self._admit()

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
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._running < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self._running += 1
                turn.set_result(None)


class Limits:
    """The limiters of one run: one for each host and port that anybody calls.

    Who shares a limiter is throttled together. Each may still make as many calls at once as its
    own entry says, as long as the endpoint takes them.
    """

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._limiters: dict[tuple[str, str, int | None], Limiter] = {}

    def join(self, url: str, *, concurrency: int) -> Limiter:
        """The limiter of whoever else calls this host, with room for so many more calls."""
        origin = _origin(url)
        known = self._limiters.get(origin)
        if known is None:
            known = Limiter(concurrency=concurrency, timing=self._timing)
            self._limiters[origin] = known
        else:
            known.widen(max(1, concurrency))
        return known


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    port = parts.port or _PORTS.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").rstrip("."), port
