"""A response and the expected response in; how far they say the same, out."""

from mergebar import rubrics
from mergebar.evaluators import requirements
from mergebar.evaluators.judging import Exhibit, Judged
from mergebar.model.conversations import Failure
from mergebar.model.evaluations import Evaluator, Evidence
from mergebar.model.judgements import Material


def create() -> Evaluator:
    return Judged(name="Similarity", rubric=rubrics.SIMILARITY, select=_select)


def _select(evidence: Evidence) -> Exhibit | Failure:
    expected = evidence.expected_response
    if expected is None or requirements.is_blank(expected):
        return requirements.misconfigured(
            "`Similarity` compares with `expected_response`, and this turn's is blank: write one"
        )
    return Exhibit(
        material=Material(
            prompt=evidence.prompt, response=evidence.response, expected_response=expected
        )
    )
