"""A response and what it should rest on in; how far it is supported, out.

An answer is never its own ground: without a `context` and an `expected_response`, it can't say.
"""

from mergebar import catalogue, rubrics
from mergebar.evaluators import requirements
from mergebar.evaluators.judging import Exhibit, Judged
from mergebar.model.conversations import Failure
from mergebar.model.evaluations import Evaluator, Evidence
from mergebar.model.judgements import Material


def create() -> Evaluator:
    return Judged(name="Groundedness", rubric=rubrics.GROUNDEDNESS, select=_select)


def _select(evidence: Evidence) -> Exhibit | Failure:
    if evidence.context is not None and not catalogue.is_blank(evidence.context):
        return _exhibit(evidence, evidence.context, source="context")
    expected = evidence.expected_response
    if expected is not None and not catalogue.is_blank(expected):
        note = " (grounded in `expected_response`: the turn has no `context`)"
        return _exhibit(evidence, expected, source="expected_response", note=note)
    return requirements.misconfigured(
        "`Groundedness` needs something that the answer should rest on, and this turn has neither "
        "`context` nor `expected_response`: add one, or remove the evaluator"
    )


def _exhibit(evidence: Evidence, ground: str, *, source: str, note: str = "") -> Exhibit:
    return Exhibit(
        material=Material(prompt=evidence.prompt, response=evidence.response, context=ground),
        note=note,
        extra={"context_source": source},
    )
