"""Evals in; options that look like patterns, and are taken letter by letter, out.

A name of a tool is compared as it stands, and globs know `*`, `**` and `?` alone (spec, section 4).
"""

import re
from collections.abc import Iterable, Iterator

from mergebar.catalogue import graders
from mergebar.catalogue.graders import OptionKind
from mergebar.model.text import Json
from mergebar.reading.sentences import quoted
from mergebar.suites.artifacts.declarations import Entry
from mergebar.suites.findings import Finding, Pointer, warning

RULE = "artifact/literal"

_NO_NAME = re.compile(r"[\s*?()\[\]{}|,]")
_NO_GLOB = re.compile(r"[{}\[\]]")


def check(found: Iterable[Entry]) -> Iterator[Finding]:
    """Where it can't mean what it says, an eval that something isn't there passes for ever."""
    for entry in found:
        options = entry.value.get("options") if isinstance(entry.value, dict) else None
        spec = graders.find(entry.grader)
        if not isinstance(options, dict):
            continue
        for option in spec.options if spec is not None else ():
            value = options.get(option.name)
            if option.kind is OptionKind.NAME:
                yield from _name(value, entry.place("options", option.name))
            elif option.kind is OptionKind.GLOB:
                yield from _glob(value, entry.place("options", option.name))
        when = options.get("when")
        if isinstance(when, dict):
            yield from _name(when.get("tool-used"), entry.place("options", "when", "tool-used"))
            yield from _glob(when.get("file-access"), entry.place("options", "when", "file-access"))


def _name(value: Json, place: Pointer) -> Iterator[Finding]:
    if isinstance(value, str) and value and _NO_NAME.search(value):
        message = (
            f"{quoted(value)} is compared with whole names, letter by letter, and nothing is "
            "called so: write the name alone, as the host spells it"
        )
        yield warning(RULE, message, place)


def _glob(value: Json, place: Pointer) -> Iterator[Finding]:
    found = _NO_GLOB.search(value) if isinstance(value, str) else None
    if found is not None:
        message = (
            f"{quoted(found[0])} in {quoted(str(value))} stands for itself: these globs know "
            "`*`, `**` and `?`, and neither alternatives nor classes; write one eval for each"
        )
        yield warning(RULE, message, place)
