"""A JSON Schema and a value that it rejects in, each fault as one sentence at its place out.

Loads `jsonschema`, which costs more than accepting a hundred files: import it for rejected ones.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import cast

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from mergebar.model.text import Json, JsonObject
from mergebar.reading import branching, keywords
from mergebar.reading.schema_faults import SchemaFault
from mergebar.reading.sentences import placed, subject

# The library's stubs leave this function untyped.
_extend = cast("Callable[..., type[Draft202012Validator]]", extend)

_ON_KEY = {keywords.UNKNOWN_KEY, keywords.REFUSED_KEY}
_WHOLE = {keywords.UNKNOWN_KEY, keywords.REFUSED_KEY, keywords.MISSING_KEY, keywords.CHOICE}
"""Kinds of fault whose sentence names the key itself."""


def explain(schema: JsonObject, value: Json) -> tuple[SchemaFault, ...]:
    """Every fault of `value`, each once; none exactly where `accepting` says yes.

    Where a schema offers alternatives, the one that was meant is found first (by the type of the
    value, a key that tells them apart, or the fewest faults), and only its faults are told.
    """
    validator = _validator(_Identity(schema))
    whole = subject(schema, "the value")
    faults = [_fault(error, whole) for error in validator.iter_errors(value)]
    return tuple(_once(faults))


class _Identity:
    """A schema by which object it is: comparing what is in it would cost more than it saves."""

    __slots__ = ("schema",)

    def __init__(self, schema: JsonObject) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.schema is other.schema


@lru_cache(maxsize=8)
def _validator(known: _Identity) -> Draft202012Validator:
    dispatch = branching.Dispatch(known.schema)
    explained = _extend(Draft202012Validator, {**keywords.EXPLAINED, **dispatch.keywords})
    return explained(known.schema)


def _fault(error: ValidationError, whole: str) -> SchemaFault:
    pointer = tuple(error.absolute_path)
    name = str(error.validator)
    of_names = "propertyNames" in error.absolute_schema_path
    rule, message = f"schema/{keywords.RULES.get(name, name)}", error.message
    if name not in keywords.RULES:
        message = f"{placed(pointer, whole=whole)} doesn't satisfy `{name}` of the schema"
    elif name not in _WHOLE:
        message = f"{placed(pointer, whole=whole, key=of_names)} {message}"
    return SchemaFault(
        pointer=pointer, rule=rule, message=message, on_key=of_names or name in _ON_KEY
    )


def _once(faults: Iterable[SchemaFault]) -> list[SchemaFault]:
    """A value of the wrong type is wrong in every other way too: the first fault says it."""
    kept: dict[object, SchemaFault] = {}
    for fault in faults:
        several = fault.rule in _SEVERAL
        kept.setdefault((fault.pointer, fault.on_key, fault.message if several else None), fault)
    return list(kept.values())


_SEVERAL = {"schema/required", "schema/not-allowed"}
"""Of these a node may have more than one."""
