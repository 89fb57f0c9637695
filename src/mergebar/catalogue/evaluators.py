"""The built-in evaluators as a table, so that a file can be checked without loading any of them."""

from collections.abc import Mapping
from dataclasses import dataclass

EXPECTED_RESPONSE = "expected_response"
RETRIEVAL = "retrieval"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorSpec:
    """What is known of an evaluator before it runs.

    `key` is its entry in `scores`. `needs` names what a turn must bring: `expected_response`, or
    `retrieval` (diagnostics from the agent). `since` is the minor of schema version 1 that brought
    it. `default_threshold` is `None` where the threshold is fixed.
    """

    name: str
    key: str
    since: int
    judged: bool = False
    default_threshold: float | None = None
    needs: tuple[str, ...] = ()


def _table(*specs: EvaluatorSpec) -> Mapping[str, EvaluatorSpec]:
    return {spec.name: spec for spec in specs}


EVALUATORS: Mapping[str, EvaluatorSpec] = _table(
    EvaluatorSpec(name="Relevance", key="relevance", since=0, judged=True, default_threshold=3),
    EvaluatorSpec(name="Coherence", key="coherence", since=0, judged=True, default_threshold=3),
    EvaluatorSpec(
        name="Groundedness", key="groundedness", since=0, judged=True, default_threshold=3
    ),
    EvaluatorSpec(
        name="Similarity",
        key="similarity",
        since=3,
        judged=True,
        default_threshold=3,
        needs=(EXPECTED_RESPONSE,),
    ),
    EvaluatorSpec(name="Citations", key="citations", since=0, default_threshold=1),
    EvaluatorSpec(name="ExactMatch", key="exactMatch", since=1, needs=(EXPECTED_RESPONSE,)),
    EvaluatorSpec(
        name="PartialMatch",
        key="partialMatch",
        since=1,
        default_threshold=0.5,
        needs=(EXPECTED_RESPONSE,),
    ),
    EvaluatorSpec(name="RetrievalQuery", key="retrievalQuery", since=5, needs=(RETRIEVAL,)),
    EvaluatorSpec(name="RetrievalResult", key="retrievalResult", since=5, needs=(RETRIEVAL,)),
)

SYSTEM_DEFAULTS = ("Relevance", "Coherence")
"""What a turn gets when neither it nor its document names an evaluator (spec, section 1.9)."""


def find(name: str) -> EvaluatorSpec | None:
    """The built-in evaluator of exactly this name."""
    return EVALUATORS.get(name)
