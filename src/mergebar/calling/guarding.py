"""A call of somebody else's code in; what came back, or what was raised instead, out.

It runs in our process: what it raises must neither end the run nor lose a result.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from mergebar.errors import RAISED_BY_PACKAGES
from mergebar.model.conversations import Noting, Throttled


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """Instead of a result. `late` says that it was us who ended it."""

    error: BaseException
    late: bool = False

    @property
    def words(self) -> str:
        """The exception as Python names it."""
        said = str(self.error)
        name = type(self.error).__name__
        return f"{name}: {said}" if said else name


async def awaited(
    ask: Callable[[], Awaitable[object]], *, timeout_s: float | None
) -> object | Raised:
    """What came back within the time. A cancellation that nobody asked for is a fault too."""
    deadline = asyncio.timeout(timeout_s)
    try:
        async with deadline:
            return await ask()
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return Raised(error=error)
    except RAISED_BY_PACKAGES as error:
        return Raised(error=error, late=isinstance(error, TimeoutError) and deadline.expired())


def notes(party: object) -> tuple[str, ...]:
    """What it has to say about the whole run, if that is sentences."""
    try:
        found: object = party.notes if isinstance(party, Noting) else ()
    except RAISED_BY_PACKAGES:
        return ()
    said = found if isinstance(found, tuple) else ()
    return tuple(note for note in said if isinstance(note, str))


def throttled(party: object) -> int:
    """How often it was told to slow down, if it counts."""
    try:
        found: object = party.throttled if isinstance(party, Throttled) else 0
    except RAISED_BY_PACKAGES:
        return 0
    return found if isinstance(found, int) else 0
