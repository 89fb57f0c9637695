"""Documents as a test writes them, read by the real reader with the real explainer."""

import json
from collections.abc import Sequence

from mergebar.model.documents import Document
from mergebar.model.problems import Level
from mergebar.model.text import Json, JsonObject
from mergebar.reading import explaining
from mergebar.reading.schema_faults import SchemaFault
from mergebar.suites import documents

PATH = "evals/library.json"


def explain(schema: JsonObject, value: Json) -> Sequence[SchemaFault]:
    """What `mergebar check` hands to the reader."""
    return explaining.explain(schema, value)


def never_explain(schema: JsonObject, value: Json) -> Sequence[SchemaFault]:
    """For documents that the schema accepts: asking for an explanation is a defect."""
    message = f"the schema refused {json.dumps(value)[:200]}"
    raise AssertionError(message)


def read(value: object) -> Document:
    """Read bytes, a text, or a value; checking alone has to find the same."""
    data = value if isinstance(value, bytes) else _text(value).encode()
    document = documents.read(data, path=PATH, explain=explain)
    checked = documents.check(data, path=PATH, explain=explain)
    assert checked.problems == document.problems
    assert checked.evaluators == used(document)
    return document


def accept(*items: object, **root: object) -> Document:
    """Read a document of schema version 1.7.0 with these items, that nothing is wrong with."""
    value = {"schemaVersion": "1.7.0", **root, "items": list(items)}
    data = _text(value).encode()
    document = documents.read(data, path=PATH, explain=never_explain)
    assert not [problem for problem in document.problems if problem.level is Level.ERROR]
    return document


def used(document: Document) -> frozenset[str]:
    """The names of all evaluators of a document."""
    turns = (turn for case in document.cases for turn in case.turns)
    return frozenset(use.name for turn in turns for use in turn.evaluators)


def rules(document: Document) -> list[str]:
    """The rules of the problems, in order."""
    return [problem.rule for problem in document.problems]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2)
