"""report.json as validated JSON in, the report's dataclasses out; and the way back.

How a type is read and written is worked out once: a report may have a hundred thousand checks.
What the schema has established isn't asked again.
"""

import dataclasses
import math
import sys
import types
import typing
from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import chain, islice
from operator import itemgetter
from typing import TypeAlias, cast

from mergebar.model.reports import Report, ReportCheck
from mergebar.model.text import Json, JsonObject

_NAMES = {"error_class": "class"}
_MISSING = object()
_OFTEN = frozenset(
    {"id", "suite", "path", "case", "label", "name", "kind", "outcome", "severity", "definition"}
)
"""Fields whose texts come again, in other checks or on the other side of a comparison."""

Reader: TypeAlias = Callable[[Sequence[object]], Sequence[object]]
"""All values at one place of many objects: a call for each of them would be most of the time."""

Writer: TypeAlias = Callable[[object], Json]


def key(field: str) -> str:
    """What a field is called in report.json."""
    return _NAMES.get(field, field)


def report(value: JsonObject) -> Report:
    """Raises `ValueError` for what the schema should have refused."""
    producer = cast("JsonObject", value["mergebar"])
    whole = {**value, "mergebar_version": producer["version"]}
    return cast("Report", _reader(Report)([whole])[0])


def checks(values: Sequence[Json]) -> Sequence[ReportCheck]:
    """Some of its checks alone; raises as `report` does."""
    return cast("Sequence[ReportCheck]", _reader(ReportCheck)(values))


def plain(value: object) -> Json:
    """A dataclass, or a value of one, as JSON values."""
    return _writer(cast("Hashable", type(value)))(value)


@cache
def _reader(kind: Hashable) -> Reader:
    """How values of this type are read."""
    if isinstance(kind, types.UnionType):
        options = typing.get_args(kind)
        inner = _reader(next(one for one in options if one is not types.NoneType))
        return _optional(inner) if types.NoneType in options else inner
    origin = typing.get_origin(kind)
    if origin is tuple:
        return _tuples(_reader(typing.get_args(kind)[0]))
    if origin is Mapping or kind in {str, bool}:
        return _as_they_are
    if not isinstance(kind, type):
        message = f"no way to read a {kind}"
        raise TypeError(message)
    if dataclasses.is_dataclass(kind):
        return _objects(kind)
    if issubclass(kind, Enum):
        return lambda values: [kind(one) for one in values]
    return _numbers(kind)


def _as_they_are(values: Sequence[object]) -> Sequence[object]:
    return values


def _interned(values: Sequence[object]) -> Sequence[object]:
    return list(map(sys.intern, cast("Sequence[str]", values)))


def _optional(inner: Reader) -> Reader:
    if inner is _as_they_are:
        return inner

    def read(values: Sequence[object]) -> Sequence[object]:
        there = [one for one in values if one is not None]
        if not there:
            return values
        found = iter(inner(there))
        return [None if one is None else next(found) for one in values]

    return read


def _tuples(inner: Reader) -> Reader:
    def read(values: Sequence[object]) -> Sequence[object]:
        _expect(list, values)
        lists = cast("Sequence[list[object]]", values)
        if inner is _as_they_are:
            return list(map(tuple, lists))
        found = iter(inner(list(chain.from_iterable(lists))))
        return [tuple(islice(found, size)) for size in map(len, lists)]

    return read


def _numbers(kind: type) -> Reader:
    """JSON has one kind of number, and Python two."""

    def read(values: Sequence[object]) -> Sequence[object]:
        found = set(map(type, values))
        if found <= {kind}:
            return values
        for other in found - {int, float}:
            raise _misplaced(other)
        return [kind(one) for one in values]

    return read


def _objects(kind: type) -> Reader:
    """A column for each field, which are picked at once where no object lacks any."""
    fields = dataclasses.fields(kind)
    readers = [_of_field(one) for one in fields]
    pick = itemgetter(*(key(one.name) for one in fields))
    fill = _filling(kind)

    def read(values: Sequence[object]) -> Sequence[object]:
        _expect(dict, values)
        objects = cast("Sequence[JsonObject]", values)
        try:
            columns = [*zip(*[pick(one) for one in objects], strict=True)]
        except KeyError:
            return fill([_column(*one, objects) for one in zip(fields, readers, strict=True)])
        return fill([inner(column) for inner, column in zip(readers, columns, strict=False)])

    return read


def _column(
    field: "dataclasses.Field[object]", read: Reader, objects: Sequence[JsonObject]
) -> Sequence[object]:
    """The values of a field that some of the objects lack, as those of an earlier version do."""
    named = key(field.name)
    there = iter(read([one[named] for one in objects if named in one]))
    given = [next(there) if named in one else _MISSING for one in objects]
    if _MISSING not in given:
        return given
    if field.default_factory is not dataclasses.MISSING:
        otherwise = field.default_factory()
    elif field.default is not dataclasses.MISSING:
        otherwise = field.default
    else:
        message = f"`{named}` is missing"
        raise ValueError(message)
    return [otherwise if one is _MISSING else one for one in given]


def _of_field(field: "dataclasses.Field[object]") -> Reader:
    if field.type is str and field.name in _OFTEN:
        return _interned
    return _reader(cast("Hashable", field.type))


def _filling(kind: type) -> Callable[[Sequence[Sequence[object]]], Sequence[object]]:
    """Columns of values to objects, in a fifth of the time that `kind(…)` takes for each.

    A frozen class sets its fields by name, one call for each. A class that is like it but for
    being frozen just stores them, and its objects then become those of the frozen one.
    """
    names = [(one.name, object) for one in dataclasses.fields(kind)]
    thawed = dataclasses.make_dataclass(
        kind.__name__, names, repr=False, eq=False, match_args=False, slots=True
    )

    def fill(columns: Sequence[Sequence[object]]) -> Sequence[object]:
        made = list(map(thawed, *columns)) if columns else []
        for one in made:
            one.__class__ = kind
        return made

    return fill


def _expect(kind: type, values: Sequence[object]) -> None:
    for found in set(map(type, values)) - {kind}:
        raise _misplaced(found)


def _misplaced(kind: type) -> ValueError:
    return ValueError(f"a {kind.__name__} stands where it can't")


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
