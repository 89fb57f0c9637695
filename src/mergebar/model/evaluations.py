"""What an evaluator sees of one turn, what it returns, and its Protocol."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from mergebar.model.conversations import Citation, Exchange, Failure
from mergebar.model.judgements import Material, Rubric, Verdict
from mergebar.model.text import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One answered turn. `diagnostics` is `None` where the agent can't supply any.

    What is measured is the text as it is. Words of it go into a message only from the text that
    `redact` leaves: a secret that was split or rewritten is no longer found.
    """

    prompt: str
    response: str
    history: tuple[Exchange, ...] = ()
    expected_response: str | None = None
    context: str | None = None
    citations: tuple[Citation, ...] = ()
    diagnostics: JsonObject | None = None
    redact: Callable[[str], str] = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """The judge's votes on one turn; `score` is their median, `reason` that of a median vote."""

    score: float
    reason: str
    votes: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """An evaluator's result: it ran, and the answer was good enough or not.

    `record` is the entry for `scores.<key>` of a document with results, valid against the schema.
    `votes` is empty for an evaluator without a judge.
    """

    passed: bool
    score: float
    threshold: float | None
    reason: str
    record: JsonObject
    votes: tuple[Verdict, ...] = field(default=())


AskJudge: TypeAlias = Callable[[Rubric, Material], Awaitable[Votes | Failure]]
"""Puts a rubric to the judge as often as the configuration asks, for the check at hand."""


class Evaluator(Protocol):
    """Scores one turn. It must not raise for anything that an agent or a judge can say."""

    async def evaluate(
        self, evidence: Evidence, /, *, options: JsonObject, threshold: float | None, ask: AskJudge
    ) -> Score | Failure:
        """Score the turn; a `Failure` means that the evaluator couldn't say."""
        ...
