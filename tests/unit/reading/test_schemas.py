"""The packaged schemas, and the eval document's rules as of a minor version."""

import jsonschema
import pytest

from mergebar.model.text import Json
from mergebar.reading import schemas
from mergebar.reading.accepting import accepts


@pytest.mark.parametrize("minor", [0, 7, 8, 9, 10, 11, 99])
def test_every_version_is_a_schema_with_a_name_of_its_own(minor: int) -> None:
    schema = schemas.eval_document(minor)
    jsonschema.Draft202012Validator.check_schema(dict(schema))
    known = min(max(minor, 8), 11)
    suffix = "" if known == 8 else f"-1.{known}"
    assert schema["$id"] == f"https://mergebar.dev/schemas/eval-document{suffix}.schema.json"


def test_the_published_schema_is_that_of_1_7() -> None:
    assert schemas.eval_document(7) == schemas.load("eval-document.schema.json")


def document(item: Json, **root: Json) -> Json:
    return {"schemaVersion": "1.0.0", "items": [item], **root}


def error(code: str) -> Json:
    return {"prompt": "x", "error": {"code": code, "message": "m"}}


def errored(code: str) -> Json:
    record: Json = {"result": "error", "error": "e", "code": code}
    return {"prompt": "x", "scores": {"relevance": record}}


CALLS: Json = [{"tool": {"plugin_name": "p", "function_name": "f"}}]


@pytest.mark.parametrize(
    ("value", "since"),
    [
        (document({"prompt": "x", "tags": ["a"]}), 9),
        (document({"turns": [{"prompt": "x", "tags": ["a"]}], "tags": ["a"]}), 9),
        (document(errored("judgeTimeout")), 9),
        (document(errored("toolCallEvidenceIndeterminate")), 11),
        (document({"prompt": "x", "allowed_tools": ["a"], "allowed_tools_mode": "replace"}), 11),
        (document({"prompt": "x", "evaluators": {"ToolCallExecution": {"calls": CALLS}}}), 11),
    ],
)
def test_what_a_version_brought_is_refused_before_it(value: Json, since: int) -> None:
    accepted = [minor for minor in range(13) if accepts(schemas.eval_document(minor))(value)]
    assert accepted == list(range(since, 13))


@pytest.mark.parametrize(
    ("value", "until"),
    [
        (document(error("madeUp")), 8),
        (document({"prompt": "x"}, default_allowed_tools="any"), 10),
        (document({"prompt": "x", "diagnostics": {"tool_calls": []}}), 10),
        (document({"prompt": "x", "evaluators": {"ToolCallSelection": {"threshold": 2}}}), 10),
        (document({"prompt": "x", "scores": {"toolCallSelection": 1}}), 10),
    ],
)
def test_what_a_version_closed_is_open_before_it(value: Json, until: int) -> None:
    accepted = [minor for minor in range(13) if accepts(schemas.eval_document(minor))(value)]
    assert accepted == list(range(until + 1))


@pytest.mark.parametrize(
    ("code", "since"),
    [("turnSkipped", 0), ("agentTimeout", 0), ("evaluationCrashed", 0), ("toolCallNotAllowed", 0)],
)
def test_a_code_of_the_newest_version_is_text_to_the_oldest(code: str, since: int) -> None:
    assert accepts(schemas.eval_document(since))(document(error(code)))
    assert accepts(schemas.eval_document(11))(document(error(code)))
    closed_too_early = code == "toolCallNotAllowed"
    assert accepts(schemas.eval_document(9))(document(error(code))) is not closed_too_early
