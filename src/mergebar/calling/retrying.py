"""Tries a call again while that may help: full jitter, `Retry-After`, and a bounded total."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias, TypeVar

from mergebar.calling.endpoints import Endpoint
from mergebar.calling.troubles import Trouble
from mergebar.model.contexts import Timing

T = TypeVar("T")

TOTAL_S = 120.0
WAIT_CAP_S = 60.0
FIRST_WAIT_S = 0.5
_SPREAD = 0.1


Attempt: TypeAlias = Callable[[], Awaitable[T | Trouble]]


class Retrier:
    """The retries of one measurement: what it asks in turn shares one total of time.

    Time in the queue for a free slot isn't counted: a long plan is no reason to give up.
    """

    def __init__(self, *, attempts: int, timing: Timing, endpoint: Endpoint) -> None:
        self._attempts = max(1, attempts)
        self._timing = timing
        self._endpoint = endpoint
        self._spent_s = 0.0

    async def call(self, attempt: Attempt[T], /) -> T | Trouble:
        """The first success, or the last trouble, whose message then counts the attempts.

        Nothing is tried at an endpoint that is down.
        """
        for tried in range(1, self._attempts + 1):
            result = await self._try(attempt)
            if self._endpoint.down is not None and isinstance(result, Trouble):
                return Trouble(failure=self._endpoint.down)
            wait_s = self._wait_s(result, tried) if isinstance(result, Trouble) else None
            if wait_s is None:
                self._endpoint.ended(result)
                return _counted(result, tried)
            self._spent_s += wait_s
            await self._timing.sleep(wait_s)
        raise AssertionError("the loop returns at the last attempt")

    async def _try(self, attempt: Attempt[T]) -> T | Trouble:
        limiter = self._endpoint.limiter
        async with limiter.slot() as began:
            self._spent_s += await limiter.held_back(at_most_s=max(0.0, TOTAL_S - self._spent_s))
            if self._endpoint.down is not None:
                return Trouble(failure=self._endpoint.down)
            started = self._timing.clock()
            try:
                result = await attempt()
            finally:
                self._spent_s += self._timing.clock() - started
            self._adapt(result, began)
            return result

    def _adapt(self, result: object, began: int) -> None:
        limiter = self._endpoint.limiter
        if not isinstance(result, Trouble):
            limiter.faster()
        elif result.throttled:
            self._endpoint.throttled += 1
            limiter.slower(began)
            if result.retry_after_s:
                limiter.hold(min(WAIT_CAP_S, result.retry_after_s))

    def _wait_s(self, trouble: Trouble, tried: int) -> float | None:
        """How long to wait before the next attempt; `None` where there is none."""
        if not trouble.retry or tried == self._attempts:
            return None
        chance = self._timing.random()
        if not trouble.retry_after_s:  # "at once" is less than a second, rounded
            wait_s = chance * min(WAIT_CAP_S, FIRST_WAIT_S * 2 ** (tried - 1))
        else:
            wait_s = min(WAIT_CAP_S, trouble.retry_after_s * (1 + _SPREAD * chance))
        return wait_s if self._spent_s + wait_s <= TOTAL_S else None


def _counted(result: T | Trouble, tried: int) -> T | Trouble:
    """How often it was tried, and the wait that was asked for, where that is too long."""
    if not isinstance(result, Trouble):
        return result
    asked = result.retry_after_s or 0.0
    notes = []
    if tried > 1:
        notes.append(f"tried {tried} times")
    if result.retry and asked > WAIT_CAP_S:
        notes.append(f"it asks to wait {asked:,.0f} s, and a call waits {TOTAL_S:g} s in all")
    if not notes:
        return result
    message = f"{result.failure.message} ({'; '.join(notes)})"
    return replace(result, failure=replace(result.failure, message=message))
