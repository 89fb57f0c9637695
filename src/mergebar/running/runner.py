"""A plan and its adapters in; results out: what was asked, what was scored, and what was not."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence

from mergebar.model.conversations import Agent, Noting
from mergebar.model.evaluations import Evaluator
from mergebar.model.judgements import Judge
from mergebar.model.plans import Plan
from mergebar.model.results import CallCounts, Results
from mergebar.running import holding
from mergebar.running.conversing import Room, converse
from mergebar.running.endpoints import Endpoint
from mergebar.running.ledger import Ledger, Page
from mergebar.running.opened import Sessions
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
    sessions: Sessions | None = None,
    stop: asyncio.Event | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Results:
    """Put every case, score every answer, hold every session: one result per planned check.

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
    work = [converse(page, room) for page in ledger.pages if page.case.scenario is None]
    work += _held(plan, room, sessions, options)
    complete = await _together(work, stop=stop)
    return ledger.close(
        _calls(room, options, ran=sessions.runs if sessions is not None else 0),
        complete=complete,
        notes=_notes(*agents.values(), judge, sessions),
    )


def _held(
    plan: Plan, room: Room, sessions: Sessions | None, options: RunOptions
) -> list[Coroutine[None, None, None]]:
    """The sessions to open, each with all evals on it."""
    found = holding.by_session(room.ledger.pages)
    if sessions is None or not found:
        return []
    booth = holding.Booth(
        sessions=sessions,
        judge=room.bench.judge,
        artifacts={
            suite.path: suite.artifact for suite in plan.suites if suite.artifact is not None
        },
        slots=holding.slots([scenario for scenario, _ in found], options.sessions),
        grading=holding.grading_slots(),
        ledger=room.ledger,
        clock=room.clock,
    )
    return [holding.hold(scenario, pages, booth) for scenario, pages in found]


async def _together(
    work: Sequence[Coroutine[None, None, None]], *, stop: asyncio.Event | None
) -> bool:
    """Do it all at once, as far as slots allow; whether nothing was cut short."""
    tasks: list[asyncio.Task[None]] = []
    async with asyncio.TaskGroup() as group:
        watcher = None if stop is None else group.create_task(_cancel(tasks, when=stop))
        tasks += [group.create_task(each) for each in work]
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
    names = {page.case.agent for page in pages if page.case.scenario is None}
    return {
        name: Endpoint(
            "the stored answers" if name is None else f"agent `{name}`",
            concurrency=options.concurrency.get(name, 1),
        )
        for name in names
    }


def _calls(room: Room, options: RunOptions, *, ran: int) -> CallCounts:
    """What was really called: recordings are read, not called. `ran` is how many sessions were."""
    live = (
        endpoint.calls for name, endpoint in room.endpoints.items() if name not in options.replayed
    )
    return CallCounts(
        agent_calls=sum(live) + ran,
        judge_calls=0 if options.judge_replayed else room.bench.calls,
        cache_hits=room.bench.cache_hits,
    )


def _notes(*adapters: object) -> tuple[str, ...]:
    """What adapters have to say about the whole run, each thing once."""
    told = (note for one in adapters if isinstance(one, Noting) for note in one.notes)
    return tuple(dict.fromkeys(told))
