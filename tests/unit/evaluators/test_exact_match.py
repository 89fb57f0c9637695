"""ExactMatch (spec, section 2.1)."""

import pytest

from mergebar.model.conversations import ErrorClass
from support.evaluating import answered, failure, score


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("Eight seconds.", "Eight seconds."),
        ("  Eight seconds.\n", "\u00a0Eight seconds.\u2003"),
        ("EIGHT Seconds.", "eight seconds."),
        ("Straße", "STRASSE"),
        ("cafe\u0301", "caf\u00e9"),
        ("\u0130stanbul", "i\u0307stanbul"),
    ],
)
def test_the_same_text_matches_whatever_its_case_ends_and_composition(
    response: str, expected: str
) -> None:
    scored = score("ExactMatch", answered(response, expected))

    assert scored.passed
    assert scored.score == 1.0
    assert scored.threshold is None
    assert scored.record == {
        "match": True,
        "result": "pass",
        "score": 1.0,
        "threshold": 1.0,
        "reason": "the answer is the expected response",
    }


@pytest.mark.parametrize(
    ("response", "expected", "reason"),
    [
        ("Nine seconds.", "Eight seconds.", "at character 1"),
        ("Eight minutes.", "Eight seconds.", "at character 7"),
        ("Eight  seconds.", "Eight seconds.", "at character 7"),
        ("**Eight seconds.**", "Eight seconds.", "4 characters more"),
        ("Eight seconds. Then let go.", "Eight seconds.", "13 characters more"),
        ("Eight", "Eight seconds.", "at character 6"),
    ],
)
def test_any_other_text_fails_and_the_reason_says_where_it_differs(
    response: str, expected: str, reason: str
) -> None:
    scored = score("ExactMatch", answered(response, expected))

    assert not scored.passed
    assert scored.score == 0.0
    assert scored.record["match"] is False
    assert scored.record["result"] == "fail"
    assert reason in scored.reason


def test_case_matters_only_when_asked_for() -> None:
    evidence = answered("EIGHT", "eight")

    assert score("ExactMatch", evidence, options={"case_sensitive": False}).passed
    strict = score("ExactMatch", evidence, options={"case_sensitive": True})
    assert not strict.passed
    assert "upper and lower case only" in strict.reason


def test_the_reason_never_quotes_the_answer() -> None:
    scored = score("ExactMatch", answered("my secret is hunter2", "no secrets"))

    assert "hunter2" not in scored.reason


@pytest.mark.parametrize("expected", [None, "", " \n"])
def test_without_an_expected_response_it_cannot_say(expected: str | None) -> None:
    failed = failure("ExactMatch", answered("Eight seconds.", expected))

    assert failed.error_class is ErrorClass.EVALUATOR
    assert failed.code == "evaluatorConfigurationError"
    assert "`expected_response`" in failed.message
