"""Evaluator maps in, the evaluators that a turn really gets out (spec, section 1.9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mergebar import catalogue
from mergebar.catalogue import EvaluatorSpec
from mergebar.model.documents import Origin
from mergebar.model.text import Json, JsonObject
from mergebar.suites.findings import Pointer

INLINE = "inline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One evaluator of a map: `written` are its options as they stand in the file.

    `options` are those less the threshold, with aliases resolved.
    """

    spec: EvaluatorSpec
    written: JsonObject
    options: JsonObject
    threshold: float | None
    origin: Origin
    pointer: Pointer


Entries: TypeAlias = Mapping[str, Entry]


def system_defaults() -> Entries:
    """What a turn gets where nothing is named."""
    return {
        name: _entry(catalogue.EVALUATORS[name], {}, Origin.SYSTEM, ("items",))
        for name in catalogue.SYSTEM_DEFAULTS
    }


def defaults(root: Mapping[str, Json]) -> Entries:
    """The document's defaults, or those of the system; an empty map counts as none at all."""
    value = root.get("default_evaluators")
    if not isinstance(value, dict) or not value:
        return system_defaults()
    return entries(value, ("default_evaluators",), Origin.DEFAULT)


def entries(value: Json, pointer: Pointer, origin: Origin) -> Entries:
    """The known evaluators of a map that the schema accepted."""
    return {
        name: _entry(catalogue.EVALUATORS[name], written, origin, (*pointer, name))
        for name, written in (value.items() if isinstance(value, dict) else ())
        if name in catalogue.EVALUATORS and isinstance(written, dict)
    }


def resolve(turn: Mapping[str, Json], pointer: Pointer, *, base: Entries) -> Entries:
    """What a turn gets: a whole entry of its own goes before the default of the same name."""
    value = turn.get("evaluators")
    replaces = turn.get("evaluators_mode") == "replace"
    if not value:
        return {} if replaces else base
    own = entries(value, (*pointer, "evaluators"), Origin.ITEM)
    return own if replaces else {**base, **own}


def _entry(spec: EvaluatorSpec, written: JsonObject, origin: Origin, pointer: Pointer) -> Entry:
    threshold = written.get("threshold", spec.default_threshold)
    options = {name: option for name, option in written.items() if name != "threshold"}
    if options.get("citation_format") == INLINE:
        options["citation_format"] = "mixed"
    return Entry(
        spec=spec,
        written=written,
        options=options,
        threshold=threshold if isinstance(threshold, int | float) else None,
        origin=origin,
        pointer=pointer,
    )
