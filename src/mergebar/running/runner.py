"""A plan and its adapters in; results out: what was asked, what was scored, and what was not."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from mergebar.model.conversations import Agent, Noting
from mergebar.model.evaluations import Evaluator
from mergebar.model.judgements import Judge
from mergebar.model.plans import Plan
from mergebar.model.results import CallCounts, Results
from mergebar.running.conversing import Room, converse
from mergebar.running.endpoints import Endpoint
from mergebar.running.ledger import Ledger, Page
from mergebar.running.options import Progress, RunOptions
from mergebar.running.voting import Bench


async def run(  # noqa: PLR0913 - every effect of a run enters here
    plan: Plan,
    *,
    agents: Mapping[str | None, Agent],
    judge: Judge | None,
    evaluators: Mapping[str, Evaluator],
    options: RunOptions,
    clock: Callable[[], float],
    stop: asyncio.Event | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Results:
    """Put every case, score every answer: one result per planned check, in plan order.

    Setting `stop` ends the run early: what was measured stays, the rest is an error, and the
    results are not complete. A bug in an adapter surfaces as an exception group.
    """
    ledger = Ledger(plan, options=options, tell=progress)
    bench = Bench(judge, options=options)
    room = Room(
        agents=agents,
        endpoints=_endpoints(ledger.pages, options),
        evaluators=evaluators,
        bench=bench,
        ledger=ledger,
        clock=clock,
    )
    complete = await _converse(ledger.pages, room, stop=stop)
    return ledger.close(
        _calls(room, options), complete=complete, notes=_notes(*agents.values(), judge)
    )


async def _converse(pages: Sequence[Page], room: Room, *, stop: asyncio.Event | None) -> bool:
    """Put all cases at once, as far as their agents take them; whether none was cut short."""
    tasks: list[asyncio.Task[None]] = []
    async with asyncio.TaskGroup() as group:
        watcher = None if stop is None else group.create_task(_cancel(tasks, when=stop))
        tasks += [group.create_task(converse(page, room)) for page in pages]
        if tasks:
            await asyncio.wait(tasks)
        if watcher is not None:
            watcher.cancel()
    return not any(task.cancelled() for task in tasks)


async def _cancel(tasks: Sequence[asyncio.Task[None]], *, when: asyncio.Event) -> None:
    """Starts before the tasks do, so that a stop from the outset lets none of them begin."""
    await when.wait()
    for task in tasks:
        task.cancel()


def _endpoints(pages: Sequence[Page], options: RunOptions) -> Mapping[str | None, Endpoint]:
    names = {page.case.agent for page in pages}
    return {
        name: Endpoint(
            "the stored answers" if name is None else f"agent `{name}`",
            concurrency=options.concurrency.get(name, 1),
        )
        for name in names
    }


def _calls(room: Room, options: RunOptions) -> CallCounts:
    """What was really called: recordings are read, not called."""
    live = (
        endpoint.calls for name, endpoint in room.endpoints.items() if name not in options.replayed
    )
    return CallCounts(
        agent_calls=sum(live),
        judge_calls=0 if options.judge_replayed else room.bench.calls,
        cache_hits=room.bench.cache_hits,
    )


def _notes(*adapters: object) -> tuple[str, ...]:
    """What adapters have to say about the whole run, each thing once."""
    told = (note for one in adapters if isinstance(one, Noting) for note in one.notes)
    return tuple(dict.fromkeys(told))
