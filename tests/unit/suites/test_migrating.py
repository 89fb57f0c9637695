"""What a legacy document becomes: valid, the same in meaning, and spelt as it was."""

import json
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import plugins
from mergebar.model.problems import Problem
from mergebar.suites import documents, migrating
from mergebar.suites.migrating import Migration

BEFORE_AND_AFTER = {
    "a bare array": (
        '[\n    {"prompt": "Hi", "expected_response": "Hello"},\n    {"prompt": "Bye"}\n]\n',
        (
            '{\n    "schemaVersion": "1.7.0",\n    "items": [\n'
            '        {"prompt": "Hi", "expected_response": "Hello"},\n        {"prompt": "Bye"}\n'
            "    ]\n}\n"
        ),
    ),
    "a bare array on one line": (
        '[{"prompt": "Hi"}]',
        '{"schemaVersion": "1.7.0", "items": [{"prompt": "Hi"}]}',
    ),
    "a bare array with the line ends of Windows": (
        '[\r\n\t{"prompt": "Hi"}\r\n]\r\n',
        '{\r\n\t"schemaVersion": "1.7.0",\r\n\t"items": [\r\n\t\t{"prompt": "Hi"}\r\n\t]\r\n}\r\n',
    ),
    "no version": (
        '{\n  "items": [ {"prompt": "A\\u0041 1e2"} ] }',
        '{\n  "schemaVersion": "1.7.0",\n  "items": [ {"prompt": "A\\u0041 1e2"} ] }',
    ),
    "no version, on one line": (
        '{"items":[{"prompt":"Hi"}]}',
        '{"schemaVersion": "1.7.0", "items":[{"prompt":"Hi"}]}',
    ),
    "no version, and a byte order mark": (
        '\ufeff{ "items": [{"prompt": "Hi"}] }\n',
        '{ "schemaVersion": "1.7.0", "items": [{"prompt": "Hi"}] }\n',
    ),
    "prompts": (
        '{\n "prompts": ["Hi", "Straße"]\n}\n',
        (
            '{\n "schemaVersion": "1.7.0",\n "items": [\n  {\n   "prompt": "Hi"\n  },\n  {\n'
            '   "prompt": "Straße"\n  }\n ]\n}\n'
        ),
    ),
    "prompts and expected responses": (
        '{"prompts": ["Hi"], "expected_responses": ["Hello"], "metadata": {"n": 1}}',
        (
            '{"schemaVersion": "1.7.0", "metadata": {"n": 1}, '
            '"items": [{"prompt": "Hi", "expected_response": "Hello"}]}'
        ),
    ),
    "an older version": (
        '{"items": [{"prompt": "Hi"}], "schemaVersion" : "1.2.0" }',
        '{"items": [{"prompt": "Hi"}], "schemaVersion" : "1.7.0" }',
    ),
    "a version below what is used": (
        '{"schemaVersion": "1.7.0", "items": [{"prompt": "Hi", "tags": ["a"]}]}',
        '{"schemaVersion": "1.9.0", "items": [{"prompt": "Hi", "tags": ["a"]}]}',
    ),
    "no version, and what came later": (
        '{"items": [{"prompt": "Hi", "tags": ["a"]}]}',
        '{"schemaVersion": "1.9.0", "items": [{"prompt": "Hi", "tags": ["a"]}]}',
    ),
}
CURRENT = (
    '{"schemaVersion": "1.7.0", "items": [{"prompt": "Hi"}]}',
    '\ufeff{"schemaVersion": "1.7.0", "items": [{"prompt": "Hi"}]}',
    '{"schemaVersion": "1.11.0", "items": [{"prompt": "Hi"}]}',
    '{"schemaVersion": "1.99.0", "items": [{"prompt": "Hi"}]}',
)
REFUSED = {
    '{"items": [{"prompt": 7}]}': ("schema/type", 1, 23),
    '{"schemaVersion": "1.4.0", "items": [{"prompt": "Hi", "propmt": ""}]}': (
        "schema/unknown-key",
        1,
        55,
    ),
    '{"schemaVersion": "2.0.0", "items": [{"prompt": "Hi"}]}': ("schema/version", 1, 19),
    '{"prompts": ["a", "b"], "expected_responses": ["a"]}': ("document/legacy-shape", 1, 47),
    '{"individual_results": [], "aggregate_statistics": {}}': ("document/legacy-results", 1, 1),
    '{"name": "package"}': ("document/not-an-eval-document", 1, 1),
    "[1, 2]": ("document/not-an-eval-document", 1, 1),
    '{"items": [': ("document/json-syntax", 1, 11),
    "": ("document/empty", 1, 1),
}


def migrate(text: str) -> Migration | tuple[Problem, ...]:
    return migrating.migrate(text.encode(), path="evals/a.json", explain=plugins.explain)


def migrated(text: str) -> Migration:
    made = migrate(text)
    assert isinstance(made, Migration), made
    return made


@pytest.mark.parametrize("what", BEFORE_AND_AFTER)
def test_a_legacy_document_becomes_a_current_one_spelt_as_it_was(what: str) -> None:
    before, after = BEFORE_AND_AFTER[what]

    made = migrated(before)

    assert (made.before, made.after) == (before, after)
    assert made.changes
    assert migrated(after).changes == ()


@pytest.mark.parametrize("text", CURRENT)
def test_what_is_current_stays_as_it_is(text: str) -> None:
    assert migrated(text) == Migration(before=text, after=text)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_wrong_otherwise_is_told_at_its_place(text: str) -> None:
    problems = migrate(text)

    assert isinstance(problems, tuple)
    found = [(one.rule, one.line, one.column) for one in problems if one.level == "error"]
    assert found == [REFUSED[text]]


def _shapes(items: Sequence[dict[str, str]]) -> list[object]:
    prompts = [item["prompt"] for item in items]
    return [
        list(items),
        {"items": list(items)},
        {"prompts": prompts},
        {"metadata": {}, "prompts": prompts},
    ]


@given(
    items=st.lists(st.fixed_dictionaries({"prompt": st.text(min_size=1)}), min_size=1, max_size=4),
    indent=st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    ascii_only=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
    seed=st.randoms(use_true_random=False),
)
def test_whatever_is_migrated_asks_the_same_and_is_migrated_once(
    items: list[dict[str, str]],
    indent: int | str | None,
    ascii_only: bool,  # noqa: FBT001 - hypothesis passes by keyword
    end: str,
    seed: random.Random,
) -> None:
    shape = seed.choice(_shapes(items))
    text = json.dumps(shape, indent=indent, ensure_ascii=ascii_only).replace("\n", end)

    made = migrated(text)

    checked = documents.check(made.after.encode(), path="a.json", explain=plugins.explain)
    assert checked.problems == ()
    assert [item["prompt"] for item in json.loads(made.after)["items"]] == [
        item["prompt"] for item in items
    ]
    assert migrated(made.after).changes == ()
