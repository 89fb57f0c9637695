"""The cases of one session in; each of its evals graded, one session at a time for each slot."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mergebar.model.artifacts import Artifact
from mergebar.model.conversations import Failure
from mergebar.model.plans import PlannedCheck
from mergebar.model.results import RunResult
from mergebar.model.scenarios import Scenario
from mergebar.running.endpoints import Endpoint
from mergebar.running.ledger import Ledger, Page
from mergebar.running.scoring import unmeasured
from mergebar.running.session_protocols import OpenedSession, Sessions
from mergebar.running.voting import Bench

READ_AT_ONCE = 2
"""Recorded sessions: each takes memory."""

_GRADED_AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Booth:
    """Who takes part. `slots` bound the sessions that are open, by group; `None` is recorded.

    Sessions that are run are calls of `runner`.
    """

    sessions: Sessions
    runner: Endpoint
    bench: Bench
    artifacts: Mapping[str, Artifact]
    slots: Mapping[int | None, asyncio.Semaphore]
    grading: asyncio.Semaphore
    ledger: Ledger
    clock: Callable[[], float]


def slots(
    scenarios: Sequence[Scenario], concurrency: Sequence[int]
) -> Mapping[int | None, asyncio.Semaphore]:
    """`concurrency` is how many sessions each artifact group may run at once."""
    groups = {one.group for one in scenarios if one.trace is None}
    own: dict[int | None, asyncio.Semaphore] = {
        group: asyncio.Semaphore(concurrency[group] if group < len(concurrency) else 1)
        for group in groups
    }
    return {None: asyncio.Semaphore(READ_AT_ONCE), **own}


def grading_slots() -> asyncio.Semaphore:
    """How many evals are graded at once."""
    return asyncio.Semaphore(_GRADED_AT_ONCE)


def by_session(pages: Sequence[Page]) -> list[tuple[Scenario, list[Page]]]:
    """The pages of each session; one that is run serves all artifacts of its group.

    Each repeat is a session of its own.
    """
    found: dict[tuple[int, str, int], tuple[Scenario, list[Page]]] = {}
    for page in pages:
        scenario = page.case.scenario
        if scenario is not None:
            group = scenario.group if scenario.trace is None else -1
            key = (group, scenario.path, page.run)
            found.setdefault(key, (scenario, []))[1].append(page)
    return list(found.values())


async def hold(scenario: Scenario, pages: Sequence[Page], booth: Booth) -> None:
    """Open a session and grade all evals on it."""
    if not any(any(page.open) for page in pages):
        return
    async with booth.slots[scenario.group if scenario.trace is None else None]:
        opened = await _open(scenario, booth, run=pages[0].run)
        if isinstance(opened, Failure):
            for page in pages:
                for place, _ in list(page.open):
                    booth.ledger.record(page, place, unmeasured(opened, agent_failed=True))
            return
        try:
            async with asyncio.TaskGroup() as group:
                for page in pages:
                    for place, check in list(page.open):
                        group.create_task(_grade(page, place, check, opened, booth))
        finally:
            await opened.close()
    if scenario.trace is None:
        booth.ledger.settled(pages)


async def _open(scenario: Scenario, booth: Booth, *, run: int) -> OpenedSession | Failure:
    if scenario.trace is not None:
        return await booth.sessions.open(scenario, run=run)
    spent = booth.runner.claim(1)
    if spent is not None:
        return spent
    return await booth.runner.call(lambda: booth.sessions.open(scenario, run=run))


async def _grade(
    page: Page, place: int, check: PlannedCheck, opened: OpenedSession, booth: Booth
) -> None:
    async with booth.grading:
        started, tally = booth.clock(), booth.bench.count()
        artifact = booth.artifacts[page.case.suite]
        found = await opened.grade(check, artifact, judge=booth.bench.judge(tally))
        if isinstance(found, RunResult):
            found = found.lasting(booth.clock() - started)
        booth.ledger.record(page, place, found, tally=tally)
