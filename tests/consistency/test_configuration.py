"""One format, many faces: the schema, the reference page, the table of what comes later, the code."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import jsonschema_rs
import pytest

from mergebar import config, plugins
from mergebar.config.availability import LATER, RULE
from mergebar.model.problems import Level
from mergebar.model.text import Json
from mergebar.reading import yaml_text

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/configuration.md").read_text()
SCHEMA: dict[str, Json] = json.loads((ROOT / "schemas/config.v1.json").read_text())

Properties = dict[str, dict[str, Json]]


def _at(node: Json, *steps: str) -> dict[str, Json]:
    for step in steps:
        node = cast("dict[str, Json]", node)[step]
    return cast("dict[str, Json]", node)


def _definition(name: str) -> dict[str, Json]:
    return _at(SCHEMA, "$defs", name)


def _types(kind: str) -> list[str]:
    """The built-in types; what comes to pass in the branch for all others is none of them."""
    named = cast("list[str]", _at(_definition(kind), "properties", "type")["examples"])
    branches = cast("list[dict[str, Json]]", _definition(kind)["allOf"])
    conditions = [_at(branch, "if", "properties", "type") for branch in branches]
    others = {"type": "string", "not": {"enum": named}}
    assert conditions == [*({"const": name} for name in named), others]
    return named


def _sections() -> Iterator[tuple[str, dict[str, Json]]]:
    """Headings of the page, and the object of the schema that each describes."""
    yield "Top level", SCHEMA
    for kind, heading in (("agent", "`{}` agents"), ("judge", "`{}` judge")):
        for name in (*_types(kind), "installed"):
            yield heading.format(name), _definition(f"{name}_{kind}")
    yield "`agents.<name>.select`", _at(_definition("http_agent"), "properties", "select")
    yield "`documents[]`", _definition("document_group")
    yield "`artifacts[]`", _definition("artifact_group")
    yield "`artifacts[].sessions`", _at(_definition("artifact_group"), "properties", "sessions")
    yield "`rules[]`", _definition("rule")
    yield "`rules[].match`", _at(_definition("rule"), "properties", "match")
    yield "`gate`", _definition("gate")
    for name in ("baseline", "budget", "cache", "custom_evaluators", "execution", "report"):
        yield f"`{name}`", _at(SCHEMA, "properties", name)


SECTIONS = dict(_sections())
SHARED = {"agents": "`agents.<name>`", "judge": "`judge`"}
"""Headings with the keys that all types have."""


def _rows() -> dict[str, dict[str, list[str]]]:
    """Heading → key → the cells of its row."""
    tables: dict[str, dict[str, list[str]]] = {}
    heading = ""
    for line in PAGE.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("| `") and "|---" not in line:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if len(cells) == 4:
                tables.setdefault(heading, {})[cells[0].strip("`")] = cells
    return tables


ROWS = _rows()


def _described(heading: str) -> Mapping[str, list[str]]:
    """The rows of a section, with those that it shares with its siblings."""
    rows = ROWS.get(heading, {})
    for word, shared in SHARED.items():
        if heading.endswith(f" {word}"):
            return {**ROWS[shared], **rows}
    return rows


def _default(key: str, section: dict[str, Json]) -> str:
    described = _at(section, "properties", key)
    if key in cast("list[str]", section.get("required", [])):
        return "required"
    if "default" not in described:
        return ""
    default = described["default"]
    return f"`{default}`" if isinstance(default, str) else f"`{json.dumps(default)}`"


@pytest.mark.parametrize("heading", SECTIONS)
def test_the_page_has_the_keys_of_the_schema_and_no_others(heading: str) -> None:
    assert set(_described(heading)) == set(_at(SECTIONS[heading], "properties"))


def test_the_page_has_no_table_that_the_schema_knows_nothing_of() -> None:
    assert set(ROWS) - set(SECTIONS) == set(SHARED.values())


@pytest.mark.parametrize("heading", SECTIONS)
def test_the_page_states_the_defaults_and_choices_of_the_schema(heading: str) -> None:
    section = SECTIONS[heading]
    for key, (_, kind, default, meaning) in _described(heading).items():
        stated = _at(section, "properties", key)
        if key != "type":
            shared = heading == "`replay` agents" and key == "sources"
            assert default == ("required" if shared else _default(key, section)), key
            for choice in cast("list[Json]", stated.get("enum", [])):
                assert choice is None or f"`{choice}`" in kind, key
        assert meaning.endswith((".", "`.", "*")), key


def test_every_key_of_the_schema_is_described_and_every_object_of_ours_closed() -> None:
    def walk(node: Json) -> Iterator[dict[str, Json]]:
        if isinstance(node, dict):
            yield node
            for child in node.values():
                yield from walk(child)
        elif isinstance(node, list):
            for child in node:
                yield from walk(child)

    objects = [node for node in walk(SCHEMA) if "properties" in node and "then" not in node]
    closed = [node for node in objects if node.get("additionalProperties") is False]
    brought = [node for node in objects if node.get("additionalProperties") is True]
    described = [
        key
        for node in (*closed, *brought)
        for key, value in cast("Properties", node["properties"]).items()
        if "description" not in value and "$ref" not in value
    ]

    assert described == []
    assert brought == [_definition("installed_agent"), _definition("installed_judge")]
    assert len(closed) + len(brought) == len(SECTIONS)


def test_the_schema_is_a_schema_and_its_defaults_are_values_that_it_accepts() -> None:
    assert jsonschema_rs.meta.is_valid(SCHEMA)
    for section in SECTIONS.values():
        for key, described in cast("Properties", section["properties"]).items():
            if "default" in described:
                alone = {**described, "$defs": SCHEMA["$defs"]}
                assert jsonschema_rs.is_valid(alone, described["default"]), key


def test_what_comes_later_has_the_defaults_of_the_schema() -> None:
    for later in LATER:
        if later.values or later.default is None:
            continue
        *_, key = later.key
        section = _definition("command_agent") if later.key[0] == "agents" else SCHEMA
        section = _at(SCHEMA, "properties", "report") if later.key[0] == "report" else section
        described = _at(section, "properties", key)
        if isinstance(later.default, dict):
            inner = cast("Properties", described["properties"])
            assert later.default == {name: value["default"] for name, value in inner.items()}
        else:
            assert described.get("default") == later.default, key


def test_the_page_marks_what_comes_later() -> None:
    for later in LATER:
        *parents, key = (step for step in later.key if step != "*")
        headings = [
            heading
            for heading, rows in ROWS.items()
            if key in rows and (heading == "Top level" if not parents else parents[0] in heading)
        ]
        headings = headings or ["`rules[].match`" if "match" in parents else "`command` agents"]
        for heading in headings:
            meaning = ROWS[heading][key][3]
            assert "ot available yet" in meaning, (heading, key)
            assert all(f"`{value}`" in meaning for value in later.values), (heading, key)


def test_the_types_that_are_available_are_those_that_are_built_in() -> None:
    for kind, built_in in (("agent", plugins.AGENTS), ("judge", plugins.JUDGES)):
        types = set(_types(kind))
        later = {
            value
            for row in LATER
            if row.key[-1] == "type" and row.key[0].startswith(kind)
            for value in row.values
        }
        assert types - later == set(built_in)


def test_the_page_names_the_usual_places() -> None:
    (group,) = config.default().documents

    assert [path for path in group.paths if f"`{path.lstrip('/')}`" not in PAGE] == []


BLOCKS = list(re.finditer(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"offset {block.start()}")
def test_every_example_of_the_page_is_a_configuration(block: re.Match[str]) -> None:
    parsed = config.parse(block[1].encode(), path="page.yml", explain=plugins.explain)

    errors = {problem.rule for problem in parsed.problems if problem.level is Level.ERROR}
    is_later = PAGE[: block.start()].rstrip().endswith("Not available yet:")
    assert errors == ({RULE} if is_later else set()), parsed.problems
    assert jsonschema_rs.is_valid(SCHEMA, _value(block[1]))


def _value(text: str) -> Json:
    read = yaml_text.parse(text.encode(), path="page.yml", prefix="config")
    assert not isinstance(read, tuple)
    return read.value
