"""Pieces of work in; all of them done at once, or cut short by a stop or by the minutes, out."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence

from mergebar.model.configuration import BudgetConfig
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.running import budget as budgets

INTERRUPTED = Failure(
    error_class=ErrorClass.UNAVAILABLE, message="interrupted before it was measured"
)


async def finish(
    work: Sequence[Coroutine[None, None, None]],
    *,
    stop: asyncio.Event | None,
    budget: BudgetConfig | None,
    beat: Callable[[], Awaitable[None]] | None = None,
) -> Failure | None:
    """Do it all, as far as slots allow; why some of it wasn't done, if so.

    `beat` runs beside it, for ever.
    """
    tasks: list[asyncio.Task[None]] = []
    reasons: list[Failure] = []

    def cut(reason: Failure) -> None:
        reasons.append(reason)
        for task in tasks:
            task.cancel()

    async with asyncio.TaskGroup() as group:
        # They start before the tasks do, so that a stop from the outset lets none of them begin.
        aside = [group.create_task(one) for one in _aside(cut, stop, budget, beat)]
        tasks += [group.create_task(each) for each in work]
        if tasks:
            await asyncio.wait(tasks)
        for task in aside:
            task.cancel()
    return reasons[0] if any(task.cancelled() for task in tasks) else None


def _aside(
    cut: Callable[[Failure], None],
    stop: asyncio.Event | None,
    budget: BudgetConfig | None,
    beat: Callable[[], Awaitable[None]] | None,
) -> list[Coroutine[None, None, None]]:
    found = []
    if stop is not None:
        found.append(_after(stop.wait, lambda: cut(INTERRUPTED)))
    if budget is not None:
        minutes, spent = budget.minutes, budgets.out_of_time(budget)
        found.append(_after(lambda: asyncio.sleep(minutes * 60), lambda: cut(spent)))
    if beat is not None:
        found.append(_for_ever(beat))
    return found


async def _after(event: Callable[[], Awaitable[object]], act: Callable[[], None]) -> None:
    await event()
    act()


async def _for_ever(beat: Callable[[], Awaitable[None]]) -> None:
    while True:
        await beat()
