"""report.json, its dataclasses, its schema and its reference page say the same."""

import dataclasses
import json
import re
import types
import typing
from pathlib import Path

import jsonschema
import pytest

from mergebar.model.comparisons import ChangeKind, EvidenceKind, Loosening, Standing
from mergebar.model.configuration import Mode
from mergebar.model.conversations import ErrorClass
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.documents import Severity
from mergebar.model.plans import CheckKind, Skip, SuiteKind
from mergebar.model.problems import Level
from mergebar.model.reports import Report
from mergebar.model.results import Outcome
from mergebar.report import json_report, shaping
from support import reports

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "report.md"


def _objects() -> dict[str, type]:
    """Every dataclass of a report by the name that the schema gives it."""
    found: dict[str, type] = {}

    def visit(kind: type) -> None:
        if kind.__name__ in found:
            return
        found[kind.__name__] = kind
        for one in dataclasses.fields(kind):
            for part in _parts(one.type):
                if dataclasses.is_dataclass(part):
                    visit(typing.cast("type", part))

    visit(Report)
    names = {"ReportRunInfo": "Run", "ReportRun": "Repeat", "ReportCalls": "Calls"}
    return {
        names.get(name, name if name == "Report" else name.removeprefix("Report")): kind
        for name, kind in found.items()
    }


def _parts(kind: object) -> list[object]:
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is tuple:
        return [part for one in typing.get_args(kind) for part in _parts(one)]
    return [kind]


_LATER = {
    "quotes",
    "problems",
    "measured",
    "filtered",
    "deployed",
    "notices",
    "review",
    "look",
    "rated",
}
SCHEMA = json.loads((ROOT / "schemas" / json_report.SCHEMA_FILE).read_bytes())
OBJECTS = _objects()


def _described(name: str) -> dict[str, typing.Any]:
    described: dict[str, typing.Any] = SCHEMA if name == "Report" else SCHEMA["$defs"][name]
    return described


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_describes_every_object_and_no_other() -> None:
    assert set(SCHEMA["$defs"]) == set(OBJECTS) - {"Report"}


@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_the_schema_has_the_fields_of_the_dataclass_in_order(name: str) -> None:
    fields = [shaping.key(one.name) for one in dataclasses.fields(OBJECTS[name])]
    if name == "Report":
        fields = ["schema", "mergebar", *fields[1:]]
    assert list(_described(name)["properties"]) == fields


@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_a_field_is_required_unless_it_came_later(name: str) -> None:
    later = {
        shaping.key(one.name)
        for one in dataclasses.fields(OBJECTS[name])
        if (one.name in _LATER and one.default is not dataclasses.MISSING)
        or (one.name in {"problems", "command"} and one.default_factory is not dataclasses.MISSING)
    }
    described = _described(name)
    assert set(described["properties"]) - set(described["required"]) == later


@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_every_object_is_open_and_every_field_is_described(name: str) -> None:
    described = _described(name)
    assert described["additionalProperties"] is True
    assert described["description"].endswith(".")
    assert all(one["description"].endswith(".") for one in described["properties"].values())


@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_what_may_be_null_in_the_dataclass_may_be_null_in_the_schema(name: str) -> None:
    for one in dataclasses.fields(OBJECTS[name]):
        if one.name == "mergebar_version":
            continue
        optional = isinstance(one.type, types.UnionType) and types.NoneType in one.type.__args__
        described = json.dumps(_described(name)["properties"][shaping.key(one.name)])
        assert ("null" in re.sub(r'"description": "[^"]*"', "", described)) == optional, one.name


@pytest.mark.parametrize(
    ("name", "field", "words"),
    [
        ("Decision", "outcome", DecisionOutcome),
        ("Check", "outcome", Outcome),
        ("Repeat", "outcome", Outcome),
        ("Check", "severity", Severity),
        ("Check", "kind", CheckKind),
        ("Suite", "kind", SuiteKind),
        ("Problem", "level", Level),
        ("Error", "class", ErrorClass),
        ("Run", "mode", Mode),
        ("CheckChange", "change", ChangeKind),
        ("Loosened", "kind", Loosening),
        ("Edited", "kind", EvidenceKind),
        ("Tally", "verdict", Standing),
    ],
)
def test_the_words_of_a_field_are_those_of_the_vocabulary(
    name: str, field: str, words: type[Outcome]
) -> None:
    assert _described(name)["properties"][field]["enum"] == [word.value for word in words]


def test_the_words_of_a_skip_are_those_of_the_vocabulary() -> None:
    words = _described("Check")["properties"]["skip"]["enum"]
    assert words == [*(word.value for word in Skip), None]


def test_what_is_written_follows_the_schema() -> None:
    report = reports.report(
        reports.check(),
        reports.errored(),
        suites=[reports.suite(problems=[reports.problem()])],
        problems=[reports.problem(path=None, line=None)],
    )
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(json_report.dump(report)))


def _rows() -> dict[str, list[str]]:
    """The first column of every table of the page, by the heading above it."""
    rows: dict[str, list[str]] = {}
    heading = ""
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ").strip("` ")
        elif match := re.match(r"\| `([a-z_]+)`", line):
            rows.setdefault(heading, []).append(match[1])
    return rows


def test_the_reference_page_lists_the_fields_of_the_schema_in_order() -> None:
    expected = {name: list(_described(name)["properties"]) for name in OBJECTS}
    assert _rows() == expected


def test_the_reference_page_says_what_the_schema_says() -> None:
    page = PAGE.read_text()
    for name in OBJECTS:
        for field, described in _described(name)["properties"].items():
            assert described["description"].replace("|", "\\|") in page, f"{name}.{field}"
