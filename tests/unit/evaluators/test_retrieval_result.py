"""RetrievalResult, by the literal path (spec, section 2.5)."""

import pytest

from mergebar.model.conversations import ErrorClass
from mergebar.model.text import Json, JsonObject
from support.evaluating import answered, failure, retrieved, score


def hit(*texts: str, rank: Json = None, url: str | None = None) -> dict[str, Json]:
    return {"rank": rank, "webUrl": url, "extracts": [{"text": text} for text in texts]}


def execution(
    *hits: dict[str, Json], capability: str = "Pages", status: str | None = "success"
) -> JsonObject:
    return {"capability": capability, "status": status, "retrievalHits": [*hits]}


def options(*texts: str, count: int | None = None, max_rank: int | None = None) -> dict[str, Json]:
    made: dict[str, Json] = {"capability": "Pages"}
    if texts:
        made["expected_items"] = [{"retrievalExtract_contains": text} for text in texts]
    if count is not None:
        made["min_expected_count"] = count
    if max_rank is not None:
        made["max_rank"] = max_rank
    return made


def test_a_text_is_found_whatever_its_case_and_whitespace() -> None:
    evidence = retrieved(
        execution(hit("Hold  the\n BUTTON\u00a0for eight seconds.", url="u", rank=1))
    )

    scored = score("RetrievalResult", evidence, options=options("hold the button\tfor"))

    assert scored.passed
    assert scored.score == 1.0
    assert scored.threshold is None
    assert scored.record == {
        "score": 1.0,
        "result": "pass",
        "threshold": 1.0,
        "diagnostic_code": "pass",
        "reason": "1 hit within rank 10; 1 of 1 texts found (1.00)",
        "results_evaluated": 1,
        "matched_items": [
            {
                "extractMatch": "hold the button\tfor",
                "matchedHitUrl": "u",
                "matchedHitRank": 1,
                "reason": "literal: an extract of this hit has the text in it",
            }
        ],
        "missing_items": [],
        "extract_failures": [],
    }


def test_two_of_three_texts_are_two_thirds_and_still_a_failure() -> None:
    evidence = retrieved(execution(hit("one two", rank=1)))

    scored = score("RetrievalResult", evidence, options=options("one", "two", "three"))

    assert not scored.passed
    assert scored.score == pytest.approx(2 / 3)
    assert scored.record["diagnostic_code"] == "not_retrieved"
    assert scored.record["missing_items"] == scored.record["extract_failures"]
    assert "2 of 3 texts found (0.67)" in scored.reason
    assert "not found: `three`" in scored.reason


def test_the_best_ranked_hit_with_the_text_is_named() -> None:
    evidence = retrieved(
        execution(hit("text", rank=3, url="c"), hit("text", rank=2, url="b"), hit("no", rank=1))
    )

    record = score("RetrievalResult", evidence, options=options("text")).record

    assert record["matched_items"] == [
        {
            "extractMatch": "text",
            "matchedHitUrl": "b",
            "matchedHitRank": 2,
            "reason": "literal: an extract of this hit has the text in it",
        }
    ]


def test_only_hits_within_the_maximum_rank_count() -> None:
    evidence = retrieved(execution(hit("no", rank=1), hit("text", rank=3)))

    assert not score("RetrievalResult", evidence, options=options("text", max_rank=2)).passed
    assert score("RetrievalResult", evidence, options=options("text", max_rank=3)).passed


def test_a_hit_without_a_rank_has_its_place_in_the_list() -> None:
    evidence = retrieved(execution(*(hit("no") for _ in range(10)), hit("text")))

    assert not score("RetrievalResult", evidence, options=options("text")).passed
    assert score("RetrievalResult", evidence, options=options("text", max_rank=11)).passed


def test_the_same_address_at_the_same_rank_counts_once_with_all_its_extracts() -> None:
    evidence = retrieved(
        execution(hit("one", rank=1, url="u")),
        execution(hit("two", rank=1, url="u"), hit("three", rank=1), hit("three", rank=1)),
    )

    scored = score("RetrievalResult", evidence, options=options("one", "two"))

    assert scored.passed
    assert scored.record["results_evaluated"] == 3


def test_other_capabilities_do_not_count() -> None:
    evidence = retrieved(execution(hit("text"), capability="pages"))

    scored = score("RetrievalResult", evidence, options=options("text"))

    assert scored.record["diagnostic_code"] == "not_retrieved"
    assert scored.record["results_evaluated"] == 0
    assert scored.record["extract_failures"] == []
    assert "differs in upper and lower case only" in scored.reason


@pytest.mark.parametrize(
    ("wanted", "hits", "status", "code", "expected_score"),
    [
        (options(count=2), 2, "success", "pass", 1.0),
        (options(count=3), 2, "success", "count_below_minimum", 0.0),
        (options(count=1), 0, "success", "count_below_minimum", 0.0),
        (options("text", count=3), 2, "success", "count_below_minimum", 1.0),
        (options("else", count=3), 2, "success", "not_retrieved", 0.0),
        (options("text"), 0, "throttled", "error", 0.0),
        (options(count=1), 0, "throttled", "error", 0.0),
        (options("text"), 0, None, "not_retrieved", 0.0),
        (options("text"), 1, "partial", "pass", 1.0),
    ],
)
def test_what_is_missing_goes_before_how_many_there_are(
    wanted: JsonObject, hits: int, status: str | None, code: str, expected_score: float
) -> None:
    evidence = retrieved(
        execution(*(hit("text", rank=n, url=str(n)) for n in range(1, hits + 1)), status=status)
    )

    scored = score("RetrievalResult", evidence, options=wanted)

    assert scored.record["diagnostic_code"] == code
    assert scored.score == expected_score
    assert scored.passed is (code == "pass")


def test_an_agent_without_diagnostics_cannot_be_judged_by_them() -> None:
    failed = failure("RetrievalResult", answered("Hold it."), options=options("text"))

    assert failed.error_class is ErrorClass.EVALUATOR
    assert "supplies no retrieval diagnostics" in failed.message


def test_diagnostics_that_are_there_and_empty_are_a_real_failure() -> None:
    scored = score("RetrievalResult", retrieved(), options=options("text"))

    assert not scored.passed
    assert scored.record["diagnostic_code"] == "not_retrieved"


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"capability": "Pages"},
        {"capability": "Pages", "expected_items": []},
        {"capability": "Pages", "expected_items": [{"webUrl": "u"}]},
        {"capability": "Pages", "expected_items": [{"retrievalExtract_contains": "  "}]},
        {"capability": "Pages", "expected_items": "text"},
        {"capability": "Pages", "expected_items": ["text"]},
        {"capability": "Pages", "min_expected_count": "2"},
        {"capability": "Pages", "min_expected_count": 1, "max_rank": "2"},
    ],
)
def test_without_its_options_it_cannot_say(wanted: JsonObject) -> None:
    failed = failure("RetrievalResult", retrieved(execution()), options=wanted)

    assert failed.code == "evaluatorConfigurationError"
