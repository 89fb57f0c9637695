"""Relevance, Coherence, Groundedness and Similarity: what is put to the judge, and what comes of it."""

import math

import pytest

from mergebar import rubrics
from mergebar.model.conversations import ErrorClass, Exchange, Failure
from mergebar.model.evaluations import Evidence
from mergebar.model.judgements import Material
from support.evaluating import answered, broken_judge, evaluate, failure, judge, score

JUDGED = ["Relevance", "Coherence", "Groundedness", "Similarity"]
FULL = Evidence(
    prompt="And how long does that take?",
    response="Eight seconds.",
    history=(Exchange(prompt="How do I reset it?", response="Hold the button."),),
    expected_response="About eight seconds.",
    context="Hold the button for eight seconds.",
)


@pytest.mark.parametrize(
    ("name", "rubric", "material"),
    [
        (
            "Relevance",
            rubrics.RELEVANCE,
            Material(prompt=FULL.prompt, response=FULL.response, history=FULL.history),
        ),
        (
            "Coherence",
            rubrics.COHERENCE,
            Material(prompt=FULL.prompt, response=FULL.response),
        ),
        (
            "Groundedness",
            rubrics.GROUNDEDNESS,
            Material(prompt=FULL.prompt, response=FULL.response, context=FULL.context),
        ),
        (
            "Similarity",
            rubrics.SIMILARITY,
            Material(
                prompt=FULL.prompt,
                response=FULL.response,
                expected_response=FULL.expected_response,
            ),
        ),
    ],
)
def test_the_judge_reads_what_the_rubric_is_about_and_nothing_else(
    name: str, rubric: object, material: Material
) -> None:
    ask = judge(4)

    score(name, FULL, ask=ask)

    assert ask.asked == [(rubric, material)]


@pytest.mark.parametrize("name", JUDGED)
def test_reaching_the_threshold_is_enough(name: str) -> None:
    assert score(name, FULL, ask=judge(3)).passed
    assert not score(name, FULL, ask=judge(2.5)).passed
    assert not score(name, FULL, ask=judge(4), threshold=4.5).passed
    assert score(name, FULL, ask=judge(4.5), threshold=4.5).passed


def test_the_record_has_the_judges_reason_and_the_votes_stay_with_the_score() -> None:
    scored = score("Relevance", FULL, ask=judge(4, "It says how long."), threshold=3.5)

    assert scored.record == {
        "score": 4,
        "result": "pass",
        "threshold": 3.5,
        "reason": "It says how long.",
    }
    assert [vote.score for vote in scored.votes] == [4]
    assert (scored.score, scored.threshold, scored.reason) == (4, 3.5, "It says how long.")


@pytest.mark.parametrize("name", JUDGED)
def test_a_judge_that_cannot_say_is_passed_on_unchanged(name: str) -> None:
    ask = broken_judge()

    assert evaluate(name, FULL, ask=ask) is ask.reply


@pytest.mark.parametrize("name", JUDGED)
@pytest.mark.parametrize("blank", ["", " \n\t", "\u200b", "\x00\x00", "\ufeff"])
def test_an_empty_answer_is_never_put_to_the_judge(name: str, blank: str) -> None:
    ask = judge(5)

    failed = evaluate(
        name,
        Evidence(prompt="How?", response=blank, expected_response="x", context="y"),
        ask=ask,
    )

    assert isinstance(failed, Failure)
    assert failed.error_class is ErrorClass.BAD_RESPONSE
    assert failed.code == "emptyAgentResponse"
    assert ask.asked == []


@pytest.mark.parametrize("name", JUDGED)
@pytest.mark.parametrize("number", [math.nan, math.inf, 0, 5.5, 7, -1])
def test_a_score_off_the_scale_is_no_score(name: str, number: float) -> None:
    failed = failure(name, FULL, ask=judge(number))

    assert failed.code == "judgeOutputUnparseable"


@pytest.mark.parametrize("expected", [None, "", " \n"])
def test_similarity_needs_something_to_compare_with(expected: str | None) -> None:
    failed = failure("Similarity", answered("Eight seconds.", expected))

    assert failed.error_class is ErrorClass.EVALUATOR
    assert failed.code == "evaluatorConfigurationError"


def test_groundedness_rests_on_the_context() -> None:
    scored = score("Groundedness", FULL, ask=judge(5, "All of it is there."))

    assert scored.record["context_source"] == "context"
    assert scored.reason == "All of it is there."


@pytest.mark.parametrize("context", [None, "", "  "])
def test_groundedness_falls_back_on_the_expected_response_and_says_so(context: str | None) -> None:
    ask = judge(5, "All of it is there.")

    scored = score("Groundedness", answered("Eight.", "About eight.", context), ask=ask)

    assert ask.asked[0][1].context == "About eight."
    assert ask.asked[0][1].expected_response is None
    assert scored.record["context_source"] == "expected_response"
    assert scored.reason == (
        "All of it is there. (grounded in `expected_response`: the turn has no `context`)"
    )


@pytest.mark.parametrize("expected", [None, "", " "])
def test_an_answer_is_never_its_own_ground(expected: str | None) -> None:
    ask = judge(5)

    failed = failure("Groundedness", answered("Eight seconds.", expected), ask=ask)

    assert failed.code == "evaluatorConfigurationError"
    assert ask.asked == []
