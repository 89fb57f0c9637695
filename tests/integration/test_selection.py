"""The edits of docs/concepts/selection.md, made in a real repository and planned."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from support import pages, scenarios
from support.scenarios import DESK, Desk, config, document, item

PAGE = "concepts/selection.md"
ROWS = pages.rows(pages.sections(PAGE)["Which cases of a document"], "edit of the document")
DEFAULTS: Mapping[str, object] = {
    "schemaVersion": "1.9.0",
    "default_evaluators": {"ExactMatch": {}},
}


def plain(name: str, **keys: object) -> dict[str, object]:
    """A case with the document's evaluators."""
    made = item(name)
    del made["evaluators"], made["evaluators_mode"]
    return {**made, **keys}


OTHERS: list[dict[str, object]] = [
    {"Citations": {}},
    {"ExactMatch": {"case_sensitive": False}},
    {"PartialMatch": {"threshold": 0.3}},
]
A, B, C = plain("a"), plain("b"), item("c")
EDITS: list[Callable[[], list[str]]] = [
    lambda: [json.dumps(json.loads(document(C, A, B, **DEFAULTS)), indent=7)],
    lambda: [document(A, {**B, "expected_response": "no"}, C, **DEFAULTS)],
    lambda: [document(A, {**B, "context": "more"}, C, **DEFAULTS)],
    lambda: [document(A, B, item("c", evaluators=one), **DEFAULTS) for one in OTHERS],
    lambda: [document(A, B, item("c", runs=2), **DEFAULTS)],
    lambda: [document(A, B, C, "d", **DEFAULTS)],
    lambda: [document(B, C, **DEFAULTS)],
    lambda: [document(A, B, C, **{**DEFAULTS, "default_evaluators": {"Citations": {}}})],
    lambda: [
        document(A, B, changed, **DEFAULTS)
        for changed in (
            item("c", severity="notice"),
            item("c", weight=2),
            {**C, "tags": ["slow"]},
        )
    ],
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return scenarios.desk(tmp_path_factory.mktemp("desk"), {DESK: document(A, B, C, **DEFAULTS)})


def planned(desk: Desk) -> list[str]:
    (suite,) = desk.plan("--base", "main")["suites"]
    assert suite["problems"] == []
    return [case["case"] for case in suite["cases"]]


@pytest.mark.parametrize(
    ("row", "edit"), list(zip(ROWS, EDITS, strict=False)), ids=[row[0] for row in ROWS[:-1]]
)
def test_an_edit_affects_the_cases_that_the_page_says(
    row: list[str], edit: Callable[[], list[str]], desk: Desk
) -> None:
    for text in edit():
        desk.here.write(DESK, text)
        assert planned(desk) == pages.names(row[1]), text


def test_the_page_has_these_edits_and_the_rename(desk: Desk) -> None:
    assert len(ROWS) == len(EDITS) + 1
    desk.here.git("checkout", "--quiet", ".")
    desk.here.git("mv", DESK, "evals/moved.json")

    moved = planned(desk)
    desk.here.git("mv", "evals/moved.json", DESK)

    assert moved == pages.names(ROWS[-1][1]) == []


def test_each_check_is_explained_in_one_line_and_the_calls_are_held_against_the_budget(
    desk: Desk, tmp_path: Path
) -> None:
    here = scenarios.copied(desk, tmp_path)
    here.here.git("checkout", "--quiet", ".")
    here.measure()
    here.here.commit({"mergebar.yml": config(budget={"agent_calls": 0})})
    here.change({DESK: document(A, B, item("c", expected="no"), **DEFAULTS)})

    text = here.explained("--base", "main", "--baseline", "../base.json")
    alone = here.explained("--base", "main", "--verbose")

    assert text[-4:] == [
        "  evals/desk.json::a::0::ExactMatch: carried from the baseline",
        "  evals/desk.json::b::0::ExactMatch: carried from the baseline",
        "  evals/desk.json::c::0::ExactMatch: affected: this case was edited",
        (
            "calls: 1 to agents (budget 0), 0 to the judge (budget 5,000); "
            "`mergebar run` would stop before the first one"
        ),
    ]
    assert text[-5] == (
        "evals/desk.json: affected: 1 of its 3 cases changed (1 case, 1 check; 2 checks carried)"
    )
    assert alone[-2:] == text[-2:]
