"""The keys of the format that this version can't serve yet: one table, and who uses them.

The schema describes the whole format. What is built leaves this table, row by row.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mergebar.config.findings import Finding, Pointer
from mergebar.model.text import Json, JsonObject

RULE = "config/not-available-yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """A key (`*` is any name or index) that may only have its default so far.

    With `values`, only these are refused. `instead` is what to do; removing the key, when unset.
    """

    key: tuple[str, ...]
    default: Json = None
    values: tuple[Json, ...] = ()
    instead: str = ""


LATER = (
    Later(
        key=("agents", "*", "type"),
        values=("a2a", "directline"),
        instead="use `http`, `openai`, `command` or `replay`",
    ),
    Later(key=("custom_evaluators",), default="custom-evaluators"),
)


def find(config: JsonObject) -> Iterator[Finding]:
    """One finding for each use of a key, or of a value, that isn't available yet."""
    for later in LATER:
        for pointer, value in _at(dict(config), later.key, ()):
            if _is_used(later, value):
                yield _finding(later, pointer, value)


def _at(value: Json, key: tuple[str, ...], pointer: Pointer) -> Iterator[tuple[Pointer, Json]]:
    if not key:
        yield pointer, value
        return
    step, *rest = key
    if isinstance(value, dict):
        for name in value if step == "*" else [step]:
            if name in value:
                yield from _at(value[name], tuple(rest), (*pointer, name))
    elif isinstance(value, list) and step == "*":
        for index, item in enumerate(value):
            yield from _at(item, tuple(rest), (*pointer, index))


def _is_used(later: Later, value: Json) -> bool:
    if later.values:
        return value in later.values
    return not _is_default(value, later.default)


def _is_default(value: Json, default: Json) -> bool:
    """An object may spell out any of its defaults; so may a key."""
    if isinstance(value, dict) and isinstance(default, dict):
        return all(key in default and default[key] == said for key, said in value.items())
    return value == default


def _finding(later: Later, pointer: Pointer, value: Json) -> Finding:
    key = ".".join(step for step in later.key if step != "*")
    if later.values:
        named = f"`{key.removeprefix('agents.')}: {value}`" if len(later.key) > 1 else f"`{key}`"
    else:
        named = f"`{key.removeprefix('agents.')}`"
    remedy = later.instead or "remove it"
    return Finding(
        pointer=pointer,
        rule=RULE,
        message=f"{named} is not available yet in this version: {remedy}",
        on_key=True,
    )
