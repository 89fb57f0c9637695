"""report.json as validated JSON in, the report's dataclasses out; and the way back.

How a type is read and written is worked out once: a report may have a hundred thousand checks.
"""

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Hashable, Mapping
from enum import Enum
from functools import cache
from typing import TypeAlias, cast

from mergebar.model.reports import Report
from mergebar.model.text import Json, JsonObject

_NAMES = {"error_class": "class"}
_MISSING = object()

Reader: TypeAlias = Callable[[object], object]
Writer: TypeAlias = Callable[[object], Json]


def key(field: str) -> str:
    """What a field is called in report.json."""
    return _NAMES.get(field, field)


def report(value: JsonObject) -> Report:
    """Raises `ValueError` for what the schema should have refused."""
    producer = cast("JsonObject", value["mergebar"])
    whole = {**value, "mergebar_version": producer["version"]}
    return cast("Report", _reader(Report)(whole))


def plain(value: object) -> Json:
    """A dataclass, or a value of one, as JSON values."""
    return _writer(cast("Hashable", type(value)))(value)


@cache
def _reader(kind: Hashable) -> Reader:
    """How a value of this type is read."""
    if isinstance(kind, types.UnionType):
        options = typing.get_args(kind)
        inner = _reader(next(one for one in options if one is not types.NoneType))
        return _optional(inner) if types.NoneType in options else inner
    origin = typing.get_origin(kind)
    if origin is tuple:
        return _tuple(_reader(typing.get_args(kind)[0]))
    if origin is Mapping:
        return _exactly(dict)
    if not isinstance(kind, type):
        message = f"no way to read a {kind}"
        raise TypeError(message)
    if dataclasses.is_dataclass(kind):
        return _object(kind)
    if issubclass(kind, Enum):
        return cast("Reader", kind)
    return {float: _float, int: _int}.get(kind, _exactly(kind))


def _optional(inner: Reader) -> Reader:
    return lambda value: None if value is None else inner(value)


def _tuple(inner: Reader) -> Reader:
    def read(value: object) -> object:
        if type(value) is not list:
            raise _misplaced(value)
        return tuple([inner(one) for one in value])

    return read


def _exactly(kind: type) -> Reader:
    def read(value: object) -> object:
        if type(value) is not kind:
            raise _misplaced(value)
        return value

    return read


def _float(value: object) -> object:
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise _misplaced(value)


def _int(value: object) -> object:
    if type(value) is int:
        return value
    if type(value) is float:
        return int(value)
    raise _misplaced(value)


def _object(kind: type) -> Reader:
    """By name, key, reader, and whether it must be there."""
    fields = [
        (
            one.name,
            key(one.name),
            _reader(cast("Hashable", one.type)),
            one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING,
        )
        for one in dataclasses.fields(kind)
    ]

    def read(value: object) -> object:
        if type(value) is not dict:
            raise _misplaced(value)
        given: dict[str, object] = {}
        for name, named, inner, required in fields:
            found = value.get(named, _MISSING)
            if found is not _MISSING:
                given[name] = inner(found)
            elif required:
                message = f"`{named}` is missing"
                raise ValueError(message)
        return kind(**given)

    return read


def _misplaced(value: object) -> ValueError:
    return ValueError(f"a {type(value).__name__} stands where it can't")


@cache
def _writer(hashed: Hashable) -> Writer:
    """How a value of this type is written."""
    kind = cast("type", hashed)
    if issubclass(kind, Enum):
        return lambda value: cast("Enum", value).value
    if issubclass(kind, tuple | list):
        return lambda value: [plain(one) for one in cast("list[object]", value)]
    if issubclass(kind, Mapping):
        return _mapping
    if dataclasses.is_dataclass(kind):
        fields = [(one.name, key(one.name)) for one in dataclasses.fields(kind)]
        return lambda value: {named: plain(getattr(value, name)) for name, named in fields}
    return _finite if kind is float else lambda value: cast("Json", value)


def _finite(value: object) -> Json:
    number = cast("float", value)
    if not math.isfinite(number):
        message = f"{number} is not JSON compliant"
        raise ValueError(message)
    return number


def _mapping(value: object) -> Json:
    return {str(name): plain(one) for name, one in cast("Mapping[str, object]", value).items()}
