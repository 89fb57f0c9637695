"""An eval document's bytes and path in, the resolved document with all its problems out.

It never raises, and it doesn't know how a schema fault becomes a sentence: the explainer does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mergebar.model.documents import Document
from mergebar.model.problems import Level, Problem, is_invalid, together
from mergebar.model.text import Json
from mergebar.reading import json_text, schemas
from mergebar.reading.json_text import JsonText
from mergebar.reading.schema_faults import Explain
from mergebar.suites import (
    cases,
    choices,
    faults,
    findings,
    newer,
    rules,
    shapes,
    validity,
    versions,
)
from mergebar.suites.findings import Finding, Places, Pointer
from mergebar.suites.shapes import Object, Shape
from mergebar.suites.versions import Version

_NOWHERE: frozenset[Pointer] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is wrong with a document, and the names of all evaluators that it uses."""

    problems: tuple[Problem, ...]
    evaluators: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Examined:
    """`source` is the document in its current shape: right, but for what `broken` names.

    `doubtful`: it isn't written as it has to be, so `source` is only what was probably meant.
    """

    checked: Checked
    doubtful: bool
    version: Version
    source: Object
    broken: frozenset[Pointer]
    places: Places


def check(data: bytes, *, path: str, explain: Explain) -> Checked:
    """The problems alone: much cheaper than to `read` what nobody is going to run."""
    examined = _examine(data, path=path, explain=explain)
    return examined.checked if isinstance(examined, _Examined) else Checked(problems=examined)


def read(data: bytes, *, path: str, explain: Explain) -> Document:
    """Read a document; `explain` is called only when the schema refuses it."""
    examined = _examine(data, path=path, explain=explain)
    if not isinstance(examined, _Examined):
        return Document(path=path, version=None, cases=(), source={}, problems=examined)
    if examined.doubtful:
        problems = examined.checked.problems
        return Document(path=path, version=None, cases=(), source={}, problems=problems)
    return Document(
        path=path,
        version=examined.version.declared,
        cases=cases.build(examined.source, places=examined.places, broken=examined.broken),
        source=examined.source,
        problems=examined.checked.problems,
    )


def _examine(data: bytes, *, path: str, explain: Explain) -> _Examined | tuple[Problem, ...]:
    """Only problems where there is nothing to go on with."""
    parsed = json_text.parse(data, path=path, read_past=True)
    if not isinstance(parsed, JsonText):
        return parsed
    shape = shapes.recognise(parsed.value)
    if isinstance(shape, Finding) and is_invalid(parsed.problems):
        return parsed.problems
    if isinstance(shape, Finding):
        places = Places(path=path, positions=parsed.positions, origin=shapes.unchanged)
        told = findings.to_problems((shape,), root=parsed.value, places=places)
        return together(parsed.problems, told)
    places = Places(path=path, positions=parsed.positions, origin=shape.origin)
    schema = _check_schema(shape, data, explain)
    ruling = rules.check(schema.source, broken=schema.broken)
    found = (*shape.found, *_each_once(schema.found, ruling.found))
    problems = findings.to_problems(found, root=shape.root, places=places)
    return _Examined(
        checked=Checked(problems=together(parsed.problems, problems), evaluators=ruling.evaluators),
        doubtful=is_invalid(parsed.problems),
        version=schema.version,
        source=schema.source,
        broken=schema.broken,
        places=places,
    )


def _each_once(schema: Sequence[Finding], ruling: Sequence[Finding]) -> Iterator[Finding]:
    """A name that is none isn't unknown too, and one that isn't available needs no version."""
    refused = {one.pointer for one in schema if one.level is Level.ERROR}
    unavailable = {one.pointer for one in ruling if one.rule == choices.NOT_AVAILABLE}
    for one in schema:
        if one.level is Level.ERROR or one.pointer not in unavailable:
            yield one
    for one in ruling:
        if one.rule != choices.UNKNOWN or one.pointer not in refused:
            yield one


@dataclass(frozen=True, slots=True, kw_only=True)
class _Schema:
    """What the schema says."""

    version: Version
    source: Object
    found: tuple[Finding, ...]
    broken: frozenset[Pointer] = _NOWHERE


def _check_schema(shape: Shape, data: bytes, explain: Explain) -> _Schema:
    found: list[Finding] = []
    version, source = versions.UNDECLARED, shape.root
    if shape.legacy:
        source = _declaring(shape.root)
    else:
        version = versions.read(shape.root["schemaVersion"], found)
    if validity.is_valid(source, language=version.language):
        if newer.may_be_in(data, version):
            used = newer.features(source, after=version.minor)
            found.extend(newer.report(used, version, refused=_NOWHERE))
        return _Schema(version=version, source=source, found=tuple(found))
    against = explain(schemas.eval_document(version.language), source)
    found.extend(faults.tell(against, source, version, version_told=bool(found)))
    return _Schema(
        version=version, source=source, found=tuple(found), broken=faults.broken(against)
    )


def _declaring(root: Object) -> Object:
    """A legacy shape with the oldest version that knows all that it uses."""
    declared: dict[str, Json] = {"schemaVersion": f"1.{newer.needed(root)}.0"}
    return {**declared, **root}
