"""docs/concepts/policy.md: each key comes from the version that the page names."""

from dataclasses import replace
from typing import Any

import pytest

from mergebar import config, plugins
from mergebar.config import policy
from mergebar.model.configuration import Config
from support import pages

PAGE = "concepts/policy.md"
KEYS = pages.rows(pages.prose(PAGE), "key")
BASE: dict[str, Any] = {
    "gate": "{severity: error}",
    "rules": "[]",
    "judge": "{type: replay, model: base}",
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


def test_the_page_has_every_key_that_decides() -> None:
    combined = policy.combine(parsed(HEAD), parsed(BASE))

    decides = {pages.names(row[0])[0] for row in KEYS if row[1] == "base"}
    assert {pages.names(one.message)[0] for one in combined.differences} == decides
