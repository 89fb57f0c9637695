"""The name of a packaged JSON Schema in, the schema out."""

import copy
import json
from functools import cache
from pathlib import Path
from typing import cast

from mergebar.model.text import Json, JsonObject

# importlib.resources costs 8 ms more than the path, on every start.
_FOLDER = Path(__file__).parent.parent / "schemas"


@cache
def load(name: str) -> JsonObject:
    """The schema file `name` of `schemas/`. Shared: don't change it."""
    return cast("JsonObject", json.loads((_FOLDER / name).read_bytes()))


@cache
def eval_document(minor: int) -> JsonObject:
    """The rules for documents that declare `1.<minor>`: those as of that version.

    Versions before 1.7 are held to 1.7, those after the newest known to the newest.
    """
    schema: dict[str, Json] = copy.deepcopy(dict(load("eval-document.schema.json")))
    for successor in cast("list[JsonObject]", load("eval-document-successors.json")["versions"]):
        if cast("int", successor["minor"]) <= minor:
            for pointer, value in cast("JsonObject", successor["set"]).items():
                _put(schema, pointer, value)
    return schema


def _put(schema: dict[str, Json], pointer: str, value: Json) -> None:
    """Set the node at a JSON pointer; only its last step may be new."""
    *parents, last = pointer.removeprefix("/").split("/")
    node = schema
    for step in parents:
        node = cast("dict[str, Json]", node[step])
    node[last] = value
