"""docs/concepts/policy.md: each key comes from the version that the page names."""

import re
from dataclasses import replace
from typing import Any

import pytest

from mergebar import config, plugins
from mergebar.config import policy
from mergebar.model.configuration import Config
from mergebar.reading import schemas
from support import pages

PAGE = "concepts/policy.md"
KEYS = pages.rows(pages.prose(PAGE), "key")
BASE: dict[str, Any] = {
    "gate": "{severity: error}",
    "rules": "[]",
    "judge": "{type: replay, model: base}",
    "baseline": "{source: auto}",
    "budget": "{minutes: 60}",
    "execution": "{repository_code: trusted}",
    "report": "{comment: always}",
    "agents": "{base: {type: replay}}",
    "documents": "[{paths: [base.json]}]",
    "artifacts": "[{paths: [base.md]}]",
}
HEAD: dict[str, Any] = {
    "gate": "{severity: warning}",
    "rules": "[{match: {evaluator: Citations}, severity: notice}]",
    "judge": "{type: replay, model: head}",
    "baseline": "{source: none}",
    "budget": "{minutes: 5}",
    "execution": "{repository_code: never}",
    "report": "{comment: never}",
    "agents": "{head: {type: replay}}",
    "documents": "[{paths: [head.json]}]",
    "artifacts": "[{paths: [head.md]}]",
}


def parsed(values: dict[str, Any]) -> Config:
    lines = ["version: 1", *(f"{key}: {value}" for key, value in values.items())]
    made = config.parse("\n".join(lines).encode(), path="mergebar.yml", explain=plugins.explain)
    assert made.config is not None, made.problems
    return replace(made.config, digest="", path="mergebar.yml")


@pytest.mark.parametrize("row", KEYS, ids=lambda row: row[0])
def test_a_key_is_taken_from_where_the_page_says(row: list[str]) -> None:
    [key] = pages.names(row[0])
    edited = parsed({**BASE, key: HEAD[key]})
    base = parsed(BASE)

    combined = policy.combine(edited, base)
    kept = combined.config == edited
    assert kept != (combined.config == base)
    assert kept == (row[1] == "change")
    told = [one.message for one in combined.differences]
    assert told == ([] if kept else [MESSAGE.replace("gate", key)])


MESSAGE = " ".join(
    line.removeprefix("> ") for line in pages.read(PAGE).splitlines() if line.startswith("> ")
)


NEITHER = {"version", "cache", "custom_evaluators"}
LISTS = {
    "guides/github-action.md": r"\*\*The policy\*\* \((.+?)\)",
    "../SECURITY.md": r"can't lower its own bar\.\*\* (.+?) of a pull request",
}


def decides() -> set[str]:
    """The keys of which the change's own version is told not to hold, whatever else it edits."""
    combined = policy.combine(parsed(HEAD), parsed(BASE))
    return {one.message.split("`")[1] for one in combined.differences}


def test_no_key_of_a_configuration_is_forgotten_here() -> None:
    """What is kept where, and how, decides nothing and measures nothing."""
    schema: Any = schemas.load("config.v1.json")
    assert set(schema["properties"]) == {*BASE, *NEITHER}


def test_the_page_names_every_key_that_comes_from_the_base() -> None:
    assert {pages.names(row[0])[0] for row in KEYS if row[1] == "base"} == decides()
    assert {pages.names(row[0])[0] for row in KEYS} == set(BASE) == set(HEAD)


@pytest.mark.parametrize("page", LISTS)
def test_whoever_lists_them_lists_them_all(page: str) -> None:
    found = re.search(LISTS[page], pages.read(page), re.DOTALL)
    assert found is not None
    assert set(pages.names(found[1])) == decides()
