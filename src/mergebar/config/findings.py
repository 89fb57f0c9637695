"""What is wrong with a configuration, by place in its value: the words before they get a line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mergebar.model.problems import Level
from mergebar.model.text import Json
from mergebar.reading.pointers import Pointer as Pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem. `on_key` points at the key itself rather than at its value."""

    pointer: Pointer
    rule: str
    message: str
    level: Level = Level.ERROR
    on_key: bool = False


def dotted(pointer: Sequence[str | int]) -> str:
    """A pointer as people write it: `agents.support.url`, `documents[0].paths`."""
    text = ""
    for step in pointer:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def fits(pointer: Pointer, pattern: Sequence[str]) -> bool:
    """Whether a pointer has the shape of `pattern`, where `*` is any name or index."""
    return len(pointer) == len(pattern) and all(
        wanted in ("*", step) for step, wanted in zip(pointer, pattern, strict=True)
    )


def mapping(value: Json, *keys: str) -> dict[str, Json]:
    """The object at a path of keys; empty where something else stands, or nothing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def entries(value: Json, key: str) -> Iterator[tuple[Pointer, dict[str, Json]]]:
    """The objects of a list or of an object of objects under `key`, with their pointers."""
    found = value.get(key) if isinstance(value, dict) else None
    if isinstance(found, dict):
        for name, entry in found.items():
            if isinstance(entry, dict):
                yield (key, name), entry
    elif isinstance(found, list):
        for index, entry in enumerate(found):
            if isinstance(entry, dict):
                yield (key, index), entry


def texts(value: Json, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    """Every text at or below a value, with its pointer."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from texts(item, (*pointer, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, (*pointer, key))
