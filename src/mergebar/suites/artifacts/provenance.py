"""`meta-provenance` in, which evals nobody has reviewed and which claims lead nowhere out."""

import re
from collections.abc import Iterable, Iterator, Mapping

from mergebar.model.problems import Level
from mergebar.model.text import Json, JsonObject
from mergebar.reading.sentences import quoted
from mergebar.suites.artifacts.declarations import PROVENANCE, Entry
from mergebar.suites.artifacts.entries import texts
from mergebar.suites.findings import Finding, warning

RULE = "artifact/provenance"

_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)+")
_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


def authors(metadata: Mapping[str, Json]) -> dict[str, tuple[str, ...]]:
    """The models behind each eval, by its id."""
    found: dict[str, tuple[str, ...]] = {}
    for claim in _claims(metadata):
        model = claim.get("generated-by")
        for name in texts(claim.get("evals")) if isinstance(model, str) else ():
            known = found.get(name, ())
            found[name] = known if model in known else (*known, str(model))
    return found


def check(
    root: Mapping[str, Json], metadata: Mapping[str, Json], found: Iterable[Entry]
) -> Iterator[Finding]:
    """Look at a `meta-provenance` that the schema accepts."""
    ids = {entry.id: entry for entry in found if entry.id is not None}
    for index, claim in enumerate(_claims(metadata)):
        place = (*PROVENANCE, index)
        named, fields = texts(claim.get("evals")), texts(claim.get("fields"))
        for number, name in enumerate(named):
            if name not in ids:
                message = f"{quoted(name)} is no eval of this artifact: correct or remove it"
                yield warning(RULE, message, (*place, "evals", number))
        for number, pointer in enumerate(fields):
            reason = _pointer_fault(root, pointer)
            if reason is not None:
                yield warning(RULE, reason, (*place, "fields", number))
        for key in _keys(claim.get("confidence")):
            if key not in {*named, *fields}:
                message = f"{quoted(key)} stands in neither `fields` nor `evals`: remove it"
                yield warning(RULE, message, (*place, "confidence", key), on_key=True)
    yield from _unreviewed(metadata, ids)


def _unreviewed(metadata: Mapping[str, Json], ids: Mapping[str, Entry]) -> Iterator[Finding]:
    for name, models in authors(metadata).items():
        if name in ids:
            by = " and ".join(quoted(model) for model in models)
            message = (
                f"unreviewed machine-written eval (by {by}): read it, and then remove it from "
                "`meta-provenance`"
            )
            yield Finding(
                level=Level.NOTICE,
                rule="artifact/unreviewed",
                message=message,
                pointer=ids[name].place("id"),
            )


def _claims(metadata: Mapping[str, Json]) -> tuple[JsonObject, ...]:
    value = metadata.get("meta-provenance")
    if not isinstance(value, list):
        return ()
    return tuple(claim for claim in value if isinstance(claim, dict))


def _keys(value: Json) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, dict) else ()


def is_clean(pointer: str) -> bool:
    """Whether it is a JSON pointer (RFC 6901)."""
    return _POINTER.fullmatch(pointer) is not None


def _pointer_fault(root: Mapping[str, Json], pointer: str) -> str | None:
    if not is_clean(pointer):
        return f"{quoted(pointer)} is no JSON pointer: write `~` as `~0`"
    value: Json = dict(root)
    for step in pointer[1:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and _ARRAY_INDEX.fullmatch(name) and int(name) < len(value):
            value = value[int(name)]
        else:
            return f"{quoted(pointer)} leads to nothing in the front matter: correct or remove it"
    return None
