"""docs/reference/artifact-evals.md says what the catalogue, the schema and the reader do."""

import re
from pathlib import Path
from typing import cast

import pytest

from mergebar.catalogue import graders
from mergebar.catalogue.graders import GraderSpec, OptionSpec
from mergebar.model.problems import is_invalid
from mergebar.model.text import JsonObject
from mergebar.reading import schemas
from mergebar.reading.front_matter import read as read_front_matter
from mergebar.suites.artifacts.schema import SCHEMA
from support import artifacts

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/reference/artifact-evals.md").read_text(encoding="utf-8")
SECTIONS = {
    part.partition("\n")[0].strip(): part
    for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
}


def rows(section: str) -> list[list[str]]:
    """The rows of a section's table, without its heading."""
    lines = [line for line in SECTIONS[section].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines[2:]]


def definitions() -> JsonObject:
    return cast("JsonObject", schemas.load(SCHEMA)["$defs"])


def described(spec: OptionSpec) -> str:
    text = f"`{spec.name}`" + (" (needed)" if spec.required else "")
    if spec.choices:
        *first, last = (f"`{choice}`" for choice in spec.choices)
        text += f": {', '.join(first)} or {last}"
    return text


def options(spec: GraderSpec) -> str:
    text = ", ".join(described(option) for option in spec.options)
    return f"{text} (one of them)" if spec.any_of else text


def test_every_grader_has_a_row_with_its_options() -> None:
    assert rows("Graders") == [
        [f"`{spec.name}`", options(spec)] for spec in graders.GRADERS.values()
    ]


def test_every_condition_of_when_is_named() -> None:
    for name in graders.CONDITIONS:
        assert f"`{name}`" in SECTIONS["Graders"]
    refusing = {name for name, spec in graders.GRADERS.items() if spec.whole}
    assert refusing == {"cost", "json-output"}
    assert "Every grader but `cost` and `json-output` takes `when`" in SECTIONS["Graders"]


def test_every_key_of_an_eval_has_a_row() -> None:
    entry = cast("JsonObject", definitions()["entry"])

    assert {row[0].strip("`") for row in rows("Keys of an eval")} == set(
        cast("JsonObject", entry["properties"])
    )


def test_every_key_of_metadata_has_a_row() -> None:
    properties = cast("JsonObject", schemas.load(SCHEMA)["properties"])
    metadata = cast("JsonObject", cast("JsonObject", properties["metadata"])["properties"])

    assert [row[0].strip("`") for row in rows("Keys of `metadata`")] == list(metadata)


@pytest.mark.parametrize("block", re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL))
def test_the_examples_are_valid(block: str) -> None:
    front = read_front_matter(block.encode(), path="SKILL.md")
    assert front.value

    artifact = artifacts.read(block.removeprefix("---\n").removesuffix("---\n"))

    assert not is_invalid(artifact.problems)
    assert artifact.evals
