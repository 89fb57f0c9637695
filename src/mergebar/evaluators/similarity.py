"""A response and the expected response in; how far they say the same, out."""

from mergebar import rubrics
from mergebar.evaluators.judging import Exhibit, Judged
from mergebar.model.evaluations import Evaluator, Evidence
from mergebar.model.judgements import Material


def create() -> Evaluator:
    return Judged(name="Similarity", rubric=rubrics.SIMILARITY, select=_select)


def _select(evidence: Evidence) -> Exhibit:
    return Exhibit(
        material=Material(
            prompt=evidence.prompt,
            response=evidence.response,
            expected_response=evidence.expected_response,
        )
    )
