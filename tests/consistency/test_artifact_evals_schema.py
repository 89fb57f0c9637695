"""Our schema of artifacts' evals against the public one: the same language, in our own words.

Every verdict of ours must be that of the public schema, on public files, on generated
declarations and on mutations of them; and there must be a fault to explain exactly where it is no.
"""

import base64
import json
import random
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar.catalogue import graders
from mergebar.model.text import Json, JsonObject
from mergebar.reading import front_matter, schemas
from mergebar.reading.accepting import accepts
from mergebar.reading.explaining import explain
from mergebar.suites.artifacts.schema import SCHEMA

ROOT = Path(__file__).parent.parent.parent
SEED = ROOT.parent / "shared/seeds/artifact-evals-1.0.0.schema.json"

MOST = {"timeout-ms": 7 * 24 * 60 * 60 * 1000, "weight": 1_000_000_000}
"""What is more than this is refused, although the public schema has no bound."""

EDGES: list[Json] = [
    None, True, False, 0, 1, -1, 1.0, 3.0, 0.5, 50, 51, 1e300, "", " ", "x", "a--b-", "abc\n", "A", "-a", "tool:",
    "tool:vale", "ai", "human", "command", "regex", "tool-order", "transcript", "files", "error", "info", "file",
    "/a", "/a\nb", "é", "\uff11", [], [""], ["x"], ["x", "x"], [1], [1, 1.0], [True, 1], {}, {"x": 1}, {"id": "a"},
    {"source": "file", "path": "a"}, {"source": "file"}, {"pass": "x"}, {"fail": ["x", "y"]}, {"x": "error"},
]  # fmt: skip


def own() -> JsonObject:
    return schemas.load(SCHEMA)


@cache
def public() -> JsonObject:
    if not SEED.exists():
        pytest.skip("../shared is absent: the public schema is not beside this checkout")
    return cast("JsonObject", json.loads(SEED.read_bytes()))


@cache
def verdicts() -> tuple[jsonschema_rs.Draft202012Validator, jsonschema_rs.Draft202012Validator]:
    return (
        jsonschema_rs.Draft202012Validator(dict(own())),
        jsonschema_rs.Draft202012Validator(cast("dict[str, Json]", bounded(public()))),
    )


def bounded(schema: Json | JsonObject) -> Json:
    """The public schema with the bounds that we alone have: nothing can be made of more."""
    if isinstance(schema, list):
        return [bounded(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {name: bounded(value) for name, value in schema.items()}
    for name, most in MOST.items():
        told = made.get(name)
        if isinstance(told, dict) and "type" in told:
            made[name] = {**told, "maximum": most}
    return made


def agree(value: Json | JsonObject) -> bool:
    """Compare the verdicts, and return what they are."""
    ours, expected = verdicts()
    verdict = expected.is_valid(value)
    assert ours.is_valid(value) == verdict, value
    assert (explain(own(), cast("Json", value)) == ()) == verdict, value
    return verdict


EDGE: st.SearchStrategy[Any] = st.sampled_from(EDGES)
TEXT = st.sampled_from(["x", "some text", "a", ""])
ID = st.sampled_from(["a", "a-1", "0", "A", "a\n", ""])
GRADER = st.sampled_from([*graders.GRADERS, "tool:vale", "llm", "Tool", "tool:"])
SEVERITY = st.sampled_from(["error", "warning", "notice", "info"])
TEXTS = TEXT | st.lists(TEXT, max_size=3)
FITTING: dict[str, st.SearchStrategy[Any]] = {
    "id": ID,
    "assertion": TEXT,
    "type": st.sampled_from(["capability", "regression", "x"]),
    "grader": GRADER,
    "provider": TEXT,
    "model": TEXT,
    "runs": st.integers(0, 51),
    "command": st.lists(TEXT, max_size=2),
    "success-exit-codes": st.lists(st.integers(-1, 300), max_size=2),
    "timeout-ms": st.integers(0, 5) | st.sampled_from([MOST["timeout-ms"] + n for n in (0, 1)]),
    "generated-assertion-hash": TEXT,
    "options": st.just({}),
    "severity": SEVERITY,
    "weight": st.sampled_from([0, 1, 0.5, -1, MOST["weight"], MOST["weight"] + 1]),
    "severity-map": st.dictionaries(TEXT, SEVERITY, max_size=1),
    "skip": st.booleans(),
    "evidence": TEXT,
    "target": st.sampled_from(["transcript", "artifact", "body"])
    | st.fixed_dictionaries({"source": st.just("file")}, optional={"path": TEXT, "x": TEXT}),
    "examples": st.fixed_dictionaries({}, optional={"pass": TEXTS, "fail": TEXTS, "x": TEXTS}),
}
OF_COMMANDS = ("command", "success-exit-codes", "timeout-ms", "generated-assertion-hash")


@st.composite
def objects(draw: st.DrawFn) -> Json:
    """An eval that is right, or nearly."""
    made: dict[str, Json] = {"id": "a", "assertion": "x"}
    for name in draw(st.lists(st.sampled_from(sorted(FITTING)), max_size=5)):
        made[name] = draw(st.one_of(FITTING[name], FITTING[name], FITTING[name], EDGE))
    if draw(st.booleans()) and set(OF_COMMANDS) & set(made):
        made["grader"] = "command"
    for name in draw(st.lists(st.sampled_from(["id", "assertion", "grader"]), max_size=1)):
        made.pop(name, None)
    if draw(st.integers(0, 9)) == 0:
        made[draw(st.sampled_from(["when", "name", "x-note", ""]))] = draw(EDGE)
    return made


CLAIM: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"generated-by": TEXT | EDGE},
    optional={
        "fields": st.lists(st.sampled_from(["/a", "/", "a", "/a~b"]), max_size=2) | EDGE,
        "evals": st.lists(ID, max_size=2) | EDGE,
        "confidence": st.dictionaries(
            st.sampled_from(["/a", "a", "A B", "", "a\n", "/a\nb"]),
            st.sampled_from([0, 1, 0.5, 1.5, -1, True, "1"]),
            max_size=2,
        ),
        "x": TEXT,
    },
)
METADATA: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "evals": st.lists(objects() | objects() | TEXT | EDGE, max_size=3) | objects() | EDGE,
        "eval-skip": st.booleans() | EDGE,
        "meta-provenance": st.lists(CLAIM, max_size=2) | EDGE,
        "eval-": EDGE,
        "eval-skip\n": EDGE,
        "eval-skipp": EDGE,
        "Eval-Skip": EDGE,
        "evaluation": EDGE,
        "author": EDGE,
    },
)
FRONT: st.SearchStrategy[Any] = (
    st.fixed_dictionaries({"metadata": METADATA | METADATA | METADATA | EDGE}) | EDGE
)


@settings(deadline=None, max_examples=300)
@given(objects())
def test_on_every_generated_eval_our_schema_says_what_the_public_one_says(entry: Json) -> None:
    agree({"metadata": {"evals": [entry]}})


@settings(deadline=None, max_examples=250)
@given(FRONT)
def test_on_all_generated_front_matter_our_schema_says_what_the_public_one_says(
    front: Json,
) -> None:
    agree(front)


def test_the_generated_evals_are_of_both_kinds() -> None:
    rng = random.Random(7)  # noqa: S311 -- the same on every run
    samples = [mutate(value, rng) for value in written() for _ in range(12)]

    told = [agree(sample) for sample in samples]

    assert min(told.count(True), told.count(False)) > len(told) // 6


def written() -> Iterator[JsonObject]:
    """Declarations that use every key."""
    yield {"metadata": {"evals": "x", "eval-skip": True}}
    yield {"metadata": {"evals": ["x", {"id": "a", "assertion": "y", "runs": 3.0, "model": "m"}]}}
    command: dict[str, Json] = {"id": "c", "grader": "command", "command": ["a"]}
    yield {"metadata": {"evals": [command, {**command, "assertion": "x", "timeout-ms": 5}]}}
    hashed: dict[str, Json] = {"success-exit-codes": [0, 3], "generated-assertion-hash": "0"}
    yield {"metadata": {"evals": [{**command, **hashed}]}}
    file: dict[str, Json] = {"source": "file", "path": "a"}
    yield {"metadata": {"evals": [{"id": "f", "grader": "regex", "target": file, "options": {}}]}}
    claim: dict[str, Json] = {"generated-by": "m", "evals": ["a"], "confidence": {"a": 0.5}}
    yield {"metadata": {"meta-provenance": [claim, {"generated-by": "n", "fields": ["/a"]}]}}
    more: dict[str, Json] = {"severity": "notice", "weight": 2, "severity-map": {"x": "error"}}
    pair: dict[str, Json] = {"pass": "x", "fail": ["y"]}
    yield {"metadata": {"evals": [{"id": "h", "assertion": "x", "grader": "human", **more}]}}
    yield {
        "metadata": {"evals": [{"id": "e", "assertion": "x", "evidence": "y", "examples": pair}]}
    }


def containers(value: Json) -> Iterator[dict[str, Json] | list[Json]]:
    if isinstance(value, dict | list):
        yield value
        for child in value.values() if isinstance(value, dict) else value:
            yield from containers(child)


def mutate(value: JsonObject, rng: random.Random) -> Json:
    """A copy with one place deleted, doubled, renamed or given another value; or as it is."""
    copied = cast("dict[str, Json]", json.loads(json.dumps(value)))
    node = rng.choice([node for node in containers(copied) if node])
    if rng.random() < 0.2:
        return copied
    if isinstance(node, list):
        index = rng.randrange(len(node))
        node[index : index + 1] = rng.choice([[], [node[index]] * 2, [rng.choice(EDGES)]])
        return copied
    name = rng.choice(list(node))
    held = node.pop(name)
    if rng.random() < 0.7:
        names = [name, name, *FITTING, "eval-x", "other"]
        node[rng.choice(names)] = rng.choice([held, rng.choice(EDGES)])
    return copied


def test_on_every_public_file_our_schema_says_what_the_public_one_says(shared: Path) -> None:
    values = [value for value in corpus(shared) if value]
    rng = random.Random(3)  # noqa: S311 -- the same on every run

    told = [agree(value) for value in values]
    told += [agree(mutate(value, rng)) for value in values for _ in range(3)]

    assert len(values) > 200
    assert min(told.count(True), told.count(False)) > 60


def corpus(shared: Path) -> Iterator[JsonObject]:
    for path in sorted((shared / "corpus/artifacts").rglob("*")):
        if path.is_file():
            yield front_matter.read(path.read_bytes(), path=path.name).value or {}
    lines = (shared / "corpus/artifact-evals-edge-cases.jsonl").read_text(encoding="utf-8")
    for line in lines.splitlines():
        case = json.loads(line)
        text = f"---\n{case['yaml']}\n---\n".encode() if "yaml" in case else None
        data = text if text is not None else base64.b64decode(case["file_base64"])
        yield front_matter.read(data, path="SKILL.md").value or {}


def test_a_plain_validator_can_read_the_schema() -> None:
    assert accepts(own())({"metadata": {"evals": "x"}})
    assert "$defs" in own()


def test_the_public_schema_recommends_the_graders_of_its_version() -> None:
    definitions = cast("dict[str, JsonObject]", public()["$defs"])
    choices = cast("list[JsonObject]", definitions["grader"]["anyOf"])
    named = cast("list[str]", choices[1]["enum"])

    ours = [name for name, spec in graders.GRADERS.items() if spec.since == "1.0.0"]

    assert sorted(named) == sorted(ours)
    assert [name for name, spec in graders.GRADERS.items() if spec.since == "1.1.0"] == [
        "tool-order"
    ]
