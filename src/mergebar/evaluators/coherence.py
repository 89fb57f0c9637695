"""A prompt and the response in; how well the response holds together, out."""

from mergebar import rubrics
from mergebar.evaluators.judging import Exhibit, Judged
from mergebar.model.evaluations import Evaluator, Evidence
from mergebar.model.judgements import Material


def create() -> Evaluator:
    return Judged(name="Coherence", rubric=rubrics.COHERENCE, select=_select)


def _select(evidence: Evidence) -> Exhibit:
    return Exhibit(material=Material(prompt=evidence.prompt, response=evidence.response))
