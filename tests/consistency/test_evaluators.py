"""docs/reference/evaluators.md says what the catalogue, the schema and the evaluators do."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from mergebar import catalogue
from mergebar.catalogue import EvaluatorSpec, defaults
from mergebar.evaluators import citation_marks
from mergebar.model.evaluations import Evidence
from mergebar.model.text import JsonObject
from mergebar.statuses import EVALUATOR_CODES
from support import suites
from support.evaluating import score

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "reference" / "evaluators.md").read_text(encoding="utf-8")
INTRODUCTION, *PARTS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
SECTIONS = {part.partition("\n")[0].strip(): part.partition("\n")[2] for part in PARTS}
NAMES = sorted(catalogue.EVALUATORS)
NEEDS = {
    catalogue.EXPECTED_RESPONSE: "`expected_response`",
    catalogue.RETRIEVAL: "retrieval diagnostics",
}


def schema() -> dict[str, Any]:
    text = (ROOT / "schemas" / "eval-document.schema.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text)["$defs"])


def rows(text: str, first: str) -> list[list[str]]:
    """The rows of the tables whose first heading is this one."""
    found, inside = [], False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif cells[0] == first:
            inside = True
        elif inside and not cells[0].startswith("---"):
            found.append(cells)
    return found


def example(name: str) -> dict[str, Any]:
    [block] = re.findall(r"```json\n(.*?)```", SECTIONS[name], flags=re.DOTALL)
    return cast("dict[str, Any]", json.loads(block))


def facts(spec: EvaluatorSpec) -> list[str]:
    threshold = spec.default_threshold
    return [
        f"[{spec.name}](#{spec.name.lower()})",
        f"`{spec.key}`",
        "yes" if spec.judged else "no",
        "fixed" if threshold is None else f"{threshold:g}",
        ", ".join(NEEDS[need] for need in spec.needs) or "–",
        f"1.{spec.since}",
    ]


def options_of(name: str) -> Mapping[str, Any]:
    reference = schema()["evaluators"]["properties"][name]["$ref"]
    return cast("Mapping[str, Any]", schema()[reference.rpartition("/")[2]])


def test_every_evaluator_has_a_row_and_a_section() -> None:
    table = {row[0]: row for row in rows(INTRODUCTION, "evaluator")}

    assert list(table.values()) == [facts(spec) for spec in catalogue.EVALUATORS.values()]
    assert list(SECTIONS) == list(catalogue.EVALUATORS)


@pytest.mark.parametrize("name", NAMES)
def test_the_options_are_those_of_the_schema(name: str) -> None:
    documented = {row[0].strip("`") for row in rows(SECTIONS[name], "option")}

    assert documented == set(options_of(name)["properties"])


@pytest.mark.parametrize("name", NAMES)
def test_the_values_of_options_that_nobody_wrote_are_the_documented_ones(name: str) -> None:
    documented = {
        row[0].strip("`"): row[2].strip("`")
        for row in rows(SECTIONS[name], "option")
        if row[0] != "`threshold`" and row[2] not in {"required", "none", "this or the next"}
    }
    known = {key: str(one).lower() for key, one in defaults.of_evaluator(name).items()}

    assert known == documented


@pytest.mark.parametrize("name", NAMES)
def test_the_options_that_the_schema_requires_are_said_to_be_required(name: str) -> None:
    documented = {
        row[0].strip("`") for row in rows(SECTIONS[name], "option") if row[2] == "required"
    }

    assert documented == set(options_of(name).get("required", []))


@pytest.mark.parametrize("name", NAMES)
def test_the_default_threshold_stands_with_the_option(name: str) -> None:
    documented = {row[0].strip("`"): row[2] for row in rows(SECTIONS[name], "option")}
    threshold = catalogue.EVALUATORS[name].default_threshold

    assert documented.get("threshold") == (None if threshold is None else f"{threshold:g}")


@pytest.mark.parametrize("name", NAMES)
def test_the_example_is_valid_and_nothing_is_wrong_with_it(name: str) -> None:
    document = suites.read(
        {"schemaVersion": "1.7.0", "items": [{**example(name), "evaluators_mode": "replace"}]}
    )

    assert document.problems == ()
    assert [use.name for use in document.cases[0].turns[0].evaluators] == [name]


@pytest.mark.parametrize("name", NAMES)
def test_what_it_writes_is_what_the_page_says(name: str) -> None:
    [said] = re.findall(r"^Writes: (.*?)\.(?: |$)", SECTIONS[name], flags=re.MULTILINE)
    item = example(name)
    evidence = Evidence(
        prompt=item["prompt"],
        response="Hold the round button [1].",
        expected_response=item.get("expected_response"),
        context=item.get("context"),
        diagnostics={"retrieval_executions": [{"capability": "SupportPages"}]},
    )

    options: JsonObject = item["evaluators"][name]
    record = score(name, evidence, options=options).record

    assert set(re.findall(r"`(\w+)`", said)) == set(record)


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("RetrievalQuery", "retrievalQueryScore"),
        ("RetrievalResult", "retrievalResultScore"),
    ],
)
def test_the_diagnostic_codes_are_those_of_the_schema(name: str, definition: str) -> None:
    documented = [row[0].strip("`") for row in rows(SECTIONS[name], "`diagnostic_code`")]

    assert sorted(documented) == sorted(
        schema()[definition]["else"]["properties"]["diagnostic_code"]["enum"]
    )


def test_the_citation_formats_are_those_that_are_known() -> None:
    documented = [row[0].strip("`") for row in rows(SECTIONS["Citations"], "format")]

    assert documented == [*citation_marks.FORMATS, citation_marks.MIXED]


def test_the_codes_on_the_page_exist() -> None:
    named = set(re.findall(r"`((?:empty|judge|evaluator)[A-Z]\w+)`", INTRODUCTION))

    assert len(named) > 3
    assert named <= set(EVALUATOR_CODES)
