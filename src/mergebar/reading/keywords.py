"""The keywords of JSON Schema, each with the sentence for a value that it rejects."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Protocol, cast

import jsonschema_rs
from jsonschema import Draft202012Validator, ValidationError

from mergebar.model.text import Json, JsonObject
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import either, listed, quoted, shown, subject


class Validator(Protocol):
    """What a keyword needs of the library's validator."""

    def is_type(self, instance: Any, type: str) -> bool: ...  # noqa: A002 -- the library's name

    def is_valid(self, instance: Any) -> bool: ...

    def evolve(self, **changes: Any) -> "Validator": ...

    def descend(
        self,
        instance: Any,
        schema: Any,
        path: str | int | None = None,
        schema_path: str | int | None = None,
    ) -> Iterator[ValidationError]: ...


Errors = Iterator[ValidationError]
Keyword = Callable[[Validator, Any, Any, Any], Iterable[ValidationError]]
"""As `jsonschema` calls it: validator, the keyword's value, the instance, the schema."""

UNKNOWN_KEY = "unknown-key"
REFUSED_KEY = "refused-key"
MISSING_KEY = "missing-key"
CHOICE = "choice"

RULES = {
    UNKNOWN_KEY: "unknown-key",
    REFUSED_KEY: "not-allowed",
    MISSING_KEY: "required",
    CHOICE: "not-allowed",
    "not": "not-allowed",
    "type": "type",
    "enum": "enum",
    "const": "enum",
    "pattern": "pattern",
    "minimum": "range",
    "maximum": "range",
    "exclusiveMinimum": "range",
    "exclusiveMaximum": "range",
    "multipleOf": "range",
    "minLength": "length",
    "maxLength": "length",
    "minItems": "length",
    "maxItems": "length",
    "minProperties": "length",
    "maxProperties": "length",
    "uniqueItems": "unique",
}
"""What a fault is called, by the keyword or the kind of fault."""

_TYPES = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
    "null": "`null`",
}


def must_be_type(types: str | list[str], instance: Json, _schema: JsonObject) -> str:
    names = [_TYPES[name] for name in ([types] if isinstance(types, str) else types)]
    prefix = "the string " if isinstance(instance, str) else ""
    return f"must be {either(names)}, and is {prefix}{shown(instance)}"


def must_be_one_of(values: list[Json], instance: Json, _schema: JsonObject) -> str:
    names = [value for value in values if isinstance(value, str)]
    near = nearest(instance, names) if isinstance(instance, str) else None
    hint = f"; did you mean {quoted(near)}?" if near is not None else ""
    many = "one of " if len(values) > 1 else ""
    allowed = ", ".join(shown(value) for value in values)
    return f"must be {many}{allowed}, and is {shown(instance)}{hint}"


def _must_be(value: Json, instance: Json, schema: JsonObject) -> str:
    return must_be_one_of([value], instance, schema)


def _must_match(pattern: str, instance: Json, schema: JsonObject) -> str:
    examples = schema.get("examples")
    example = f" (for example {shown(examples[-1])})" if isinstance(examples, list) else ""
    return f"must match `{pattern}`{example}, and is {shown(instance)}"


def _bound(words: str) -> Callable[[Json, Json, JsonObject], str]:
    def sentence(limit: Json, instance: Json, _schema: JsonObject) -> str:
        return f"must be {words} {limit}, and is {shown(instance)}"

    return sentence


def _size(words: str, unit: str) -> Callable[[int, Any, JsonObject], str]:
    def sentence(limit: int, instance: Any, _schema: JsonObject) -> str:
        if limit == 1 and not instance:
            return "must not be empty"
        return f"must have {words} {limit} {unit}, and has {len(instance)}"

    return sentence


def _distinct(_value: Json, _instance: Json, _schema: JsonObject) -> str:
    return "must not have an entry twice"


_SENTENCES: Mapping[str, Callable[[Any, Any, JsonObject], str]] = {
    "type": must_be_type,
    "enum": must_be_one_of,
    "const": _must_be,
    "minimum": _bound("at least"),
    "maximum": _bound("at most"),
    "exclusiveMinimum": _bound("more than"),
    "exclusiveMaximum": _bound("less than"),
    "multipleOf": _bound("a multiple of"),
    "minLength": _size("at least", "characters"),
    "maxLength": _size("at most", "characters"),
    "minItems": _size("at least", "entries"),
    "maxItems": _size("at most", "entries"),
    "minProperties": _size("at least", "keys"),
    "maxProperties": _size("at most", "keys"),
    "uniqueItems": _distinct,
}


def _said(name: str) -> Keyword:
    """The library decides, and the sentence is ours."""
    decide = cast("Keyword", Draft202012Validator.VALIDATORS[name])
    say = _SENTENCES[name]

    def keyword(validator: Validator, value: Any, instance: Any, schema: Any) -> Errors:
        for _ in decide(validator, value, instance, schema) or ():
            yield ValidationError(say(value, instance, schema))
            return

    return keyword


@cache
def _matcher(pattern: str) -> Callable[[Json], bool]:
    r"""As the accepting path matches: Python's `re` has other ideas of `$` and `\d`."""
    return jsonschema_rs.Draft202012Validator({"pattern": pattern}).is_valid


def _pattern(validator: Validator, pattern: str, instance: Any, schema: Any) -> Errors:
    if validator.is_type(instance, "string") and not _matcher(pattern)(instance):
        yield ValidationError(_must_match(pattern, instance, schema))


def _properties(validator: Validator, properties: Any, instance: Any, schema: Any) -> Errors:
    if not validator.is_type(instance, "object"):
        return
    for name, wanted in properties.items():
        if name in instance and wanted is False:
            yield _refused(name, schema)
        elif name in instance:
            yield from validator.descend(instance[name], wanted, path=name, schema_path=name)


def _pattern_properties(validator: Validator, patterns: Any, instance: Any, schema: Any) -> Errors:
    if not validator.is_type(instance, "object"):
        return
    for pattern, wanted in patterns.items():
        for name in filter(_matcher(pattern), instance):
            if wanted is False:
                yield _refused(name, schema)
            else:
                yield from validator.descend(instance[name], wanted, path=name, schema_path=pattern)


def _refused(name: str, schema: JsonObject) -> ValidationError:
    message = f"{quoted(name)} is not allowed here: {subject(schema)} can't have it"
    return ValidationError(message, validator=REFUSED_KEY, path=[name])


def _property_names(validator: Validator, wanted: Any, instance: Any, _schema: Any) -> Errors:
    if validator.is_type(instance, "object"):
        for name in instance:
            for error in validator.descend(name, wanted, path=name):
                error.message = error.message.partition(", and is ")[0]
                yield error


def unknown_keys(instance: Mapping[str, Json], schema: JsonObject) -> list[str]:
    """Keys that neither `properties` nor `patternProperties` of the schema speak of."""
    known = cast("JsonObject", schema.get("properties", {}))
    patterns = cast("JsonObject", schema.get("patternProperties", {}))
    return [
        name
        for name in instance
        if name not in known and not any(_matcher(pattern)(name) for pattern in patterns)
    ]


def _meant(name: str, instance: Mapping[str, Json], schema: JsonObject) -> str | None:
    """The key that an unknown one stands for, among those that aren't there yet."""
    known = cast("JsonObject", schema.get("properties", {}))
    return nearest(name, [each for each in known if each not in instance])


def _additional(validator: Validator, wanted: Any, instance: Any, schema: Any) -> Errors:
    if not validator.is_type(instance, "object"):
        return
    for name in unknown_keys(instance, schema):
        if wanted is False:
            yield _unknown(name, instance, schema)
        else:
            yield from validator.descend(instance[name], wanted, path=name)


def _unknown(name: str, instance: Mapping[str, Json], schema: JsonObject) -> ValidationError:
    known = tuple(cast("JsonObject", schema.get("properties", {})))
    near = _meant(name, instance, schema)
    if near is not None:
        hint = f"; did you mean {quoted(near)}?"
    else:
        hint = f"; known are {listed(known)}" if known else ""
    return ValidationError(
        f"{quoted(name)} is not a known key of {subject(schema)}{hint}",
        validator=UNKNOWN_KEY,
        validator_value=known,
        path=[name],
    )


def _required(validator: Validator, names: Any, instance: Any, schema: Any) -> Errors:
    """A key that is only misspelt is told once, by the fault at the unknown key."""
    if not validator.is_type(instance, "object"):
        return
    closed = schema.get("additionalProperties") is False
    strange = unknown_keys(instance, schema) if closed else []
    misspelt = {_meant(name, instance, schema) for name in strange}
    for name in names:
        if name not in instance and name not in misspelt:
            message = f"{quoted(name)} is missing: {subject(schema)} needs it"
            yield ValidationError(message, validator=MISSING_KEY)


def _dependent(validator: Validator, needs: Any, instance: Any, _schema: Any) -> Errors:
    if not validator.is_type(instance, "object"):
        return
    for key, names in needs.items():
        for name in names if key in instance else ():
            if name not in instance:
                message = f"{quoted(name)} is missing: {quoted(key)} needs it"
                yield ValidationError(message, validator=MISSING_KEY)


EXPLAINED: Mapping[str, Keyword] = {
    **{name: _said(name) for name in _SENTENCES},
    "pattern": _pattern,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "propertyNames": _property_names,
    "additionalProperties": _additional,
    "required": _required,
    "dependentRequired": _dependent,
}
