"""An agent, a judge and an evaluator that do what a script says, and remember what they saw.

Time is counted in turns of the event loop, so that a test with delays takes no time.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from mergebar.model.conversations import Answer, Failure, Question
from mergebar.model.evaluations import AskJudge, Evidence, Score, Votes
from mergebar.model.judgements import Assessment, JudgeIdentity, Material, Rubric, Verdict
from mergebar.model.text import JsonObject

RUBRIC = Rubric(name="Relevance", version="1", instructions="Score it.")


async def pause(ticks: int) -> None:
    """Let everything else go on for a while."""
    for _ in range(ticks):
        await asyncio.sleep(0)


@dataclass(kw_only=True)
class ScriptedAgent:
    """Answers by (case, turn), else with an echo; waits as many ticks as it is told."""

    script: Mapping[tuple[str, int], Answer | Failure | Exception] = field(default_factory=dict)
    ticks: Callable[[Question], int] = lambda _: 1
    asked: list[Question] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    notes: tuple[str, ...] = ()

    async def ask(self, question: Question, /) -> Answer | Failure:
        self.asked.append(question)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await pause(self.ticks(question))
        finally:
            self.at_once -= 1
        said = self.script.get((question.case, question.turn))
        if isinstance(said, Exception):
            raise said
        return said or Answer(
            response=f"echo {question.prompt}", conversation_id=f"c-{question.case}"
        )

    async def aclose(self) -> None:
        return


@dataclass(kw_only=True)
class ScriptedJudge:
    """Votes by number, the last vote again where the script ends."""

    votes: tuple[float | Failure, ...] = (5,)
    ticks: int = 1
    cached: bool = False
    asked: list[Assessment] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity(provider="scripted"))

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        self.asked.append(assessment)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await pause(self.ticks)
        finally:
            self.at_once -= 1
        vote = self.votes[min(assessment.vote, len(self.votes) - 1)]
        if isinstance(vote, Failure):
            return vote
        return Verdict(score=vote, reason=f"vote {assessment.vote}", cached=self.cached)

    async def aclose(self) -> None:
        return


@dataclass(kw_only=True)
class ScriptedEvaluator:
    """Passes a response that doesn't contain `bad`, unless its script says otherwise."""

    say: Callable[[Evidence], Score | Failure | Exception] | None = None
    ticks: int = 1
    seen: list[Evidence] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    async def evaluate(
        self,
        evidence: Evidence,
        /,
        *,
        options: JsonObject,  # noqa: ARG002 - the Protocol's
        threshold: float | None,  # noqa: ARG002 - the Protocol's
        ask: AskJudge,  # noqa: ARG002 - the Protocol's
    ) -> Score | Failure:
        self.seen.append(evidence)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await pause(self.ticks)
        finally:
            self.at_once -= 1
        found = self.say(evidence) if self.say else scored(1 - ("bad" in evidence.response))
        if isinstance(found, Exception):
            raise found
        return found


class AskingEvaluator:
    """Asks the judge, and passes from the threshold on."""

    async def evaluate(
        self,
        evidence: Evidence,
        /,
        *,
        options: JsonObject,  # noqa: ARG002 - the Protocol's
        threshold: float | None,
        ask: AskJudge,
    ) -> Score | Failure:
        material = Material(prompt=evidence.prompt, response=evidence.response)
        votes = await self._ask(ask, material)
        if isinstance(votes, Failure):
            return votes
        return Score(
            passed=votes.score >= (threshold or 3),
            score=votes.score,
            threshold=threshold,
            reason=votes.reason,
            record={},
            votes=votes.votes,
        )

    def _ask(self, ask: AskJudge, material: Material) -> Awaitable[Votes | Failure]:
        return ask(RUBRIC, material)


def scored(score: float, *, threshold: float | None = None) -> Score:
    """A score that passes from 0.5 on."""
    return Score(
        passed=score >= 0.5, score=score, threshold=threshold, reason=f"scored {score}", record={}
    )
