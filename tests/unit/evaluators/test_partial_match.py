"""PartialMatch (spec, section 2.2)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.evaluators import partial_match
from mergebar.model.conversations import ErrorClass
from support.evaluating import answered, failure, score


@pytest.mark.parametrize(
    ("response", "expected", "f1"),
    [
        ("hold the button for eight seconds", "eight seconds hold the button for", 1.0),
        ("INC-12345", "INC-12346", 0.5),
        ("red red blue", "red blue blue", 2 / 3),
        ("the green one", "the red one", 2 / 3),
        ("yes", "no", 0.0),
        ("yes", "...", 0.0),
        ("...", "yes", 0.0),
        ("!!!", "...", 1.0),
        ("Straße", "STRASSE", 1.0),
        ("cafe\u0301", "caf\u00e9", 1.0),
    ],
)
def test_the_score_is_the_f1_of_the_words(response: str, expected: str, f1: float) -> None:
    assert score("PartialMatch", answered(response, expected)).score == pytest.approx(f1)


def test_long_extra_detail_costs_as_much_as_missing_words() -> None:
    expected = "Hold the button for eight seconds."
    verbose = f"{expected} " + "Then wait until the ring is white and open the app again. " * 2

    scored = score("PartialMatch", answered(verbose, expected))

    assert scored.score < 0.5
    assert not scored.passed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't re-enter it", ["don", "t", "re", "enter", "it"]),
        ("10 kWh, 3.5 kW", ["10", "kwh", "3", "5", "kw"]),
        ("電池を充電", ["電", "池", "を", "充", "電"]),
        ("แบตเตอรี่", ["แ", "บ", "ต", "เ", "ต", "อ", "รี่"]),
        ("Emberstow電池10", ["emberstow", "電", "池", "10"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("배터리 상태", ["배터리", "상태"]),
        ("שָׁלוֹם עולם", ["שָׁלוֹם", "עולם"]),
        ("👍🏽 ok", ["ok"]),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_and_digits_and_single_characters_where_words_run_together(
    text: str, expected: list[str]
) -> None:
    assert list(partial_match.tokens(text, case_sensitive=False).elements()) == sorted(
        expected, key=expected.index
    )


def test_case_matters_only_when_asked_for() -> None:
    evidence = answered("EIGHT seconds", "eight seconds")

    assert score("PartialMatch", evidence).score == 1.0
    assert score("PartialMatch", evidence, options={"case_sensitive": True}).score == 0.5


def test_the_default_threshold_is_a_half_and_reaching_it_is_enough() -> None:
    scored = score("PartialMatch", answered("INC-12345", "INC-12346"))

    assert scored.threshold == 0.5
    assert scored.passed
    assert scored.record["result"] == "pass"


def test_a_threshold_that_only_binary_fractions_keep_apart_is_reached() -> None:
    evidence = answered("a b c x x x x x x x", "a b c y y y y y y y")

    scored = score("PartialMatch", evidence, threshold=0.1 + 0.2)

    assert scored.score == pytest.approx(0.3)
    assert scored.passed
    assert not score("PartialMatch", evidence, threshold=0.3001).passed


def test_the_reason_has_three_decimals_and_names_a_few_missing_and_extra_words() -> None:
    expected = "hold the button for eight seconds until the ring turns white"
    scored = score("PartialMatch", answered("press the red button once", expected))

    assert scored.reason == (
        "token F1 0.250: 2 shared of 11 expected and 5 given; "
        "missing: `hold`, `the`, `for`, `eight`, `seconds` and 4 more; "
        "extra: `press`, `red`, `once`"
    )
    assert scored.record["score"] == scored.score


def test_a_very_long_word_is_cut_in_the_reason() -> None:
    assert len(score("PartialMatch", answered("x" * 5000, "y")).reason) < 200


@pytest.mark.parametrize("expected", [None, "", " \n"])
def test_without_an_expected_response_it_cannot_say(expected: str | None) -> None:
    failed = failure("PartialMatch", answered("Eight seconds.", expected))

    assert (failed.error_class, failed.code) == (
        ErrorClass.EVALUATOR,
        "evaluatorConfigurationError",
    )


TEXTS = st.text(max_size=60).filter(lambda text: any(char.isalnum() for char in text))


@given(TEXTS, TEXTS)
def test_the_score_is_between_0_and_1_and_the_same_both_ways(left: str, right: str) -> None:
    there = score("PartialMatch", answered(left, right)).score
    back = score("PartialMatch", answered(right, left)).score

    assert 0.0 <= there <= 1.0
    assert math.isclose(there, back)


@given(TEXTS)
def test_a_text_matches_itself_whole(text: str) -> None:
    assert score("PartialMatch", answered(text, text)).score == 1.0
