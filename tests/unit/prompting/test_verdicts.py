"""Reading a judge's reply."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import prompting
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.judgements import Verdict

WHOLE = '{"reason": "fine", "score": 4, "status": "completed"}'


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"\n  {WHOLE}\n",
        f"\ufeff{WHOLE}",
        f"```json\n{WHOLE}\n```",
        f"```\n{WHOLE}```",
        f"```JSON\r\n{WHOLE}\r\n```",
        f"Here you are: {WHOLE} Anything else?",
        f"{{not json}} and then {WHOLE}",
        f'{{"thought": 1}} {WHOLE}',
        f"Sure!\n```json\n{WHOLE}\n```\nDone.",
        '{"reason": "fine", "score": "4"}',
        '{"reason": "fine", "score": " 4.0 "}',
        '{"reason": "fine", "score": 4.0, "evaluator": "Relevance"}',
        '{"reason": "fine", "score": 4, "status": null}',
    ],
)
def test_a_verdict_is_found(text: str) -> None:
    assert prompting.parse_verdict(text) == Verdict(score=4.0, reason="fine")


@pytest.mark.parametrize("score", [1, 5, 1.0, 4.999, "3.5"])
def test_the_whole_scale_counts(score: float | str) -> None:
    verdict = prompting.parse_verdict(json.dumps({"score": score}))

    assert verdict == Verdict(score=float(score), reason="")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("4", "no JSON object"),
        ("[4]", "no JSON object"),
        ('[{"score": 4}]', "no JSON object"),
        ('{"result": {"score": 4}}', "no JSON object"),
        ("a good answer", "no JSON object"),
        ('{"score": 4', "no JSON object"),
        ("{" * 100_000, "no JSON object"),
        ('{"a":' * 100_000, "no JSON object"),
        ('{"score": true}', "not a number"),
        ('{"score": null}', "not a number"),
        ('{"score": [4]}', "not a number"),
        ('{"score": "four"}', "not a number"),
        ('{"score": "4/5"}', "not a number"),
        ('{"score": "nan"}', "not a number"),
        ('{"score": "1e0"}', "not a number"),
        ('{"score": "\u0664"}', "not a number"),
        ('{"score": NaN}', "finite"),
        ('{"score": Infinity}', "finite"),
        ('{"score": 1e999}', "finite"),
        ('{"score": 7}', "7, outside 1 to 5"),
        ('{"score": 0.99}', "0.99, outside 1 to 5"),
        ('{"score": -3}', "outside 1 to 5"),
        ('{"score": "6"}', "6, outside 1 to 5"),
        ('{"score": 1' + "0" * 400 + "}", "huge, outside 1 to 5"),
        ('{"score": 1, "score": 5}', "gives `score` twice"),
        ('so {"score": 1, "score": 5}', "gives `score` twice"),
    ],
)
def test_anything_else_is_unusable_and_says_why(text: str, said: str) -> None:
    result = prompting.parse_verdict(text)

    assert isinstance(result, prompting.Unusable)
    assert said in result.message


@pytest.mark.parametrize(
    "text",
    [
        '{"status": "skipped", "score": null, "reason": "nothing to grade"}',
        '{"status": "Skipped", "reason": "nothing to grade"}',
        '{"status": "skipped", "score": 5, "reason": "nothing to grade"}',
    ],
)
def test_a_judge_that_skipped_is_an_evaluator_s_failure(text: str) -> None:
    result = prompting.parse_verdict(text)

    assert isinstance(result, Failure)
    assert result.error_class is ErrorClass.EVALUATOR
    assert "nothing to grade" in result.message


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 2} or rather {"score": 5}',
        '<think>{"score": 5}</think>{"score": 1}',
        'As in {"score": 5}: \n```json\n{"score": 1}\n```',
        '{"score": 3, "status": "completed"} {"score": 3, "status": "skipped"}',
    ],
)
def test_a_reply_with_several_verdicts_is_none(text: str) -> None:
    result = prompting.parse_verdict(text)

    assert isinstance(result, prompting.Unusable)
    assert "several JSON objects" in result.message


def test_a_verdict_that_is_repeated_is_one() -> None:
    text = '<think>{"score": 2, "reason": "short"}</think> {"score": 2, "reason": "longer"}'
    result = prompting.parse_verdict(text)

    assert isinstance(result, Verdict)
    assert result.score == 2.0


def test_a_reason_can_be_written_again() -> None:
    result = prompting.parse_verdict(r'{"score": 2, "reason": "odd \ud800"}')

    assert isinstance(result, Verdict)
    assert result.reason.encode() == b"odd ?"


@pytest.mark.parametrize("reason", [None, 3, ["x"]])
def test_a_reason_that_is_no_text_is_no_reason(reason: object) -> None:
    result = prompting.parse_verdict(json.dumps({"score": 2, "reason": reason}))

    assert result == Verdict(score=2.0, reason="")


@given(st.text() | st.text(alphabet='{}[]":,score 1234567890'))
def test_no_text_crashes_the_reader_and_no_score_leaves_the_scale(text: str) -> None:
    result = prompting.parse_verdict(text)

    if isinstance(result, Verdict):
        assert 1 <= result.score <= 5
