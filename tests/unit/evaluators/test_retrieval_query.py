"""RetrievalQuery (spec, section 2.4)."""

import pytest

from mergebar.model.conversations import ErrorClass
from mergebar.model.text import JsonObject
from support.evaluating import answered, failure, retrieved, score

OPTIONS: JsonObject = {
    "capability": "Pages",
    "selector": "reset",
    "includes": ["button", "ring"],
    "excludes": ["warranty"],
}


def execution(
    *queries: str | None, capability: str | None = "Pages", status: str | None = "success"
) -> JsonObject:
    return {
        "capability": capability,
        "status": status,
        "queries": [{"queryString": query, "filterExpression": None} for query in queries],
    }


@pytest.mark.parametrize(
    ("executions", "code"),
    [
        ([execution("RESET the Button at the ring")], "pass"),
        ([execution("reset button"), execution("reset ring")], "pass"),
        ([execution("reset button ring", status=None)], "pass"),
        ([execution("reset button ring", status="throttled")], "pass"),
        ([execution("reset button")], "required_terms_missing"),
        ([execution("reset button ring warranty")], "excluded_terms_found"),
        ([execution("reset button warranty")], "mixed_term_failure"),
        ([execution("reset button ring"), execution("reset warranty")], "excluded_terms_found"),
        ([execution("reset button ring"), execution("about warranty")], "pass"),
        ([execution("restart button ring")], "no_matching_query"),
        ([execution()], "no_matching_query"),
        ([execution(status=None)], "no_matching_query"),
        ([execution(None)], "no_matching_query"),
        ([execution(status="throttled")], "retrieval_failure"),
        ([execution(status="throttled"), execution()], "no_matching_query"),
        ([execution("reset button ring", capability="pages")], "retrieval_failure"),
        ([execution("reset button ring", capability=None)], "retrieval_failure"),
        ([], "retrieval_failure"),
    ],
)
def test_the_diagnostic_code_says_what_is_wrong_with_the_queries(
    executions: list[JsonObject], code: str
) -> None:
    scored = score("RetrievalQuery", retrieved(*executions), options=OPTIONS)

    assert scored.record["diagnostic_code"] == code
    assert scored.passed is (code == "pass")
    assert scored.score == (1.0 if code == "pass" else 0.0)
    assert scored.record["threshold"] == 1.0
    assert scored.threshold is None


def test_terms_and_queries_are_listed() -> None:
    evidence = retrieved(execution("reset button warranty", "reset it", "reset it", "else"))

    record = score("RetrievalQuery", evidence, options=OPTIONS).record

    assert record["matched_queries"] == ["reset button warranty", "reset it"]
    assert record["includes_missing"] == ["ring"]
    assert record["excludes_found"] == ["warranty"]
    assert record["reason"] == (
        "2 queries matched the selector; missing: `ring`; excluded, but found: `warranty`"
    )


def test_a_term_that_looks_like_query_syntax_is_plain_text() -> None:
    options: JsonObject = {
        "capability": "Pages",
        "selector": "reset",
        "excludes": ["FileType:OneNote"],
    }

    assert score("RetrievalQuery", retrieved(execution("reset *")), options=options).passed
    assert not score(
        "RetrievalQuery", retrieved(execution("reset filetype:onenote")), options=options
    ).passed


def test_a_capability_that_differs_only_in_case_is_named() -> None:
    evidence = retrieved(execution("reset button ring", capability="pages"))

    assert "`pages`, which differs in upper and lower case only" in (
        score("RetrievalQuery", evidence, options=OPTIONS).reason
    )


def test_the_answer_itself_is_not_read() -> None:
    blank = retrieved(execution("reset button ring"))
    evidence = type(blank)(prompt="How?", response="", diagnostics=blank.diagnostics)

    assert score("RetrievalQuery", evidence, options=OPTIONS).passed


def test_an_agent_without_diagnostics_cannot_be_judged_by_them() -> None:
    failed = failure("RetrievalQuery", answered("Hold it."), options=OPTIONS)

    assert failed.error_class is ErrorClass.EVALUATOR
    assert "supplies no retrieval diagnostics" in failed.message


@pytest.mark.parametrize(
    "options", [{}, {"capability": "Pages"}, {"capability": 1, "selector": ""}]
)
def test_without_its_options_it_cannot_say(options: JsonObject) -> None:
    failed = failure("RetrievalQuery", retrieved(execution("reset")), options=options)

    assert failed.code == "evaluatorConfigurationError"


@pytest.mark.parametrize("query", ["Cafe\u0301 STRASSE", "CAF\u00c9 stra\u00dfe"])
@pytest.mark.parametrize("term", ["caf\u00e9 strasse", "cafe\u0301 stra\u00dfe"])
def test_neither_composition_nor_case_of_a_term_matters(query: str, term: str) -> None:
    options: JsonObject = {"capability": "Pages", "selector": term, "excludes": [term]}

    scored = score("RetrievalQuery", retrieved(execution(query)), options=options)

    assert scored.record["diagnostic_code"] == "excluded_terms_found"
