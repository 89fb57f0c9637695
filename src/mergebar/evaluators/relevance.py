"""A prompt, the turns before it and the response in; how well it answers what was asked, out."""

from mergebar import rubrics
from mergebar.evaluators.judging import Exhibit, Judged
from mergebar.model.evaluations import Evaluator, Evidence
from mergebar.model.judgements import Material


def create() -> Evaluator:
    return Judged(name="Relevance", rubric=rubrics.RELEVANCE, select=_select)


def _select(evidence: Evidence) -> Exhibit:
    """With the history: a follow-up such as "and tomorrow?" means nothing without it."""
    return Exhibit(
        material=Material(
            prompt=evidence.prompt, response=evidence.response, history=evidence.history
        )
    )
