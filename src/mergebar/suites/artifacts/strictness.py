"""The evals of an artifact in, what the strict form of the vocabulary doesn't allow out.

It asks for nothing that isn't there, and narrows what is (spec, section 1.7).
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from mergebar.catalogue import graders
from mergebar.model.artifacts import ArtifactType
from mergebar.model.problems import Level
from mergebar.model.text import Json, JsonObject
from mergebar.reading.sentences import listed, quoted
from mergebar.suites.artifacts import paths, provenance
from mergebar.suites.artifacts.declarations import EVALS, PROVENANCE, Entry
from mergebar.suites.artifacts.entries import texts
from mergebar.suites.artifacts.options import Installed, none_installed
from mergebar.suites.findings import Finding, Pointer, error

RULE = "artifact/strict"

_KEBAB = re.compile(r"[a-z0-9][a-z0-9-]*")
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/\\@-]*")
_HASH = re.compile(r"sha256-[0-9a-f]{64}")
_VERSION = re.compile(r"artifact-evals(?:-strict)?:([0-9]+\.[0-9]+\.[0-9]+)")


def check(
    root: Mapping[str, Json],
    found: Iterable[Entry],
    *,
    kind: ArtifactType,
    installed: Installed = none_installed,
) -> Iterator[Finding]:
    """Look at evals and provenance that the open form accepts, which takes what is `installed`."""
    version = vocabulary(root)
    for entry in found:
        if isinstance(entry.value, dict):
            yield from _grader(entry, version, installed)
            yield from _entry(entry, entry.value)
    metadata = root.get("metadata")
    if not isinstance(metadata, dict):
        return
    claims = metadata.get("meta-provenance")
    for index, claim in enumerate(claims if isinstance(claims, list) else ()):
        if isinstance(claim, dict):
            yield from _claim(claim, (*PROVENANCE, index))
    if kind is ArtifactType.SKILL and isinstance(metadata.get("evals"), list):
        message = (
            "a list under `metadata`: hosts that hold skills to the open standard take texts only"
        )
        level = Level.NOTICE
        yield Finding(level=level, rule="artifact/portable", message=message, pointer=EVALS)


def vocabulary(root: Mapping[str, Json]) -> str:
    """The version of the vocabulary that `$schema` names, else the newest."""
    for name in texts(root.get("$schema")):
        match = _VERSION.search(name)
        if match is not None:
            return match[1]
    return graders.NEWEST_VOCABULARY


def _grader(entry: Entry, version: str, installed: Installed) -> Iterator[Finding]:
    spec = graders.GRADERS.get(entry.grader)
    if spec is not None and version == "1.0.0" and spec.since > version:
        names = listed(name for name, known in graders.GRADERS.items() if known.since <= version)
        message = f"{quoted(entry.grader)} is no grader of version {version}: known are {names}"
        yield error(RULE, message, entry.place("grader"))
    elif graders.find(entry.grader) is None and entry.grader in installed():
        message = f"{quoted(entry.grader)} is a grader of a package that not everybody has"
        yield error(RULE, message, entry.place("grader"))


def _entry(entry: Entry, value: JsonObject) -> Iterator[Finding]:
    provider, model = value.get("provider"), value.get("model")
    if isinstance(provider, str) and not _KEBAB.fullmatch(provider):
        message = f"{quoted(provider)} is no name in lower case with hyphens"
        yield error(RULE, message, entry.place("provider"))
    if isinstance(model, str) and not _MODEL.fullmatch(model):
        yield error(RULE, _no_model(model), entry.place("model"))
    yield from _of_command(entry, value)
    yield from _target(entry, value.get("target"))


def _no_model(name: str) -> str:
    return f"{quoted(name)} is no name of a model: letters, digits and `._:/\\@-`, without spaces"


def _of_command(entry: Entry, value: JsonObject) -> Iterator[Finding]:
    if entry.grader == "command" and value.get("command") is None:
        message = "there is no `command` yet: write one that checks the assertion"
        yield error(RULE, message, entry.place("grader"))
    codes = value.get("success-exit-codes")
    for index, code in enumerate(codes if isinstance(codes, list) else ()):
        place = entry.place("success-exit-codes", index)
        if code not in range(256):
            yield error(RULE, f"{code} is no exit code: it is 0 to 255", place)
        elif isinstance(codes, list) and codes.index(code) < index:
            yield error(RULE, f"{code} stands here twice: remove one", place)
    written = value.get("generated-assertion-hash")
    if isinstance(written, str) and not _HASH.fullmatch(written):
        message = f"{quoted(written)} must be `sha256-` and 64 hex digits in lower case"
        yield error(RULE, message, entry.place("generated-assertion-hash"))


def _target(entry: Entry, target: Json) -> Iterator[Finding]:
    path = target.get("path") if isinstance(target, dict) else None
    reason = paths.fault(path) if isinstance(path, str) else None
    if reason is not None:
        yield error(RULE, reason, entry.place("target", "path"))


def _claim(claim: JsonObject, place: Pointer) -> Iterator[Finding]:
    model = claim.get("generated-by")
    if isinstance(model, str) and not _MODEL.fullmatch(model):
        yield error(RULE, _no_model(model), (*place, "generated-by"))
    for index, pointer in enumerate(texts(claim.get("fields"))):
        if not provenance.is_clean(pointer):
            message = f"{quoted(pointer)} is no JSON pointer: write `~` as `~0`"
            yield error(RULE, message, (*place, "fields", index))
    confidence = claim.get("confidence")
    for key in confidence if isinstance(confidence, dict) else ():
        if key.startswith("/") and not provenance.is_clean(key):
            message = f"{quoted(key)} is no JSON pointer: write `~` as `~0`"
            yield error(RULE, message, (*place, "confidence", key), on_key=True)
