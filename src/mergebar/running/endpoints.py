"""An agent or a judge as the run sees it: how many at once, whether it still lets us in, counts."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.running.budget import Allowance

T = TypeVar("T")


class Endpoint:
    """One thing that is called. After it has refused our credentials, it isn't called again.

    `allowance` is what all calls are claimed from; `None` for what isn't really called.
    """

    __slots__ = ("_allowance", "_name", "_refusal", "active", "calls", "slots")

    def __init__(self, name: str, *, concurrency: int, allowance: Allowance | None = None) -> None:
        self._name = name
        self._allowance = allowance
        self._refusal: Failure | None = None
        self.slots = asyncio.Semaphore(max(concurrency, 1))
        self.calls = 0
        self.active = 0

    def claim(self, calls: int) -> Failure | None:
        """Claim so many calls before any is made; why they can't be made, if they can't."""
        if self._refusal is not None:
            return self._refusal
        return None if self._allowance is None else self._allowance.claim(calls)

    async def call(self, ask: Callable[[], Awaitable[T | Failure]]) -> T | Failure:
        """Make a claimed call, unless another was refused. The caller holds a slot."""
        if self._refusal is not None:
            return self._refusal
        self.calls += 1
        self.active += 1
        try:
            answer = await ask()
        finally:
            self.active -= 1
        if isinstance(answer, Failure) and answer.error_class is ErrorClass.AUTH:
            self._refuse(answer)
        return answer

    def _refuse(self, failure: Failure) -> None:
        message = f"not asked: {self._name} refused an earlier call ({failure.message})"
        self._refusal = self._refusal or Failure(
            error_class=failure.error_class, message=message, code=failure.code
        )
