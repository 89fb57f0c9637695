"""A value that the schema accepts in, the same as the type that it has to have out."""

from collections.abc import Callable, Mapping
from typing import TypeAlias, cast

from mergebar.config import units
from mergebar.config.findings import Pointer, mapping
from mergebar.model.problems import Location
from mergebar.model.text import Json

Place: TypeAlias = Callable[[Pointer], Location]
"""Knows where the key or entry at a pointer stands."""


def filled(value: Mapping[str, Json], definition: Json) -> dict[str, Json]:
    """The value with the defaults that the schema names for its missing keys."""
    defaults = {
        key: described["default"]
        for key, described in mapping(definition, "properties").items()
        if isinstance(described, dict) and "default" in described
    }
    return {**defaults, **value}


def text(value: Json) -> str:
    return cast("str", value)


def texts(value: Json) -> tuple[str, ...] | None:
    return None if value is None else tuple(cast("list[str]", value))


def whole(value: Json) -> int:
    return int(cast("float", value))


def number(value: Json) -> float | None:
    return None if value is None else float(cast("float", value))


def seconds(value: Json) -> float:
    return cast("float", units.seconds(text(value)))
