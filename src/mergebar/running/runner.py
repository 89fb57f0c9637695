"""A plan and its adapters in; results out: what was asked, what was scored, and what was not."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mergebar.journal import Journal
from mergebar.model.conversations import Agent, Failure, Noting, Throttled
from mergebar.model.evaluations import Evaluator
from mergebar.model.judgements import Judge
from mergebar.model.plans import Plan
from mergebar.model.results import CallCounts, Results, RunResult
from mergebar.running import budget, concurrency, grading
from mergebar.running.budget import Allowance
from mergebar.running.conversing import Room, converse
from mergebar.running.endpoints import Endpoint
from mergebar.running.ledger import Ledger, Page
from mergebar.running.options import Progress, RunOptions
from mergebar.running.restoring import restore
from mergebar.running.run_journal import RunJournal
from mergebar.running.session_protocols import Sessions
from mergebar.running.voting import Bench
from mergebar.running.watching import Watch


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
    pulse: Callable[[], Awaitable[object]] | None = None,
    journal: Journal | None = None,
) -> Results:
    """Put every case, score every answer, hold every session: one result per planned check.

    Setting `stop` ends the run early: what was measured stays, the rest is an error, and the
    results are not complete; so do the minutes of the budget. `pulse` returns whenever it is time
    to say how far the run is. What the journal holds isn't asked again. A bug in an adapter
    surfaces as an exception group.
    """
    adapters = (*agents.values(), judge)
    gates = _Gates.of(plan, judge, options)
    watch = Watch(progress, load=lambda: (gates.active, _throttled(adapters)))
    ledger = Ledger(plan, options=options, watch=watch, journal=RunJournal(journal))
    asked = restore(ledger, bench=gates.bench, runs=gates.runs, replayed=options.replayed)
    watch.begin(*_known(ledger.pages))
    room = Room(
        agents=agents,
        endpoints=gates.endpoints,
        evaluators=evaluators,
        bench=gates.bench,
        ledger=ledger,
        clock=clock,
    )
    work = [converse(page, room) for page in ledger.pages if page.case.scenario is None]
    if sessions is not None:
        work += _held(plan, room, gates.runner, sessions, options)
    left = await concurrency.finish(
        work, stop=stop, budget=options.budget, beat=None if pulse is None else _beat(pulse, watch)
    )
    return ledger.close(
        _calls(gates, room, options, before=asked),
        left=left,
        notes=_notes(*adapters, sessions),
    )


def refused(plan: Plan, failure: Failure, *, options: RunOptions) -> Results:
    """The results of a plan that isn't begun: nothing was asked, and every check says why."""
    watch = Watch(None, load=lambda: (0, 0))
    ledger = Ledger(plan, options=options, watch=watch)
    return replace(ledger.close(CallCounts(), left=failure, notes=()), complete=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gates:
    """Everything that is called in this run. `runs` is what agents' calls are claimed from."""

    runs: Allowance
    bench: Bench
    runner: Endpoint
    endpoints: Mapping[str | None, Endpoint]

    @classmethod
    def of(cls, plan: Plan, judge: Judge | None, options: RunOptions) -> "_Gates":
        runs = budget.agents(options.budget)
        names = {case.agent for case in plan.cases if case.scenario is None and case.skip is None}
        return cls(
            runs=runs,
            bench=Bench(judge, options=options, allowance=budget.judge(options.budget)),
            runner=Endpoint("the sessions", concurrency=1, allowance=runs),
            endpoints={
                name: Endpoint(
                    "the stored answers" if name is None else f"agent `{name}`",
                    concurrency=options.concurrency.get(name, 1),
                    allowance=None if name in options.replayed else runs,
                )
                for name in names
            },
        )

    @property
    def active(self) -> int:
        """How many calls are waited for."""
        others = (self.bench.endpoint, self.runner)
        return sum(endpoint.active for endpoint in (*self.endpoints.values(), *others))


def _known(pages: Sequence[Page]) -> tuple[list[str], list[tuple[str, RunResult]]]:
    wanted = [page.case.suite for page in pages for _ in page.wanted]
    known = [
        (page.case.suite, result)
        for page in pages
        for result in page.checks.values()
        if isinstance(result, RunResult)
    ]
    return wanted, known


def _beat(pulse: Callable[[], Awaitable[object]], watch: Watch) -> Callable[[], Awaitable[None]]:
    async def beat() -> None:
        await pulse()
        watch.beat()

    return beat


def _throttled(adapters: Sequence[object]) -> int:
    return sum(one.throttled for one in adapters if isinstance(one, Throttled))


def _held(
    plan: Plan, room: Room, runner: Endpoint, sessions: Sessions, options: RunOptions
) -> Iterator[Coroutine[None, None, None]]:
    """The sessions to open, each with all evals on it."""
    found = grading.by_session(room.ledger.pages)
    booth = grading.Booth(
        sessions=sessions,
        runner=runner,
        bench=room.bench,
        artifacts={
            suite.path: suite.artifact for suite in plan.suites if suite.artifact is not None
        },
        slots=grading.slots([scenario for scenario, _ in found], options.sessions),
        grading=grading.grading_slots(),
        ledger=room.ledger,
        clock=room.clock,
    )
    for scenario, pages in found:
        yield grading.hold(scenario, pages, booth)


def _calls(gates: _Gates, room: Room, options: RunOptions, *, before: int) -> CallCounts:
    """What was really called: recordings are read, not called. `before` counts agents' calls."""
    live = (
        endpoint.calls for name, endpoint in gates.endpoints.items() if name not in options.replayed
    )
    return CallCounts(
        agent_calls=sum(live) + gates.runner.calls + before,
        judge_calls=0 if options.judge_replayed else gates.bench.tally.calls,
        cache_hits=gates.bench.tally.hits + room.recalled.hits,
    )


def _notes(*adapters: object) -> tuple[str, ...]:
    """What adapters have to say about the whole run, each thing once."""
    told = (note for one in adapters if isinstance(one, Noting) for note in one.notes)
    return tuple(dict.fromkeys(told))
