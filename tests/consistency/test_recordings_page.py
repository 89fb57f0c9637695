"""docs/reference/recordings.md: what invalidates an entry, and what a file holds."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from mergebar import identity, recordings
from mergebar.model.conversations import Exchange
from mergebar.model.judgements import Assessment, Material
from mergebar.recordings import digests
from support import pages
from support.scripted import RUBRIC

PAGE = "reference/recordings.md"
SECTIONS = pages.sections(PAGE)
INVALIDATES = pages.rows(SECTIONS["What invalidates an entry"], "what changes")
ENTRIES = pages.rows(SECTIONS["The file"], "entry")

EARLIER = (Exchange(prompt="Hello?", response="Hello."),)
BEFORE = Assessment(
    suite="evals/hr.json",
    case="a",
    turn=1,
    evaluator="Citations",
    run=0,
    vote=0,
    rubric=RUBRIC,
    material=Material(
        prompt="How long?",
        response="Two days.",
        history=EARLIER,
        expected_response="Two days.",
        context="Two days.",
    ),
    options={"format": "mixed"},
)


def of_material(**fields: object) -> Assessment:
    return replace(BEFORE, material=replace(BEFORE.material, **fields))  # type: ignore[arg-type]


CHANGES: Mapping[str, Callable[[], tuple[Assessment, ...]]] = {
    "the prompt": lambda: (of_material(prompt="How many?"),),
    "an earlier turn of the thread, its prompt or its answer": lambda: (
        of_material(history=(replace(EARLIER[0], prompt="Hi?"),)),
        of_material(history=(replace(EARLIER[0], response="Hi."),)),
    ),
    "the answer": lambda: (of_material(response="Three days."),),
    "the expected response": lambda: (of_material(expected_response="Three days."),),
    "the context": lambda: (of_material(context="Three days."),),
    "the evaluator or one of its options": lambda: (
        replace(BEFORE, evaluator="Relevance"),
        replace(BEFORE, options={"format": "bracket"}),
    ),
    # Neither a threshold nor the judge or the agent is any part of an assessment.
    "the threshold": lambda: (BEFORE,),
    "the judge's model": lambda: (BEFORE,),
    "the program or the prompts of the agent": lambda: (BEFORE,),
}


def answered(one: Assessment) -> str:
    return identity.answer_digest(one.material.prompt, one.material.history)


def test_the_page_and_the_test_speak_of_the_same_changes() -> None:
    assert [row[0] for row in INVALIDATES] == list(CHANGES)


@pytest.mark.parametrize("row", INVALIDATES, ids=lambda row: row[0])
def test_a_change_invalidates_what_the_page_says(row: list[str]) -> None:
    for after in CHANGES[row[0]]():
        again = [
            "record again" if digest(after) != digest(BEFORE) else ""
            for digest in (answered, digests.verdict_digest)
        ]
        assert again == row[1:]


def test_an_assessment_has_neither_a_threshold_nor_a_judge() -> None:
    assert not {"threshold", "judge", "model"} & {*Assessment.__slots__}


def whole() -> dict[str, list[dict[str, object]]]:
    """A file with one entry of each kind."""
    [block] = [one for one in pages.blocks(PAGE, "json") if '"schema"' in one.text]
    opinion = {
        "case": "a", "eval": "b", "vote": 0, "digest": None, "match": "pass", "confidence": 1,
        "observed": "c", "reason": "d",
    }  # fmt: skip
    return {**json.loads(block.text), "opinions": [opinion]}


def load(value: object) -> object:
    return recordings.load(json.dumps(value).encode(), "page.json")


@pytest.mark.parametrize("row", ENTRIES, ids=lambda row: row[0])
def test_an_entry_has_the_keys_of_the_page_and_each_is_required(row: list[str]) -> None:
    [kind] = pages.names(row[0])
    keys = [*pages.names(row[1]), *pages.names(row[2].partition(":")[0] + row[2].partition(")")[2])]
    value = whole()
    [entry] = value[kind]

    assert isinstance(load(value), recordings.Recording)
    assert set(entry) - set(keys) == set()
    for key in entry:
        less = {name: one for name, one in entry.items() if name != key}
        assert not isinstance(load({**value, kind: [less]}), recordings.Recording), key
    assert not isinstance(load({**value, kind: [{**entry, "more": 1}]}), recordings.Recording)


def test_two_entries_with_the_keys_that_find_them_are_refused() -> None:
    for row in ENTRIES:
        [kind] = pages.names(row[0])
        value = whole()
        [entry] = value[kind]
        assert not isinstance(load({**value, kind: [entry, entry]}), recordings.Recording)
        for key in pages.names(row[1]):
            other = 7 if isinstance(entry[key], int) else "other"
            both = [entry, {**entry, key: other}]
            assert isinstance(load({**value, kind: both}), recordings.Recording), key
