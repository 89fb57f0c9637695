"""docs/reference/eval-documents.md is what the schemas and the reader of documents do."""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

import pytest

from mergebar.model.documents import Document
from mergebar.model.problems import Level
from mergebar.reading import schemas
from mergebar.suites import documents
from mergebar.suites.versions import NEWEST
from support import pages, suites

PAGE = "reference/eval-documents.md"
SECTIONS = pages.sections(PAGE)
OBJECTS = {"Document": "", "Item or turn": "turn", "Thread": "thread", "`metadata`": "metadata"}
WHICH = SECTIONS["Which evaluators a turn gets"]
RESOLUTION = [row for row in pages.rows(WHICH, "`default_evaluators`") if len(row) == 4]
OVERRIDES = [row for row in pages.rows(WHICH, "`default_evaluators`") if len(row) == 3]
VERSIONS = pages.rows(SECTIONS["Versions"], "version")
OWN = pages.rows(SECTIONS["mergebar's own keys"], "key")


def schema(name: str) -> Mapping[str, Any]:
    whole = cast("Mapping[str, Any]", schemas.eval_document(NEWEST))
    return cast("Mapping[str, Any]", whole["$defs"][name] if name else whole)


def read(value: object) -> Document:
    data = json.dumps(value).encode()
    return documents.read(data, path="evals/page.json", explain=suites.explain)


def errors(document: Document) -> list[str]:
    return [one.rule for one in document.problems if one.level is Level.ERROR]


def value_of(cell: str) -> Any:
    return json.loads(cell.strip("`")) if cell.startswith("`{") else None


def turn(evaluators: str, mode: str = "") -> dict[str, object]:
    item: dict[str, object] = {"prompt": "a", "expected_response": "b", "context": "c"}
    if evaluators:
        item["evaluators"] = value_of(evaluators)
    if mode:
        item["evaluators_mode"] = mode.strip("`")
    return item


def document(defaults: str, item: dict[str, object]) -> dict[str, object]:
    root: dict[str, object] = {"schemaVersion": "1.7.0", "items": [item]}
    return {**root, "default_evaluators": value_of(defaults)} if defaults else root


@pytest.mark.parametrize("heading", OBJECTS)
def test_the_keys_of_the_page_are_those_of_the_schema(heading: str) -> None:
    described = schema(OBJECTS[heading])
    documented = {pages.names(row[0])[0]: row for row in pages.rows(SECTIONS[heading], "key")}

    assert set(documented) == set(described["properties"])
    required = {name for name, row in documented.items() if "required" in row[1]}
    assert required == set(described.get("required", []))


@pytest.mark.parametrize("row", RESOLUTION, ids=" ".join)
def test_a_turn_gets_the_evaluators_that_the_page_says(row: list[str]) -> None:
    made = read(document(row[0], turn(row[1], row[2])))

    if row[3].startswith("an error"):
        assert errors(made) == ["document/no-evaluators"]
        return
    assert errors(made) == []
    assert [use.name for use in made.cases[0].turns[0].evaluators] == pages.names(row[3])
    assert ("with a warning" in row[3]) == bool(made.problems)


@pytest.mark.parametrize("row", OVERRIDES, ids=" ".join)
def test_an_entry_of_a_turn_replaces_the_default_as_a_whole(row: list[str]) -> None:
    made = read(document(row[0], turn(row[1])))

    [use] = made.cases[0].turns[0].evaluators
    assert {use.name: {"threshold": use.threshold, **use.options}} == value_of(row[2])
    assert [one.rule for one in made.problems] == ["document/override-drops-option"]


def test_both_tables_say_something() -> None:
    assert (len(RESOLUTION), len(OVERRIDES)) == (11, 2)


def with_feature(name: str) -> dict[str, object]:
    """A document, still without a version, that uses what a version brought."""
    options: dict[str, dict[str, object]] = {
        "RetrievalQuery": {"capability": "a", "selector": "b"},
        "RetrievalResult": {"capability": "a", "min_expected_count": 1},
        "ToolCallSelection": {"calls": [{"tool": {"plugin_name": "a", "function_name": "b"}}]},
        "ToolCallExecution": {"calls": [{"tool": {"plugin_name": "a", "function_name": "b"}}]},
    }
    keys: dict[str, object] = {
        "evaluators": {"Relevance": {}},
        "evaluators_mode": "extend",
        "tags": ["a"],
        "allowed_tools": ["a"],
        "allowed_tools_mode": "extend",
    }
    if name == "default_evaluators":
        return {"default_evaluators": {"Relevance": {}}, "items": [{"prompt": "a"}]}
    if name == "default_allowed_tools":
        return {"default_allowed_tools": ["a"], "items": [{"prompt": "a"}]}
    if name == "turns":
        return {"items": [{"turns": [{"prompt": "a"}]}]}
    if name == "markdown":
        named = {"Citations": {"citation_format": "markdown"}}
        return {"items": [{"prompt": "a", "evaluators": named}]}
    if name in keys:
        return {"items": [{"prompt": "a", name: keys[name]}]}
    item = {"prompt": "a", "expected_response": "b", "evaluators": {name: options.get(name, {})}}
    return {"items": [item]}


BROUGHT = [
    (int(row[0].removeprefix("1.")), name)
    for row in VERSIONS
    for name in pages.names(row[1])
    if name != "citation_format"
]


@pytest.mark.parametrize(("minor", "name"), BROUGHT)
def test_what_a_version_brought_is_newer_than_the_one_before(minor: int, name: str) -> None:
    made = with_feature(name)

    now = read({"schemaVersion": f"1.{minor}.0", **made})
    assert not [one for one in now.problems if one.rule == "schema/newer-than-declared"]
    if minor == 0:
        return
    before = read({"schemaVersion": f"1.{minor - 1}.0", **made})
    told = [one.message for one in before.problems if one.rule == "schema/newer-than-declared"]
    assert [message for message in told if f"`{name}" in message or name == "markdown"]
    assert all(f"raise it to 1.{minor}.0" in message for message in told if f"`{name}`" in message)


def test_the_page_has_a_row_for_every_version() -> None:
    assert [row[0] for row in VERSIONS] == [f"1.{minor}" for minor in range(NEWEST + 1)]
    assert len(BROUGHT) > 15


PLACES = ("document", "item", "thread", "turn")
VALUES = {"id": "a", "severity": "notice", "weight": 0.5, "runs": 100}
WRONG = {"id": " ", "severity": "fatal", "weight": 0, "runs": 101}


def placed(place: str, own: Mapping[str, object]) -> dict[str, object]:
    """A document that says this in one place."""
    here = {"extensions": {"io.github.mergebar": own}}
    built: dict[str, dict[str, object]] = {
        "document": {"metadata": here, "items": [{"prompt": "a"}]},
        "item": {"items": [{"prompt": "a", **here}]},
        "thread": {"items": [{"turns": [{"prompt": "a"}], **here}]},
        "turn": {"items": [{"turns": [{"prompt": "a", **here}]}]},
    }
    return {"schemaVersion": "1.7.0", **built[place]}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("row", OWN, ids=lambda row: row[0])
def test_a_key_of_mergebars_own_counts_where_the_page_says(row: list[str], place: str) -> None:
    [name] = pages.names(row[0])
    made = read(placed(place, {name: VALUES[name]}))

    assert errors(made) == []
    assert bool(made.problems) == (place not in row[2].split(", "))
    assert errors(read(placed(place, {name: WRONG[name]}))) == ["document/extension"]


def test_the_page_has_every_key_of_mergebars_own() -> None:
    [problem] = read(placed("item", {"unheard_of": 1})).problems

    known = pages.names(problem.message.partition("known are ")[2])
    assert [pages.names(row[0])[0] for row in OWN] == known


@pytest.mark.parametrize(
    "block",
    [one for one in pages.blocks(PAGE, "json") if one.heading == "Older shapes"],
    ids=str,
)
def test_each_older_shape_of_the_page_is_read_with_one_warning(block: pages.Block) -> None:
    made = read(json.loads(block.text))

    assert [one.rule for one in made.problems] == ["document/legacy-shape"]
    assert made.cases[0].turns[0].prompt == "How do I restart it?"


def test_the_page_names_the_output_keys_that_are_never_read() -> None:
    text = re.sub(r"\s+", " ", SECTIONS["Stored responses"])
    taken, ignored = re.findall(r"((?:`[a-z_]+`[^.`]*)+)\. `scores`([^.]*)are never read", text)[0]
    scored = {"schemaVersion": "1.7.0", "items": [{"prompt": "a", "response": "b"}]}
    whole = json.loads(json.dumps(scored))
    whole["items"][0] |= {
        "scores": {"relevance": {"score": 5, "result": "pass", "threshold": 3}},
        "status": "error",
        "error": {"code": "agentRequestFailed", "message": "m"},
    }

    assert set(pages.names(ignored)) == {"status", "error", "summary"}
    assert "response" in pages.names(taken)
    assert read(scored).cases == read(whole).cases
