"""One case in; its turns put to the agent in order, each scored as soon as it is answered."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mergebar.model.conversations import (
    Agent,
    Answer,
    ErrorClass,
    Exchange,
    Failure,
    Question,
    RecallingAgent,
    Thread,
)
from mergebar.model.documents import Turn
from mergebar.model.evaluations import Evaluator, Evidence
from mergebar.model.plans import PlannedCheck
from mergebar.model.results import AskedTurn
from mergebar.running.endpoints import Endpoint
from mergebar.running.ledger import Ledger, Page
from mergebar.running.scoring import evidence, score, unmeasured
from mergebar.running.tallies import Tally
from mergebar.running.voting import Bench

_UNPUT = Failure(error_class=ErrorClass.UNAVAILABLE, message="this turn was never put")


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Who takes part, and where it is written down; `recalled` counts answers from a cache."""

    agents: Mapping[str | None, Agent]
    endpoints: Mapping[str | None, Endpoint]
    evaluators: Mapping[str, Evaluator]
    bench: Bench
    ledger: Ledger
    clock: Callable[[], float]
    recalled: Tally = field(default_factory=Tally)


async def converse(page: Page, room: Room) -> None:
    """Put a case once. The agent's slot is held until its last answer, not while that is scored."""
    if not any(page.open):
        return
    thread = _thread(page)
    _recall(page, room, thread)
    async with asyncio.TaskGroup() as scoring:
        if _is_answered(page):
            await _put_turns(page, room, scoring)
            return
        async with room.endpoints[page.case.agent].slots:
            await _put_turns(page, room, scoring)
        _remember(page, room, thread)


def _thread(page: Page) -> Thread:
    prompts = tuple(turn.prompt for turn in page.case.case.turns)
    return Thread(case=page.case.case.key, run=page.run, prompts=prompts)


def _is_answered(page: Page) -> bool:
    return all(turn.index in page.turns for turn in page.case.case.turns)


def _recall(page: Page, room: Room, thread: Thread) -> None:
    """What the agent said to all of this before, unless some of it is known from this very run."""
    agent = room.agents[page.case.agent]
    if page.turns or not isinstance(agent, RecallingAgent):
        return
    answers = agent.recall(thread)
    if answers is not None:
        room.recalled.add(hits=len(answers))
        for turn, answer in zip(page.case.case.turns, answers, strict=True):
            page.turns[turn.index] = AskedTurn(answer=answer)


def _remember(page: Page, room: Room, thread: Thread) -> None:
    agent = room.agents[page.case.agent]
    if not isinstance(agent, RecallingAgent):
        return
    said = (page.turns.get(turn.index) for turn in page.case.case.turns)
    answers = [one.answer for one in said if one is not None and isinstance(one.answer, Answer)]
    if len(answers) == len(thread.prompts):
        agent.remember(thread, tuple(answers))


async def _put_turns(page: Page, room: Room, scoring: asyncio.TaskGroup) -> None:
    """Turns come in order; after one that the agent failed, the others are not put."""
    history: tuple[Exchange, ...] = ()
    conversation: str | None = None
    for turn in page.case.case.turns:
        known = page.turns.get(turn.index)
        answer = known.answer if known else await _put(page, room, turn, history, conversation)
        if not isinstance(answer, Answer):
            _give_up(page, room, turn, answer or _UNPUT)
            return
        for place, check in page.open:
            if check.turn == turn.index:
                seen = evidence(turn, answer, history, redact=room.ledger.options.redactor.redact)
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
    agent, endpoint = room.agents[page.case.agent], room.endpoints[page.case.agent]
    started = room.clock()
    spent = endpoint.claim(1)
    answer = await endpoint.call(lambda: agent.ask(question)) if spent is None else spent
    asked = AskedTurn(answer=answer, duration_s=room.clock() - started)
    room.ledger.answered(page, turn.index, asked)
    return answer


def _give_up(page: Page, room: Room, failed: Turn, failure: Failure) -> None:
    """Write down the checks of this turn and of all later ones as unmeasured."""
    for place, check in list(page.open):
        turn = check.turn or 0
        if turn >= failed.index:
            cause = failure if turn == failed.index else _not_put(turn, failed, failure)
            room.ledger.record(page, place, unmeasured(cause, agent_failed=True))


def _not_put(turn: int, failed: Turn, failure: Failure) -> Failure:
    message = f"turn {turn + 1} was not put: turn {failed.index + 1} failed"
    return Failure(error_class=failure.error_class, message=message, code=failure.code)


async def _score(page: Page, room: Room, place: int, check: PlannedCheck, seen: Evidence) -> None:
    tally = room.bench.count()
    result = await score(
        check,
        seen,
        evaluator=room.evaluators[check.name],
        ask=room.bench.bind(check, run=page.run, tally=tally),
        clock=room.clock,
    )
    room.ledger.record(page, place, result, tally=tally)
