"""Documents with results: valid whatever was measured, and otherwise as they went in."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import catalogue
from mergebar.model.configuration import Responses
from mergebar.model.conversations import Answer, Citation, ErrorClass, Failure
from mergebar.model.documents import Case, Document
from mergebar.model.reports import ReportJudge
from mergebar.model.results import (
    AskedTurn,
    CallCounts,
    CheckResult,
    Conversation,
    Outcome,
    Results,
    RunResult,
)
from mergebar.model.text import Json, JsonObject
from mergebar.reading import schemas
from mergebar.report import documents
from mergebar.untrusted.redaction import Redactor
from support import builders, hostile

JUDGE = ReportJudge(provider="openai", model="m", parameters={"temperature": 0})
STAMP = documents.Stamp(version="1.2.3", evaluated_at="2026-03-01T10:01:12Z", judge=JUDGE)
PASS = RunResult(
    outcome=Outcome.PASS,
    score=1,
    record={"match": True, "result": "pass", "score": 1.0, "reason": "same"},
)
FAIL = RunResult(outcome=Outcome.FAIL, score=0, record={"match": False, "result": "fail"})
TROUBLE = Failure(error_class=ErrorClass.THROTTLED, message="429", code="judgeRateLimited")
ERROR = RunResult(outcome=Outcome.ERROR, error=TROUBLE)
DOWN = Failure(error_class=ErrorClass.TIMEOUT, message="too slow; stderr: secret prompt")
DEAD = RunResult(outcome=Outcome.ERROR, error=DOWN, agent_failed=True)


def _checked(case: str, turn: int, *runs: RunResult, name: str = "ExactMatch") -> CheckResult:
    of = builders.check(name, case=case, turn=turn)
    return CheckResult(check=of, outcome=runs[-1].outcome, score=None, reason="", runs=runs)


def _talk(case: str, *answers: Answer | Failure | None, run: int = 0) -> Conversation:
    turns = tuple(AskedTurn(answer=answer) for answer in answers)
    return Conversation(suite=builders.PATH, case=case, run=run, turns=turns)


def _document(items: Sequence[Json], *cases: Case, **root: Json) -> Document:
    source: JsonObject = {"schemaVersion": "1.7.0", **root, "items": list(items)}
    return Document(path=builders.PATH, version="1.7.0", cases=cases, source=source, problems=())


def _single(key: str = "k", index: int = 0) -> Case:
    return builders.case(key, index=index)


def _thread(turns: int, key: str = "t", index: int = 0) -> Case:
    return builders.case(key, *(builders.turn(index=n) for n in range(turns)), index=index)


def _fill(
    document: Document,
    checks: Sequence[CheckResult],
    talks: Sequence[Conversation],
    responses: Responses = Responses.ARTIFACT,
    redactor: Redactor | None = None,
) -> dict[str, Any]:
    """Filled in, read again, and held to the schema of the version that it declares."""
    measured = documents.Measured(checks=tuple(checks), conversations=tuple(talks))
    data = documents.fill(
        document, measured, stamp=STAMP, redactor=redactor or Redactor(), responses=responses
    )
    filled: dict[str, Any] = json.loads(data)
    minor = int(filled["schemaVersion"].split(".")[1])
    jsonschema.Draft202012Validator(dict(schemas.eval_document(minor))).validate(filled)
    return filled


def test_an_item_gets_response_scores_and_status() -> None:
    answer = Answer(response="Hold it.", citations=(Citation(index=2, text="t", source="u"),))
    filled = _fill(
        _document([{"prompt": "p"}], _single()), [_checked("k", 0, PASS)], [_talk("k", answer)]
    )
    assert filled["items"] == [
        {
            "prompt": "p",
            "response": "Hold it.",
            "citations": [{"index": 2, "text": "t", "source": "u"}],
            "scores": {"exactMatch": PASS.record},
            "status": "pass",
        }
    ]


def test_an_evaluator_that_failed_leaves_an_item_partial() -> None:
    checks = [_checked("k", 0, PASS), _checked("k", 0, ERROR, name="Relevance")]
    item = _fill(
        _document([{"prompt": "p"}], _single()), checks, [_talk("k", Answer(response="a"))]
    )["items"][0]
    assert item["scores"]["relevance"] == {"result": "error", "error": "Evaluator failed: 429"}
    assert item["status"] == "partial"
    assert item["error"]["code"] == "evaluatorsFailed"


def test_codes_are_those_of_the_declared_minor() -> None:
    checks = [_checked("k", 0, ERROR, name="Relevance")]
    new = _document([{"prompt": "p", "tags": ["x"]}], _single(), schemaVersion="1.9.3")
    filled = _fill(new, checks, [_talk("k", Answer(response="a"))])
    assert filled["schemaVersion"] == "1.9.3"
    assert filled["items"][0]["tags"] == ["x"]
    assert filled["items"][0]["scores"]["relevance"]["code"] == "judgeRateLimited"


@pytest.mark.parametrize(
    ("declared", "written"),
    [
        ("1.0.0", "1.7.0"),
        ("1.2.5", "1.7.0"),
        ("1.7.4", "1.7.4"),
        ("1.8.0", "1.8.0"),
        ("1.11.0", "1.11.0"),
        ("1.40.0", "1.40.0"),
    ],
)
def test_a_version_is_kept_and_raised_to_seven(declared: str, written: str) -> None:
    document = _document([{"prompt": "p"}], _single(), schemaVersion=declared)
    filled = _fill(document, [_checked("k", 0, PASS)], [_talk("k", Answer(response="a"))])
    assert filled["schemaVersion"] == written


def test_a_failed_agent_ends_the_thread_and_is_counted() -> None:
    item: Json = {"name": "t", "turns": [{"prompt": "a"}, {"prompt": "b"}, {"prompt": "c"}]}
    checks = [_checked("t", 0, PASS), _checked("t", 1, DEAD), _checked("t", 2, DEAD)]
    talk = _talk("t", Answer(response="one", conversation_id="c-1"), DOWN, None)
    filled = _fill(_document([item], _thread(3)), checks, [talk])["items"][0]
    assert [turn["status"] for turn in filled["turns"]] == ["pass", "error", "error"]
    assert filled["turns"][1]["error"]["code"] == "agentRequestFailed"
    assert filled["turns"][1]["response"] == ""
    assert filled["turns"][1]["scores"] == {}
    assert filled["turns"][2]["error"]["code"] == "turnSkipped"
    assert filled["conversation_id"] == "c-1"
    assert filled["summary"] == {
        "turns_total": 3, "turns_passed": 1, "turns_failed": 0, "turns_partial": 0,
        "turns_errored": 2, "overall_status": "error",
    }  # fmt: skip


def test_a_turn_that_an_interruption_kept_from_being_put_has_no_status() -> None:
    item: Json = {"turns": [{"prompt": "a"}, {"prompt": "b"}]}
    checks = [_checked("t", 0, PASS), _checked("t", 1, ERROR)]
    filled = _fill(
        _document([item], _thread(2)), checks, [_talk("t", Answer(response="one"), None)]
    )
    assert filled["items"][0]["turns"][1] == {"prompt": "b"}
    assert filled["items"][0]["summary"]["turns_total"] == 1


def test_of_several_runs_the_first_that_came_out_like_the_most_checks_is_filled_in() -> None:
    checks = [
        _checked("k", 0, FAIL, PASS, PASS),
        _checked("k", 0, FAIL, FAIL, PASS, name="Custom"),
    ]
    talks = [
        _talk("k", Answer(response=text), run=run) for run, text in enumerate(["no", "half", "yes"])
    ]
    filled = _fill(_document([{"prompt": "p"}], _single()), checks, talks[::-1])
    assert filled["items"][0]["response"] == "yes"


def test_what_is_not_ours_comes_out_as_it_went_in() -> None:
    item: Json = {
        "prompt": "p",
        "context": "c",
        "evaluators": {"ExactMatch": {}},
        "extensions": {"x.y": [1, None]},
    }
    root: dict[str, Json] = {
        "$schema": "https://example.test/s.json",
        "unknown": {"deep": [1.50, {}]},
        "default_evaluators": {},
    }
    document = _document(
        [item],
        _single(),
        **root,
        metadata={
            "name": "n",
            "tags": ["a"],
            "agentId": "T_1",
            "cliVersion": "9",
            "extensions": {"a.b": 1, "io.github.mergebar": {"severity": "warning"}},
        },
    )
    filled = _fill(document, [_checked("k", 0, PASS)], [_talk("k", Answer(response="a"))])
    assert filled["$schema"] == "https://example.test/s.json"
    assert filled["unknown"] == {"deep": [1.5, {}]}
    assert filled["default_evaluators"] == {}
    assert item.items() <= filled["items"][0].items()  # type: ignore[union-attr]
    assert filled["metadata"] == {
        "name": "n",
        "tags": ["a"],
        "agentId": "T_1",
        "agentName": "support",
        "evaluatedAt": "2026-03-01T10:01:12Z",
        "extensions": {
            "a.b": 1,
            "io.github.mergebar": {
                "severity": "warning",
                "runner": {
                    "name": "mergebar",
                    "version": "1.2.3",
                    "judge": {"provider": "openai", "model": "m", "parameters": {"temperature": 0}},
                },
            },
        },
    }


def test_earlier_results_do_not_survive_beside_new_ones() -> None:
    stale: Json = {"prompt": "q", "response": "old", "scores": {}, "status": "pass"}
    thread: Json = {"turns": [{"prompt": "r", "response": "old"}], "conversation_id": "x"}
    document = _document([{"prompt": "p"}, stale, thread], _single())
    filled = _fill(document, [_checked("k", 0, PASS)], [_talk("k", Answer(response="a"))])
    assert filled["items"][1:] == [{"prompt": "q"}, {"turns": [{"prompt": "r"}]}]


@pytest.mark.parametrize(
    "diagnostics",
    [
        {"retrieval_executions": "none"},
        {"retrieval_executions": [{"totalResultCount": 1.5}]},
        {"retrieval_executions": [{"retrievalHits": [{"extracts": [{"text": None}]}]}]},
    ],
)
def test_diagnostics_of_another_shape_are_kept_under_a_name_of_ours(
    diagnostics: JsonObject,
) -> None:
    answer = Answer(response="a", diagnostics=diagnostics)
    filled = _fill(
        _document([{"prompt": "p"}], _single()), [_checked("k", 0, PASS)], [_talk("k", answer)]
    )
    assert filled["items"][0]["diagnostics"] == {"io.github.mergebar.diagnostics": diagnostics}


def test_good_diagnostics_stay_where_they_belong() -> None:
    diagnostics: JsonObject = {
        "retrieval_executions": [{"capability": None, "retrievalHits": []}],
        "own": 1,
    }
    answer = Answer(response="a", diagnostics=diagnostics)
    filled = _fill(
        _document([{"prompt": "p"}], _single()), [_checked("k", 0, PASS)], [_talk("k", answer)]
    )
    assert filled["items"][0]["diagnostics"] == diagnostics


def test_citations_that_count_from_zero_are_counted_from_one() -> None:
    answer = Answer(response="a", citations=(Citation(index=0, text="x"), Citation(index=1)))
    filled = _fill(
        _document([{"prompt": "p"}], _single()), [_checked("k", 0, PASS)], [_talk("k", answer)]
    )
    assert filled["items"][0]["citations"] == [{"index": 1, "text": "x"}, {"index": 2}]


def test_without_responses_neither_answers_nor_what_quotes_them_are_written() -> None:
    quoting = RunResult(
        outcome=Outcome.FAIL,
        score=0,
        record={
            "score": 0.0,
            "result": "fail",
            "threshold": 1.0,
            "diagnostic_code": "no_matching_query",
            "reason": "SAID",
            "matched_queries": ["SAID"],
        },
    )
    checks = [_checked("k", 0, quoting, name="RetrievalQuery"), _checked("t", 0, DEAD)]
    answer = Answer(
        response="SAID", citations=(Citation(index=1, text="SAID"),), diagnostics={"x": "SAID"}
    )
    document = _document(
        [{"prompt": "p"}, {"turns": [{"prompt": "p"}]}], _single(), _thread(1, index=1)
    )
    filled = _fill(document, checks, [_talk("k", answer), _talk("t", DOWN)], Responses.NONE)
    assert "SAID" not in json.dumps(filled)
    assert "secret prompt" not in json.dumps(filled)
    assert filled["items"][0]["scores"]["retrievalQuery"]["diagnostic_code"] == "no_matching_query"


def test_secrets_are_taken_out_of_results() -> None:
    answer = Answer(response="the key is hunter2-hunter2", diagnostics={"key": "hunter2-hunter2"})
    filled = _fill(
        _document([{"prompt": "p"}], _single()),
        [_checked("k", 0, PASS)],
        [_talk("k", answer)],
        redactor=Redactor(["hunter2-hunter2"]),
    )
    assert "hunter2" not in json.dumps(filled)


@given(response=hostile.texts, reason=hostile.texts, number=st.floats())
def test_whatever_an_agent_says_the_document_is_valid(
    response: str, reason: str, number: float
) -> None:
    run = RunResult(
        outcome=Outcome.ERROR,
        error=Failure(error_class=ErrorClass.BAD_RESPONSE, message=reason),
    )
    answer = Answer(
        response=response,
        conversation_id=response,
        citations=(Citation(index=1, text=reason, source=response),),
        diagnostics={reason: [response, number], "retrieval_executions": []},
    )
    item = _fill(
        _document([{"prompt": "p"}], _single()), [_checked("k", 0, run)], [_talk("k", answer)]
    )["items"][0]
    assert item["status"] == "partial"


def test_every_document_that_was_measured_is_written_and_no_other() -> None:
    document = _document([{"prompt": "p"}], _single())
    plan = builders.plan(
        dataclasses.replace(builders.suite(), document=document),
        builders.suite("evals/b.json", affected=False),
    )
    results = Results(
        checks=(_checked("k", 0, PASS),),
        conversations=(_talk("k", Answer(response="a")),),
        calls=CallCounts(),
    )
    written = documents.fill_all(
        plan, results, stamp=STAMP, redactor=Redactor(), responses=Responses.ARTIFACT
    )
    assert list(written) == ["documents/evals/a.json"]
    assert written["documents/evals/a.json"].endswith(b"}\n")


def test_the_schema_as_published_accepts_it_too(shared: Path) -> None:
    schema = json.loads((shared / "seeds" / "m365-eval-document-1.7.0.schema.json").read_bytes())
    thread: Json = {"turns": [{"prompt": "a"}, {"prompt": "b"}]}
    document = _document([{"prompt": "p"}, thread], _single(), _thread(2, index=1))
    checks = [
        _checked("k", 0, PASS),
        _checked("k", 0, ERROR, name="Relevance"),
        _checked("t", 0, DEAD),
        _checked("t", 1, DEAD),
    ]
    filled = _fill(document, checks, [_talk("k", Answer(response="a")), _talk("t", DOWN, None)])
    jsonschema.Draft202012Validator(schema).validate(filled)


def test_every_built_in_evaluator_has_its_key() -> None:
    checks = [_checked("k", 0, ERROR, name=name) for name in catalogue.EVALUATORS]
    item = _fill(
        _document([{"prompt": "p"}], _single()), checks, [_talk("k", Answer(response="a"))]
    )["items"][0]
    assert set(item["scores"]) == {spec.key for spec in catalogue.EVALUATORS.values()}
