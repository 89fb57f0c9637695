"""An agent or a judge as the run sees it: how many at once, whether it still lets us in, counts."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from mergebar.model.conversations import ErrorClass, Failure

T = TypeVar("T")


class Endpoint:
    """One thing that is called. After it has refused our credentials, it isn't called again."""

    __slots__ = ("_name", "_refusal", "calls", "slots")

    def __init__(self, name: str, *, concurrency: int) -> None:
        self._name = name
        self._refusal: Failure | None = None
        self.slots = asyncio.Semaphore(max(concurrency, 1))
        self.calls = 0

    async def call(self, ask: Callable[[], Awaitable[T | Failure]]) -> T | Failure:
        """Call, unless an earlier call was refused. The caller holds a slot."""
        if self._refusal is not None:
            return self._refusal
        self.calls += 1
        answer = await ask()
        if isinstance(answer, Failure) and answer.error_class is ErrorClass.AUTH:
            self._refuse(answer)
        return answer

    def _refuse(self, failure: Failure) -> None:
        message = f"not asked: {self._name} refused an earlier call ({failure.message})"
        self._refusal = self._refusal or Failure(
            error_class=failure.error_class, message=message, code=failure.code
        )
