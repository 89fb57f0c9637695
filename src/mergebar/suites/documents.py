"""An eval document's bytes and path in, the resolved document with all its problems out.

It never raises, and it doesn't know how a schema fault becomes a sentence: the explainer does.
"""

from dataclasses import dataclass

from mergebar.model.documents import Document
from mergebar.model.text import Json
from mergebar.reading import json_text, schemas
from mergebar.reading.json_text import JsonText
from mergebar.suites import cases, faults, findings, newer, shapes, validity, versions
from mergebar.suites.faults import Explain
from mergebar.suites.findings import Finding, Places, Pointer
from mergebar.suites.shapes import Object, Shape
from mergebar.suites.versions import Version

_NOWHERE: frozenset[Pointer] = frozenset()


def read(data: bytes, *, path: str, explain: Explain, locations: bool = True) -> Document:
    """Read a document; `explain` is called only when the schema refuses it.

    Without `locations` cases, turns and evaluators have no line: finding them is what costs most,
    and who only wants the problems needs none. Problems always have theirs.
    """
    parsed = json_text.parse(data, path=path)
    if not isinstance(parsed, JsonText):
        return Document(path=path, version=None, cases=(), source={}, problems=parsed)
    shape = shapes.recognise(parsed.value)
    if isinstance(shape, Finding):
        places = _places(path, parsed, shapes.unchanged)
        problems = findings.to_problems((shape,), root=parsed.value, places=places)
        return Document(
            path=path, version=None, cases=(), source={}, problems=(*parsed.problems, *problems)
        )
    return _read_shape(shape, parsed, path=path, explain=explain, locations=locations)


def _read_shape(
    shape: Shape, parsed: JsonText, *, path: str, explain: Explain, locations: bool
) -> Document:
    places = _places(path, parsed, shape.origin)
    found = list(shape.found)
    schema = _check_schema(shape, found, explain)
    built = cases.build(
        shape.root,
        path=path,
        places=places if locations else None,
        broken=schema.broken,
        found=found,
    )
    problems = findings.to_problems(found, root=shape.root, places=places)
    return Document(
        path=path,
        version=schema.version.declared,
        cases=built,
        source=schema.source,
        problems=(*parsed.problems, *problems),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Schema:
    """What the schema says: `source` follows it, but for what `broken` names."""

    version: Version
    source: Object
    broken: frozenset[Pointer]


def _check_schema(shape: Shape, found: list[Finding], explain: Explain) -> _Schema:
    version = versions.UNDECLARED
    source = shape.root
    if shape.legacy:
        source = _declaring(shape.root)
    else:
        version = versions.read(shape.root["schemaVersion"], found)
    told = bool(found) and not shape.legacy
    if validity.is_valid(source, language=version.language):
        used = newer.features(shape.root, after=version.minor)
        found.extend(newer.report(used, version, refused=_NOWHERE))
        return _Schema(version=version, source=source, broken=_NOWHERE)
    against = explain(schemas.eval_document(version.language), source)
    found.extend(faults.tell(against, source, version, version_told=told))
    return _Schema(version=version, source=source, broken=faults.broken(against))


def _declaring(root: Object) -> Object:
    """A legacy shape with the oldest version that knows all that it uses."""
    declared: dict[str, Json] = {"schemaVersion": f"1.{newer.needed(root)}.0"}
    return {**declared, **root}


def _places(path: str, parsed: JsonText, origin: shapes.Origin) -> Places:
    return Places(path=path, positions=parsed.positions, origin=origin)
