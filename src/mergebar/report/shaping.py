"""report.json as validated JSON in, the report's dataclasses out."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import cast

from mergebar.model.reports import Report
from mergebar.model.text import Json, JsonObject

_NAMES = {"error_class": "class"}


def key(field: str) -> str:
    """What a field is called in report.json."""
    return _NAMES.get(field, field)


def report(value: JsonObject) -> Report:
    """Raises `ValueError` for what the schema should have refused."""
    producer = cast("JsonObject", value["mergebar"])
    return cast("Report", _shape(Report, {**value, "mergebar_version": producer["version"]}))


@cache
def _fields(kind: type) -> tuple[tuple[str, object, bool], ...]:
    """Name, type, and whether it must be there."""
    return tuple(
        (
            one.name,
            one.type,
            one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING,
        )
        for one in dataclasses.fields(kind)
    )


def _shape(kind: object, value: Json | JsonObject) -> object:
    if isinstance(kind, types.UnionType):
        options = typing.get_args(kind)
        if value is None and types.NoneType in options:
            return None
        return _shape(next(one for one in options if one is not types.NoneType), value)
    origin = typing.get_origin(kind)
    if origin is tuple:
        return tuple(_shape(typing.get_args(kind)[0], one) for one in _expect(list, value))
    if origin is Mapping:
        return _expect(dict, value)
    if isinstance(kind, type):
        return _plain(kind, value)
    message = f"no way to read a {kind}"
    raise ValueError(message)


def _plain(kind: type, value: Json | JsonObject) -> object:
    if dataclasses.is_dataclass(kind):
        return _object(kind, cast("JsonObject", _expect(dict, value)))
    if issubclass(kind, Enum):
        return kind(value)
    if kind is float:
        return float(cast("float", _expect(int | float, value)))
    if kind is int:
        number = cast("float", _expect(int | float, value))
        return int(number)
    return _expect(kind, value)


def _object(kind: type, value: JsonObject) -> object:
    given: dict[str, object] = {}
    for name, hint, required in _fields(kind):
        if key(name) in value:
            given[name] = _shape(hint, value[key(name)])
        elif required:
            message = f"`{key(name)}` is missing"
            raise ValueError(message)
    return kind(**given)


def _expect(kind: type | types.UnionType, value: object) -> typing.Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        message = f"a {type(value).__name__} stands where it can't"
        raise ValueError(message)
    return value
