"""A pure function of the evidence in, an evaluator that asks no judge out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from mergebar import catalogue
from mergebar.evaluators import requirements, scoring
from mergebar.model.conversations import Failure
from mergebar.model.evaluations import AskJudge, Evidence, Score
from mergebar.model.text import JsonObject

Measure: TypeAlias = Callable[[Evidence, JsonObject, float], Score | Failure]
"""Evidence, options and threshold in (1.0 where it is fixed)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The built-in evaluator `name`: `measure` sees only evidence that has what it needs."""

    name: str
    measure: Measure

    async def evaluate(
        self, evidence: Evidence, /, *, options: JsonObject, threshold: float | None, ask: AskJudge
    ) -> Score | Failure:
        """Score the turn without the judge."""
        del ask
        missing = requirements.unmet(evidence, name=self.name)
        if missing is not None:
            return missing
        if threshold is None:
            threshold = catalogue.EVALUATORS[self.name].default_threshold
        return self.measure(evidence, options, scoring.FIXED if threshold is None else threshold)
