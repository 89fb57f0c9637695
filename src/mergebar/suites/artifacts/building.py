"""The entries of a sound declaration in, the evals that they declare out."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from mergebar import identity
from mergebar.catalogue import defaults, graders
from mergebar.model.artifacts import (
    CommandSpec,
    DeclaredEval,
    EvalType,
    Examples,
    JudgeWish,
    Target,
    TargetSource,
)
from mergebar.model.documents import Severity
from mergebar.model.text import Json, JsonObject
from mergebar.suites.artifacts import hashes, options, provenance
from mergebar.suites.artifacts.declarations import Entry, Source
from mergebar.suites.artifacts.entries import texts

T = TypeVar("T")

_KEY_LENGTH = 12
_SETTINGS = frozenset({"id", "severity", "weight", "type", "skip", "severity-map"})
"""What decides about an eval's result, and not what is measured."""


def build(found: Sequence[Entry], source: Source) -> tuple[DeclaredEval, ...]:
    """Read entries that nothing is wrong with."""
    authors = provenance.authors(source.metadata)
    keys = identity.distinguish([_key(entry) for entry in found])
    return tuple(_eval(entry, key, source, authors) for entry, key in zip(found, keys, strict=True))


def _key(entry: Entry) -> str:
    """The id, else a hash of the assertion: never the position."""
    return entry.id or identity.digest(entry.assertion or "")[:_KEY_LENGTH]


def _eval(
    entry: Entry, key: str, source: Source, authors: Mapping[str, tuple[str, ...]]
) -> DeclaredEval:
    value: JsonObject = entry.value if isinstance(entry.value, dict) else {}
    given = _object(value.get("options"))
    place = entry.place("id") if entry.id is not None else entry.pointer
    severity, kind = _text(value, "severity"), _text(value, "type")
    return DeclaredEval(
        key=key,
        name=entry.name,
        id=entry.id,
        assertion=entry.assertion,
        grader=entry.grader,
        location=source.locate(place),
        definition=_definition(entry, value),
        question=_question(entry, value),
        options={name: option for name, option in given.items() if _is_ours(name)},
        when=_object(given.get("when")),
        severity=None if severity is None else Severity(severity),
        weight=_number(value, "weight"),
        type=EvalType.REGRESSION if kind is None else EvalType(kind),
        skip=value.get("skip") is True,
        judge=JudgeWish(
            provider=_text(value, "provider"),
            model=_text(value, "model"),
            runs=_integer(value, "runs"),
        ),
        command=_command(value) if entry.grader == "command" else None,
        severity_map={
            name: Severity(str(own)) for name, own in _object(value.get("severity-map")).items()
        },
        evidence=_text(value, "evidence"),
        target=_target(value.get("target")),
        examples=_examples(_object(value.get("examples"))),
        provenance=authors.get(entry.id or "", ()),
        fault=_fault(entry, value),
    )


def _is_ours(name: str) -> bool:
    return name != "when" and not name.startswith(options.EXTENSION)


def _definition(entry: Entry, value: JsonObject) -> str:
    return identity.digest(_measured(entry, value))


def _question(entry: Entry, value: JsonObject) -> str:
    """The same, less the options."""
    rest = {name: own for name, own in _measured(entry, value).items() if name != "options"}
    return identity.digest(rest)


def _measured(entry: Entry, value: JsonObject) -> JsonObject:
    """What is written out as it is anyway counts as unsaid."""
    said = {name: _plain(own) for name, own in value.items() if name not in _SETTINGS}
    given = _object(said.get("options"))
    if given:
        said["options"] = dict(defaults.without(given, defaults.of_grader(entry.grader)))
    if entry.grader.startswith(graders.CHECKER_PREFIX) and "severity-map" in value:
        said["severity-map"] = value["severity-map"]
    more = defaults.without(said, defaults.DECLARED)
    return {**more, "assertion": entry.assertion, "grader": entry.grader}


def _plain(value: Json) -> Json:
    """`3.0` and `3` say the same."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _fault(entry: Entry, value: JsonObject) -> str | None:
    if entry.grader == "command" and "command" not in value:
        return "there is no `command` yet: write one that checks the assertion"
    written = value.get("generated-assertion-hash")
    if isinstance(written, str):
        return hashes.fault(written, entry.assertion)
    return options.lack(entry)


def _command(value: JsonObject) -> CommandSpec:
    argv, codes = value.get("command"), value.get("success-exit-codes", [0])
    timeout = _integer(value, "timeout-ms")
    written = _text(value, "generated-assertion-hash")
    return CommandSpec(
        argv=texts(argv),
        success_exit_codes=tuple(_integers(codes)),
        timeout_s=30.0 if timeout is None else timeout / 1000,
        assertion_hash=None if written is None else (hashes.bare(written) or written),
    )


def _integers(value: Json) -> Iterator[int]:
    for number in value if isinstance(value, list) else ():
        if isinstance(number, int | float):
            yield int(number)


def _target(value: Json) -> Target:
    if isinstance(value, dict):
        return Target(source=TargetSource.FILE, path=_text(value, "path"))
    return Target(source=TargetSource(value)) if isinstance(value, str) else Target()


def _examples(value: JsonObject) -> Examples:
    return Examples(passing=texts(value.get("pass")), failing=texts(value.get("fail")))


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: JsonObject, name: str) -> str | None:
    own = value.get(name)
    return own if isinstance(own, str) else None


def _integer(value: JsonObject, name: str) -> int | None:
    own = value.get(name)
    return int(own) if isinstance(own, int | float) else None


def _number(value: JsonObject, name: str) -> float | None:
    own = value.get(name)
    return float(own) if isinstance(own, int | float) else None
