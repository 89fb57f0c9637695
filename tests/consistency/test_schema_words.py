"""What our schemas say of a key is said in our own words."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from mergebar.model.text import Json
from support.pages import ROOT

RUN = 8
OWN = sorted(path.name for path in (ROOT / "schemas").glob("*.json"))


def texts(schema: Json) -> Iterator[str]:
    if isinstance(schema, Mapping):
        yield from (str(schema[name]) for name in ("title", "description") if name in schema)
        for child in schema.values():
            yield from texts(child)
    elif isinstance(schema, list):
        for child in schema:
            yield from texts(child)


def runs(text: str) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9']+", text.lower())
    yield from (tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


def of(path: Path) -> set[str]:
    return set(texts(json.loads(path.read_bytes())))


@pytest.mark.parametrize("name", OWN)
def test_no_description_is_that_of_a_public_schema(shared: Path, name: str) -> None:
    own = of(ROOT / "schemas" / name)
    public = set[str]().union(*map(of, shared.rglob("*.schema.json")))

    assert own & public == set()
    copied = {run for text in public for run in runs(text)}
    assert [run for text in own for run in runs(text) if run in copied] == []
