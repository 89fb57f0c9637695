"""Alternatives of a JSON Schema in, the one that was meant, and its faults only, out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from jsonschema import ValidationError

from mergebar.model.text import Json, JsonObject
from mergebar.reading import accepting, keywords
from mergebar.reading.keywords import Errors, Keyword, Validator
from mergebar.reading.sentences import either, listed, quoted, subject

Branch = tuple[int, Any, JsonObject]
"""Its place among the alternatives, the schema as written, and with its `$ref` followed."""


_LONG = 8
"""Entries of a list from which on compiling their schema costs less than it saves."""


class Dispatch:
    """`oneOf`, `anyOf`, `not` and `items` of a root schema, whose local references it follows."""

    __slots__ = ("_quick", "_root")

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._quick: dict[int, Callable[[Json], bool]] = {}

    @property
    def keywords(self) -> Mapping[str, Keyword]:
        return {"oneOf": self._one_of, "anyOf": self._any_of, "not": _not, "items": self._items}

    def _items(self, validator: Validator, entries: Any, instance: Any, schema: Any) -> Errors:
        """Only of the entries that the quick look refuses: most of a long list are right."""
        del schema
        if not validator.is_type(instance, "array"):
            return
        quick = len(instance) >= _LONG and self._accepts(entries)
        for index, entry in enumerate(instance):
            if not (quick and _is_accepted(quick, entry)):
                yield from validator.descend(entry, entries, path=index)

    def _accepts(self, schema: Any) -> Callable[[Json], bool]:
        """By the definitions of the root, which is all that a part of our schemas refers to."""
        quick = self._quick.get(id(schema))
        if quick is None:
            whole = {"$defs": self._root.get("$defs", {}), **schema}
            quick = self._quick[id(schema)] = accepting.accepts(whole)
        return quick

    def _any_of(self, validator: Validator, branches: Any, instance: Any, schema: Any) -> Errors:
        if not any(_is_valid(validator, branch, instance) for branch in branches):
            yield from _explain(validator, self._followed(branches), instance, schema)

    def _one_of(self, validator: Validator, branches: Any, instance: Any, schema: Any) -> Errors:
        fitting = sum(_is_valid(validator, branch, instance) for branch in branches)
        followed = self._followed(branches)
        if fitting == 0:
            yield from _explain(validator, followed, instance, schema)
        elif fitting > 1:
            yield _ambiguous(followed, instance, schema)

    def _followed(self, branches: Sequence[Any]) -> list[Branch]:
        return [(index, branch, self._follow(branch)) for index, branch in enumerate(branches)]

    def _follow(self, branch: Any) -> JsonObject:
        while isinstance(branch, dict) and str(branch.get("$ref", "")).startswith("#/"):
            node: Any = self._root
            for step in branch["$ref"][2:].split("/"):
                node = node[step.replace("~1", "/").replace("~0", "~")]
            branch = node
        return branch if isinstance(branch, dict) else {}


def _is_accepted(accepts: Callable[[Json], bool], entry: Json) -> bool:
    """A value that the quick look can't read is looked at closely."""
    try:
        return accepts(entry)
    except ValueError:
        return False


def _is_valid(validator: Validator, branch: Any, instance: Any) -> bool:
    return validator.evolve(schema=branch).is_valid(instance)


def _explain(
    validator: Validator, branches: list[Branch], instance: Any, schema: JsonObject
) -> Iterator[ValidationError]:
    fitting = [branch for branch in branches if _fits(validator, branch[2], instance)]
    if not fitting:
        yield _wrong_type(branches, instance)
        return
    for attempt in (_by_required, _by_values, _by_discriminator):
        found = attempt(fitting, instance, schema)
        if isinstance(found, ValidationError):
            yield found
            return
        if found is not None:
            fitting = [found]
    yield from _fewest(validator, fitting, instance)


def _fits(validator: Validator, branch: JsonObject, instance: Any) -> bool:
    """Whether the type of the instance is one that the alternative takes."""
    types = branch.get("type", [])
    names = cast("list[str]", [types] if isinstance(types, str) else types)
    return not names or any(validator.is_type(instance, name) for name in names)


def _wrong_type(branches: list[Branch], instance: Json) -> ValidationError:
    types: dict[str, None] = {}
    for _, _, branch in branches:
        named = branch["type"]
        types.update(dict.fromkeys([named] if isinstance(named, str) else cast("list[str]", named)))
    sentence = keywords.must_be_type(list(types), instance, {})
    return ValidationError(sentence, validator="type")


def _required_only(branches: list[Branch]) -> list[str] | None:
    """The keys of alternatives of which each does nothing but require one."""
    names: list[str] = []
    for _, _, branch in branches:
        required = branch.get("required")
        if set(branch) != {"required"} or not isinstance(required, list) or len(required) != 1:
            return None
        names.append(str(required[0]))
    return names


def _by_required(
    branches: list[Branch], instance: Any, schema: JsonObject
) -> ValidationError | Branch | None:
    names = _required_only(branches)
    if names is None or not isinstance(instance, dict):
        return None
    options = either([quoted(name) for name in names])
    message = f"{options} is missing: {subject(schema)} needs one of them"
    return ValidationError(message, validator=keywords.MISSING_KEY)


def _values(branch: JsonObject) -> list[Json]:
    """What the alternative allows, where that is a list of values."""
    if "const" in branch:
        return [branch["const"]]
    values = branch.get("enum")
    return values if isinstance(values, list) else []


def _by_values(
    branches: list[Branch], instance: Any, schema: JsonObject
) -> ValidationError | Branch | None:
    values = [_values(branch) for _, _, branch in branches]
    if not all(values):
        return None
    allowed = [value for each in values for value in each]
    sentence = keywords.must_be_one_of(allowed, instance, schema)
    return ValidationError(sentence, validator="enum")


def _by_discriminator(
    branches: list[Branch], instance: Any, schema: JsonObject
) -> ValidationError | Branch | None:
    """By a key for which every alternative names its own values, as `type` often is."""
    key = _discriminator(branches) if isinstance(instance, dict) and len(branches) > 1 else None
    if key is None:
        return None
    allowed: list[Json] = []
    for branch in branches:
        values = _key_values(branch[2], key)
        if key in instance and instance[key] in values:
            return branch
        allowed += values
    if key in instance:
        sentence = keywords.must_be_one_of(allowed, instance[key], schema)
        return ValidationError(sentence, validator="enum", path=[key])
    choice = listed(str(value) for value in allowed)
    message = f"{quoted(key)} is missing: {subject(schema)} needs it, one of {choice}"
    return ValidationError(message, validator=keywords.MISSING_KEY)


def _discriminator(branches: list[Branch]) -> str | None:
    first = branches[0][2].get("properties")
    for key in first if isinstance(first, dict) else ():
        if all(_key_values(branch, key) for _, _, branch in branches):
            return key
    return None


def _key_values(branch: JsonObject, key: str) -> list[Json]:
    properties = branch.get("properties")
    wanted = properties.get(key) if isinstance(properties, dict) else None
    return _values(wanted) if isinstance(wanted, dict) else []


def _fewest(validator: Validator, branches: list[Branch], instance: Any) -> Errors:
    """The faults of the alternative that has the fewest."""
    told = (
        list(validator.descend(instance, branch, schema_path=index))
        for index, branch, _ in branches
    )
    yield from min(told, key=len)


def _ambiguous(branches: list[Branch], instance: Any, schema: JsonObject) -> ValidationError:
    names = _required_only(branches)
    if names is None or not isinstance(instance, dict):
        return ValidationError("fits several alternatives, and must fit one", validator="not")
    present = " and ".join(quoted(name) for name in names if name in instance)
    message = f"{present} are given together: {subject(schema)} may have only one of them"
    return ValidationError(message, validator=keywords.CHOICE)


def _not(validator: Validator, unwanted: Any, instance: Any, schema: Any) -> Errors:
    if not _is_valid(validator, unwanted, instance):
        return
    names = _required_only([(0, unwanted, unwanted if isinstance(unwanted, dict) else {})])
    if names and isinstance(instance, dict):
        message = f"{quoted(names[0])} is not allowed here: {subject(schema)} can't have it"
        yield ValidationError(message, validator=keywords.REFUSED_KEY, path=names)
    else:
        yield ValidationError("has a value that is not allowed here", validator="not")
