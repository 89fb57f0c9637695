"""Tries a call again while that may help: full jitter, `Retry-After`, and a bounded total."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from mergebar.calling.limiting import Limiter
from mergebar.model.contexts import Timing
from mergebar.model.conversations import Failure

T = TypeVar("T")

TOTAL_S = 120.0
WAIT_CAP_S = 60.0
FIRST_WAIT_S = 0.5
_SPREAD = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """An attempt that failed. `retry`: the same call may succeed later, `retry_after_s` from now.

    `throttled`: the endpoint wants fewer calls, so that all others wait as well.
    """

    failure: Failure
    retry: bool = False
    retry_after_s: float | None = None
    throttled: bool = False


Attempt: TypeAlias = Callable[[], Awaitable[T | Trouble]]


class Retrier:
    """The retries of one measurement: what it asks in turn shares one total of time.

    Time in the queue for a free slot isn't counted: a long plan is no reason to give up.
    """

    def __init__(self, *, attempts: int, timing: Timing, limiter: Limiter) -> None:
        self._attempts = max(1, attempts)
        self._timing = timing
        self._limiter = limiter
        self._spent_s = 0.0

    async def call(self, attempt: Attempt[T], /) -> T | Trouble:
        """The first success, or the last trouble, whose message then counts the attempts."""
        for tried in range(1, self._attempts + 1):
            result = await self._try(attempt)
            if not isinstance(result, Trouble):
                return result
            wait_s = self._wait_s(result, tried)
            if not result.retry or tried == self._attempts or wait_s is None:
                return _counted(result, tried)
            if result.throttled and result.retry_after_s:
                self._limiter.hold(wait_s)
            await self._sleep(wait_s)
        raise AssertionError("the loop returns at the last attempt")

    async def _try(self, attempt: Attempt[T]) -> T | Trouble:
        self._spent_s += await self._limiter.held_back(at_most_s=max(0.0, TOTAL_S - self._spent_s))
        async with self._limiter.slot():
            started = self._timing.clock()
            try:
                return await attempt()
            finally:
                self._spent_s += self._timing.clock() - started

    def _wait_s(self, trouble: Trouble, tried: int) -> float | None:
        """How long to wait before the next attempt; `None` when the total leaves no time."""
        chance = self._timing.random()
        if trouble.retry_after_s is None:
            wait_s = chance * min(WAIT_CAP_S, FIRST_WAIT_S * 2 ** (tried - 1))
        else:
            wait_s = min(WAIT_CAP_S, trouble.retry_after_s * (1 + _SPREAD * chance))
        return wait_s if self._spent_s + wait_s <= TOTAL_S else None

    async def _sleep(self, wait_s: float) -> None:
        self._spent_s += wait_s
        await self._timing.sleep(wait_s)


def _counted(trouble: Trouble, tried: int) -> Trouble:
    if tried == 1:
        return trouble
    message = f"{trouble.failure.message} (tried {tried} times)"
    return replace(trouble, failure=replace(trouble.failure, message=message))
