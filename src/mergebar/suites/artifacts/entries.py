"""The evals of an artifact in, what the schema can't say is wrong with them out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from mergebar.catalogue import graders
from mergebar.catalogue.graders import GraderSpec, Targets
from mergebar.model.artifacts import TargetSource
from mergebar.model.problems import Level
from mergebar.model.text import Json, JsonObject
from mergebar.reading.sentences import quoted
from mergebar.suites.artifacts import hashes, options, paths
from mergebar.suites.artifacts.declarations import Entry
from mergebar.suites.artifacts.options import Installed
from mergebar.suites.findings import Finding, error, warning

MAX_ID = 128
_EXIT_CODES = range(256)
_FILE_NAME = re.compile(r"[\w.@-]*(?:[\\/][\w.@-]+)*\.(?:json|jsonl|ya?ml|md|toml|csv|py|js|ts)")


def check(
    found: Iterable[Entry],
    *,
    sound: Iterable[Entry],
    installed: Installed = options.none_installed,
) -> Iterator[Finding]:
    """Look at all evals together, and at each of those that the schema accepts."""
    everything = tuple(found)
    yield from _ids(everything)
    yield from _same_assertions(everything)
    for entry in sound:
        yield from _assertion(entry)
        if isinstance(entry.value, dict):
            yield from _object(entry, entry.value)
        yield from options.check(entry, installed=installed)
    yield from _vanity(everything)


def _object(entry: Entry, value: JsonObject) -> Iterator[Finding]:
    spec = graders.find(entry.grader)
    if entry.id is not None and len(entry.id) > MAX_ID:
        message = f"the `id` has {len(entry.id)} characters: reports show at most {MAX_ID}"
        yield warning("artifact/long-id", message, entry.place("id"))
    if "target" in value:
        yield from _target(entry, value["target"], spec)
    if entry.grader == "command":
        yield from _command(entry, value)
    yield from _examples(entry, value.get("examples"))
    if spec is not None:
        yield from _ignored(entry, value, spec)


def _ids(found: Iterable[Entry]) -> Iterator[Finding]:
    """Each name once; that of an eval without an id is its position."""
    first: dict[str, Entry] = {}
    for entry in found:
        known = first.setdefault(entry.name, entry)
        if known is entry:
            continue
        by_position = entry.id is None or known.id is None
        message = f"{quoted(entry.name)} is the name of two evals"
        if by_position:
            message += ", because one without `id` is called by its position"
        message += f": give this one another; the first is eval {known.position}"
        place = entry.place("id") if entry.id is not None else entry.pointer
        see = known.place("id") if known.id is not None else known.pointer
        yield Finding(
            level=Level.ERROR, rule="artifact/duplicate-id", message=message, pointer=place, see=see
        )


def _same_assertions(found: Iterable[Entry]) -> Iterator[Finding]:
    first: dict[str, Entry] = {}
    for entry in found:
        text = entry.value if isinstance(entry.value, str) else None
        if text is None or not text.strip():
            continue
        known = first.setdefault(text, entry)
        if known is not entry:
            message = (
                f"this assertion is made twice: remove one; the first is eval {known.position}"
            )
            place, see = entry.pointer, known.pointer
            yield replace(warning("artifact/duplicate-assertion", message, place), see=see)


def _assertion(entry: Entry) -> Iterator[Finding]:
    text = entry.assertion
    if text is None:
        return
    place = entry.text_place()
    if not text.strip():
        yield error("artifact/blank", "the assertion is blank: say what must have held", place)
    elif entry.grader == "ai" and _FILE_NAME.fullmatch(text.strip()):
        message = (
            f"{quoted(text)} looks like the name of a file, and is judged as an assertion: declare "
            "the evals here"
        )
        yield warning("artifact/path-as-assertion", message, place)


def _target(entry: Entry, target: Json, spec: GraderSpec | None) -> Iterator[Finding]:
    place = entry.place("target")
    if isinstance(target, dict):
        path = target.get("path")
        reason = paths.fault(path) if isinstance(path, str) else None
        if reason is not None:
            yield error("artifact/escaping-path", reason, (*place, "path"))
    if spec is None or spec.targets is Targets.ALL or target == TargetSource.TRANSCRIPT:
        return
    if spec.targets is Targets.NONE:
        message = f"`target` is ignored: a grader `{spec.name}` always looks at the session"
        yield warning("artifact/ignored", message, place, on_key=True)
    elif isinstance(target, str) and target != TargetSource.LAST_MESSAGE:
        message = (
            f"`{spec.name}` reads the last message or a file, and not {quoted(target)}: write "
            "`last-message`, or leave `target` out"
        )
        yield error("artifact/target", message, place)


def _command(entry: Entry, value: JsonObject) -> Iterator[Finding]:
    if value.get("skip") is not True:
        yield from _hash(entry, value)
    argv = value.get("command")
    for index, word in enumerate(argv if isinstance(argv, list) else ()):
        if "\0" in str(word):
            message = "no program can be given a NUL byte: remove it"
            yield error("artifact/command", message, entry.place("command", index))
    yield from _exit_codes(entry, value)


def _hash(entry: Entry, value: JsonObject) -> Iterator[Finding]:
    written = value.get("generated-assertion-hash")
    if isinstance(written, str):
        place = entry.place("generated-assertion-hash")
        reason = hashes.fault(written, entry.assertion)
        if reason is not None:
            level = Level.ERROR if entry.assertion is None else Level.WARNING
            yield Finding(level=level, rule="artifact/hash", message=reason, pointer=place)


def _exit_codes(entry: Entry, value: JsonObject) -> Iterator[Finding]:
    codes = value.get("success-exit-codes")
    seen: set[object] = set()
    for index, code in enumerate(codes if isinstance(codes, list) else ()):
        place = entry.place("success-exit-codes", index)
        if code in seen:
            yield warning("artifact/exit-code", f"{code} stands here twice: remove one", place)
        elif code not in _EXIT_CODES:
            message = f"{code} can never match: an exit code is 0 to 255"
            yield warning("artifact/exit-code", message, place)
        seen.add(code)


def _examples(entry: Entry, examples: Json) -> Iterator[Finding]:
    if not isinstance(examples, dict):
        return
    place = entry.place("examples")
    if not examples:
        message = "`examples` is empty: add `pass` or `fail`, or leave it out"
        level = Level.NOTICE
        yield Finding(level=level, rule="artifact/empty-examples", message=message, pointer=place)
    both = set(texts(examples.get("pass"))) & set(texts(examples.get("fail")))
    for text in sorted(both):
        message = f"{quoted(text)} is an example of both `pass` and `fail`: remove one"
        yield warning("artifact/contradicting-examples", message, place)


def texts(value: Json) -> tuple[str, ...]:
    """A text, or a list of texts."""
    if isinstance(value, str):
        return (value,)
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


def _ignored(entry: Entry, value: JsonObject, spec: GraderSpec) -> Iterator[Finding]:
    if "severity-map" in value and spec is not graders.CHECKER:
        message = "`severity-map` is ignored: only `tool:` graders have severities of their own"
        yield warning("artifact/ignored", message, entry.place("severity-map"), on_key=True)
    for name in ("evidence", "examples") if not spec.guided else ():
        if name in value:
            yield Finding(
                level=Level.NOTICE,
                rule="artifact/ignored",
                message=f"`{name}` is ignored: it is for a judge, and `{entry.grader}` asks none",
                pointer=entry.place(name),
                on_key=True,
            )


def _vanity(found: tuple[Entry, ...]) -> Iterator[Finding]:
    """That a skill was called says nothing of what it did."""
    if found and all(entry.grader == "skill-invoked" for entry in found):
        message = (
            "every eval only asks whether a skill was invoked, which says nothing of what it did: "
            "add one that does"
        )
        yield warning("artifact/only-invocations", message, found[0].place("grader"))
