"""Evals as YAML spells them in, what other readers of YAML would make of them out."""

import re
from collections.abc import Iterable, Iterator

from mergebar.model.problems import Level
from mergebar.model.text import Json
from mergebar.reading.sentences import quoted
from mergebar.suites.artifacts.declarations import Entry, Source
from mergebar.suites.findings import Finding, Pointer, warning

RULE = "artifact/quote-it"

_TRUTHS = re.compile(r"yes|no|on|off", re.IGNORECASE)
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s].*)?")
_TIME = re.compile(r"[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?")
_OCTAL = re.compile(r"[-+]?0[0-7]+")
_GROUPED = re.compile(r"[-+]?[0-9]+_[0-9_]*")
_PROSE = frozenset({"assertion", "evidence", "pass", "fail"})


def check(found: Iterable[Entry], source: Source) -> Iterator[Finding]:
    """Look at every scalar of every eval."""
    for entry in found:
        for pointer, value in _scalars(entry.value, entry.pointer):
            plain = source.plain(pointer)
            if plain is None:
                continue
            other = _elsewhere(plain.text, value)
            if other is not None:
                yield warning(RULE, f"{quoted(plain.text)} is {other}", pointer)
            if isinstance(value, str) and _is_prose(pointer) and _cut(plain.rest):
                yield _lost(plain.rest, pointer)


def _scalars(value: Json, pointer: Pointer) -> Iterator[tuple[Pointer, Json]]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _scalars(child, (*pointer, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _scalars(child, (*pointer, index))
    elif isinstance(value, str | int | float):
        yield pointer, value


def _elsewhere(text: str, value: Json) -> str | None:
    """What YAML 1.1 takes an unquoted text for, where that isn't what it is, and the remedy."""
    if isinstance(value, str):
        if _TRUTHS.fullmatch(text):
            truth = "true" if text.lower() in {"yes", "on"} else "false"
            return f"a text here, and `{truth}` to many readers of YAML: quote it"
        if _DATE.fullmatch(text):
            return "a text here, and a date to many readers of YAML: quote it"
        if _TIME.fullmatch(text):
            return "a text here, and a number in base 60 to many readers of YAML: quote it"
        if _GROUPED.fullmatch(text):
            return "a text here, and a number to many readers of YAML: quote it"
    elif not isinstance(value, bool) and _OCTAL.fullmatch(text):
        octal = f"`{int(text, 8)}` to many readers of YAML"
        return f"`{value}` here, and {octal}: write it without the leading 0"
    return None


def _is_prose(pointer: Pointer) -> bool:
    names = [step for step in pointer if isinstance(step, str)]
    return names[-1] in _PROSE or (names[-1] == "evals" and len(names) == 2)  # noqa: PLR2004 - under `metadata`


def _cut(rest: str) -> bool:
    return re.match(r"[ \t]+#", rest) is not None


def _lost(rest: str, pointer: Pointer) -> Finding:
    message = (
        f"what stands behind ` #` is dropped ({quoted(rest.strip())}): quote the text, or put the "
        "comment on a line of its own"
    )
    return Finding(
        level=Level.WARNING, rule="artifact/dropped-text", message=message, pointer=pointer
    )
