"""The rubrics: a version stands for the words, so that old scores aren't compared with new ones."""

import hashlib

import pytest

from mergebar import catalogue, rubrics
from mergebar.model.judgements import Rubric

DIGESTS = {
    "relevance/1": "3dad1a7646a0c21d092941ac31f0a0533322fece1bb8f1cbcc6aba45eee242cf",
    "coherence/1": "e26928c89a17f93fcf1777361fe3d9cbead6b22ff1bb55d3d2135ea01bf6c236",
    "groundedness/1": "46c8d025c4d7fcad169b2762c75c4d91205db700ea3e481568c20af772784d62",
    "similarity/1": "3fe649bf741be0385dd3e1f4799544278fa7d844c49a1c93260fbe45a8aad770",
}


def test_every_judged_evaluator_has_a_rubric_of_its_name() -> None:
    judged = {name for name, spec in catalogue.EVALUATORS.items() if spec.judged}

    assert {rubric.name for rubric in rubrics.RUBRICS} == judged


@pytest.mark.parametrize("rubric", rubrics.RUBRICS, ids=lambda rubric: rubric.name)
def test_the_words_of_a_rubric_change_only_with_its_version(rubric: Rubric) -> None:
    digest = hashlib.sha256(rubric.instructions.encode()).hexdigest()

    assert DIGESTS.get(rubric.version) == digest, (
        "these words have another version: count it up in `rubrics.py`, and add the new digest here"
    )


@pytest.mark.parametrize("rubric", rubrics.RUBRICS, ids=lambda rubric: rubric.name)
def test_a_rubric_anchors_every_score(rubric: Rubric) -> None:
    lines = rubric.instructions.splitlines()

    assert [line[:2] for line in lines if line[:1].isdigit()] == ["5:", "4:", "3:", "2:", "1:"]
