"""The rubrics: a version stands for the words, so that old scores aren't compared with new ones."""

import hashlib
import json

import pytest

from mergebar import catalogue, rubrics
from mergebar.model.judgements import Rubric

DIGESTS = {
    "relevance/1": "9dbc1b70c6c0e895c7efa69ecbc16de1a8268863147fa7a1d3524a924f406e14",
    "coherence/1": "9561655549f159f4e0495335f32ef84052e0f002c60d82aec9a8d35b1ba40264",
    "groundedness/1": "ed3b0c173fd056102e7dec0db4dd1ca86ebf744a1635b6334bc7c698ed2c4dbb",
    "similarity/1": "abf6b088366cf21c75981c580fc91397b8083fb8b685558f08d6857c57056211",
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
def test_a_rubric_anchors_every_score_and_says_how_to_reply(rubric: Rubric) -> None:
    lines = rubric.instructions.splitlines()

    assert [line[:2] for line in lines if line[:1].isdigit()] == ["5:", "4:", "3:", "2:", "1:"]
    reply = next(line for line in lines if line.startswith("{"))
    assert list(json.loads(reply.replace("<whole number from 1 to 5>", "5"))) == ["reason", "score"]
