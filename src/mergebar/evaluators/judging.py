"""A rubric and what it is applied to in, an evaluator that asks the judge out."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from mergebar import catalogue
from mergebar.evaluators import requirements, scoring
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.evaluations import AskJudge, Evidence, Score, Votes
from mergebar.model.judgements import Material, Rubric
from mergebar.model.text import Json, JsonObject

_LOWEST, _HIGHEST = 1, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """What the judge gets to read. `note` ends the reason; `extra` goes into the record."""

    material: Material
    note: str = ""
    extra: JsonObject = field(default_factory=dict)


Select: TypeAlias = Callable[[Evidence], Exhibit | Failure]
"""Takes from the evidence what the rubric is about, and nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The built-in evaluator `name`: one rubric on what `select` takes from a turn."""

    name: str
    rubric: Rubric
    select: Select

    async def evaluate(
        self, evidence: Evidence, /, *, options: JsonObject, threshold: float | None, ask: AskJudge
    ) -> Score | Failure:
        """Ask the judge, unless there is nothing to ask about."""
        del options
        exhibit = requirements.unmet(evidence, name=self.name) or self.select(evidence)
        if isinstance(exhibit, Failure):
            return exhibit
        votes = await ask(self.rubric, exhibit.material)
        if isinstance(votes, Failure):
            return votes
        if threshold is None:
            threshold = catalogue.EVALUATORS[self.name].default_threshold
        return _scored(votes, exhibit, threshold=_LOWEST if threshold is None else threshold)


def _scored(votes: Votes, exhibit: Exhibit, *, threshold: float) -> Score | Failure:
    if not (math.isfinite(votes.score) and _LOWEST <= votes.score <= _HIGHEST):
        return Failure(
            error_class=ErrorClass.BAD_RESPONSE,
            message=f"the judge's score is {votes.score}, which isn't between 1 and 5",
            code="judgeOutputUnparseable",
        )
    passed = scoring.meets(votes.score, threshold)
    reason = scoring.tidy(votes.reason) + exhibit.note
    record: dict[str, Json] = {
        "score": votes.score,
        "result": scoring.result(passed=passed),
        "threshold": threshold,
        "reason": reason,
        **exhibit.extra,
    }
    return Score(
        passed=passed,
        score=votes.score,
        threshold=threshold,
        reason=reason,
        record=record,
        votes=votes.votes,
    )
