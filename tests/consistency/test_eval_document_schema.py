"""Our schemas of the eval document against the public ones: the same language, in our own words.

Documents are generated so that they are valid or nearly so, then mutated; every verdict of our
schema must be that of the public one, and there must be a fault to explain exactly where it is no.
"""

import copy
import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import jsonschema
import jsonschema_rs
import pytest

from mergebar.model.text import Json, JsonObject
from mergebar.reading import schemas
from mergebar.reading.accepting import accepts
from mergebar.reading.explaining import explain

SEED = "seeds/m365-eval-document-1.7.0.schema.json"
UPSTREAM = "corpus/m365/upstream/eval-document-1.11.0.schema.json"
PUBLIC = [(SEED, 7), (SEED, 8), (UPSTREAM, 11), (UPSTREAM, 12)]
CASES = 1200

EXTREME: list[Json] = [
    None, True, False, 0, 1, -1, 0.0, 1.0, 0.5, 2.5, 5, 5.0, 5.000001, 20, 10**18, 10**30, -(10**30), 1e300,
    "", " ", "x", "pass", "error", "extend", "1.7.0", "1.7.0\n", "1.\u0661.0", "2.0.0", "é😀",
    [], [1], ["x"], [""], {}, {"x": 1}, {"index": 1}, {"result": "error"}, {"result": "error", "error": "x"},
    {"code": "turnSkipped", "message": "m"}, [{"prompt": "x"}], {"prompt": "x"},
]  # fmt: skip


def extreme(rng: random.Random) -> Json:
    return copy.deepcopy(rng.choice(EXTREME))


def names(schema: Json) -> set[str]:
    """Every key that the schema speaks of, anywhere."""
    found: set[str] = set()
    if isinstance(schema, Mapping):
        found |= set(cast("JsonObject", schema.get("properties") or {}))
        for child in schema.values():
            found |= names(child)
    elif isinstance(schema, list):
        for child in schema:
            found |= names(child)
    return found


KEYS = [*sorted(names(cast("Json", schemas.eval_document(11)))), "other", "relevance2", "1x", ""]


class Generator:
    """Values that follow a schema, with a slip here and there."""

    def __init__(self, schema: JsonObject, rng: random.Random) -> None:
        self.root = schema
        self.rng = rng

    def value(self, schema: Json, depth: int = 0) -> Json:
        if not isinstance(schema, Mapping) or self.rng.random() < 0.0005:
            return extreme(self.rng)
        if "$ref" in schema:
            name = str(schema["$ref"]).rpartition("/")[2]
            return self.value(cast("JsonObject", self.root["$defs"])[name], depth)
        for keyword in ("oneOf", "then"):
            if keyword in schema and "properties" not in schema:
                branches = (
                    schema["oneOf"] if keyword == "oneOf" else [schema["then"], schema["else"]]
                )
                return self.value(self.rng.choice(cast("list[Json]", branches)), depth)
        if "const" in schema or "enum" in schema:
            return self.rng.choice(cast("list[Json]", schema.get("enum") or [schema["const"]]))
        return self.typed(schema, depth)

    def typed(self, schema: JsonObject, depth: int) -> Json:
        wanted = schema.get("type", "string")
        kind = self.rng.choice(wanted) if isinstance(wanted, list) else wanted
        if kind == "object":
            return self.members(schema, depth)
        if kind == "array":
            least = cast("int", schema.get("minItems", 0))
            count = self.rng.choice(
                [least, least, 1, 2, 20 if depth < 6 else 1, 21 if depth < 3 else 0]
            )
            return [self.value(schema.get("items", True), depth + 1) for _ in range(count)]
        if kind in ("number", "integer"):
            least = cast("int", schema.get("minimum", 0))
            return self.rng.choice(
                [least, least, cast("int", schema.get("maximum", least + 1)), 3, 1.0]
            )
        return {"boolean": True, "null": None}.get(str(kind), self.text(schema))

    def text(self, schema: JsonObject) -> str:
        if "pattern" in schema:
            return self.rng.choice(["1.7.0", "1.11.2", "tool_x"])
        return self.rng.choice(["x", "some text", "é", "2025-01-01T00:00:00Z"])

    def members(self, schema: JsonObject, depth: int) -> Json:
        known = cast("JsonObject", schema.get("properties", {}))
        required = cast("list[str]", schema.get("required", []))
        share = 0.3 / (1 + depth / 4)
        made = {
            name: self.value(child, depth + 1)
            for name, child in known.items()
            if name in required or self.rng.random() < share
        }
        extra = schema.get("additionalProperties", True)
        if extra is not False and self.rng.random() < 0.05:
            made[self.rng.choice(KEYS)] = self.value(extra, depth + 1)
        return made


def containers(value: Json) -> Iterator[dict[str, Json] | list[Json]]:
    if isinstance(value, dict | list):
        yield value
        for child in value.values() if isinstance(value, dict) else value:
            yield from containers(child)


def mutate(value: Json, rng: random.Random) -> Json:
    """A copy with one to three keys deleted, added, renamed or given another value."""
    copied = copy.deepcopy(value)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        found = [node for node in containers(copied) if node]
        if not found:
            return extreme(rng)
        node = rng.choice(found)
        if isinstance(node, list):
            index = rng.randrange(len(node))
            node[index : index + 1] = rng.choice([[], [node[index]] * 2, [extreme(rng)]])
            continue
        name = rng.choice(list(node))
        action = rng.randrange(4)
        if action == 0:
            node[rng.choice(KEYS)] = extreme(rng)
        elif action == 1:
            node[rng.choice(KEYS)] = copy.deepcopy(node[name])
        elif action == 2:
            del node[name]
        else:
            node[name] = extreme(rng)
    return copied


def generated(schema: JsonObject, *, count: int) -> Iterator[Json]:
    rng = random.Random(20250601)  # noqa: S311 -- the same cases on every run
    generator = Generator(schema, rng)
    for _ in range(count // 3):
        document = generator.value(cast("Json", schema))
        yield document
        yield mutate(document, rng)
        yield mutate(document, rng)


def corpus(shared: Path) -> list[Json]:
    found: list[Json] = []
    for path in sorted((shared / "corpus/m365").rglob("*")):
        if path.is_file() and "schema.json" not in path.name:
            try:
                found.append(json.loads(path.read_bytes().decode("utf-8-sig")))
            except ValueError:
                continue
    assert len(found) > 100
    return found


def agree(public: JsonObject, minor: int, documents: list[Json]) -> tuple[int, int]:
    """Compare the verdicts on all, and return how many were valid and how many weren't."""
    ours = schemas.eval_document(minor)
    accepted, expected = accepts(ours), jsonschema_rs.Draft202012Validator(dict(public)).is_valid
    verdicts = []
    for document in documents:
        verdict = expected(document)
        assert accepted(document) == verdict, document
        assert (explain(ours, document) == ()) == verdict, document
        verdicts.append(verdict)
    return verdicts.count(True), verdicts.count(False)


@pytest.mark.parametrize(("public", "minor"), PUBLIC)
def test_on_every_public_file_our_schema_says_what_the_public_one_says(
    shared: Path, public: str, minor: int
) -> None:
    documents = corpus(shared)
    mutants = [mutate(document, random.Random(index)) for index, document in enumerate(documents)]  # noqa: S311 -- the same on every run
    valid, invalid = agree(json.loads((shared / public).read_bytes()), minor, documents + mutants)
    assert min(valid, invalid) > 40


@pytest.mark.parametrize(("public", "minor"), PUBLIC[::2])
def test_on_generated_documents_our_schema_says_what_the_public_one_says(
    shared: Path, public: str, minor: int
) -> None:
    schema: JsonObject = json.loads((shared / public).read_bytes())
    valid, invalid = agree(schema, minor, list(generated(schema, count=CASES)))
    assert min(valid, invalid) > CASES // 6


def test_the_library_that_explains_agrees_with_the_public_schema_on_a_sample(shared: Path) -> None:
    for public, minor in PUBLIC[::2]:
        schema: JsonObject = json.loads((shared / public).read_bytes())
        expected = jsonschema.Draft202012Validator(dict(schema))
        ours = jsonschema.Draft202012Validator(dict(schemas.eval_document(minor)))
        for document in generated(schema, count=90):
            assert ours.is_valid(document) == expected.is_valid(document), document
