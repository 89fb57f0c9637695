"""One case in; its turns put to the agent in order, each scored as soon as it is answered."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mergebar.model.conversations import Agent, Answer, Exchange, Failure, Question
from mergebar.model.documents import Turn
from mergebar.model.evaluations import Evaluator, Evidence
from mergebar.model.plans import PlannedCheck
from mergebar.model.results import AskedTurn
from mergebar.running.endpoints import Endpoint
from mergebar.running.ledger import Ledger, Page
from mergebar.running.scoring import evidence, score, unmeasured
from mergebar.running.voting import Bench


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Who takes part, and where it is written down."""

    agents: Mapping[str | None, Agent]
    endpoints: Mapping[str | None, Endpoint]
    evaluators: Mapping[str, Evaluator]
    bench: Bench
    ledger: Ledger
    clock: Callable[[], float]


async def converse(page: Page, room: Room) -> None:
    """Put a case once. The agent's slot is held until its last answer, not while that is scored."""
    async with asyncio.TaskGroup() as scoring, room.endpoints[page.case.agent].slots:
        await _put_turns(page, room, scoring)


async def _put_turns(page: Page, room: Room, scoring: asyncio.TaskGroup) -> None:
    """Turns come in order; after one that the agent failed, the others are not put."""
    history: tuple[Exchange, ...] = ()
    conversation: str | None = None
    for turn in page.case.case.turns:
        answer = await _put(page, room, turn, history, conversation)
        if isinstance(answer, Failure):
            _give_up(page, room, turn, answer)
            return
        for place, check in page.wanted:
            if check.turn == turn.index:
                seen = evidence(turn, answer, history)
                scoring.create_task(_score(page, room, place, check, seen))
        history = (*history, Exchange(prompt=turn.prompt, response=answer.response))
        conversation = answer.conversation_id or conversation


async def _put(
    page: Page,
    room: Room,
    turn: Turn,
    history: tuple[Exchange, ...],
    conversation: str | None,
) -> Answer | Failure:
    question = Question(
        suite=page.case.suite,
        case=page.case.case.key,
        turn=turn.index,
        run=page.run,
        prompt=turn.prompt,
        history=history,
        conversation_id=conversation,
        stored=turn.stored,
        last=turn.index == page.case.case.turns[-1].index,
    )
    agent = room.agents[page.case.agent]
    started = room.clock()
    answer = await room.endpoints[page.case.agent].call(lambda: agent.ask(question))
    page.turns[turn.index] = AskedTurn(answer=answer, duration_s=room.clock() - started)
    return answer


def _give_up(page: Page, room: Room, failed: Turn, failure: Failure) -> None:
    """Write down the checks of this turn and of all later ones as unmeasured."""
    for place, check in page.wanted:
        turn = check.turn or 0
        if turn >= failed.index:
            cause = failure if turn == failed.index else _not_put(turn, failed, failure)
            room.ledger.record(page, place, unmeasured(cause, agent_failed=True))


def _not_put(turn: int, failed: Turn, failure: Failure) -> Failure:
    message = f"turn {turn + 1} was not put: turn {failed.index + 1} failed"
    return Failure(error_class=failure.error_class, message=message, code=failure.code)


async def _score(page: Page, room: Room, place: int, check: PlannedCheck, seen: Evidence) -> None:
    result = await score(
        check,
        seen,
        evaluator=room.evaluators[check.name],
        ask=room.bench.bind(check, run=page.run),
        clock=room.clock,
    )
    room.ledger.record(page, place, result)
