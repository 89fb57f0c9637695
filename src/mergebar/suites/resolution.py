"""Evaluator maps in, the evaluators that a turn really gets out (spec, section 1.9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mergebar import catalogue
from mergebar.catalogue import EvaluatorSpec
from mergebar.model.documents import Origin
from mergebar.model.text import Json, JsonObject
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import listed, quoted
from mergebar.suites.findings import Finding, Pointer, error, warning
from mergebar.suites.newer import TOOL_CALL_EVALUATORS

CITATION_FORMATS = ("oai_unicode", "bracket", "markdown", "mixed")
INLINE = "inline"

_UNKNOWN = "document/unknown-evaluator"
_DEAD = "ToolCallAccuracy"


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


def defaults(root: Mapping[str, Json], found: list[Finding]) -> Entries:
    """The document's defaults, or those of the system; an empty map counts as none at all."""
    value = root.get("default_evaluators")
    if not isinstance(value, dict):
        return system_defaults()
    if value:
        return entries(value, ("default_evaluators",), Origin.DEFAULT, found)
    message = (
        "`default_evaluators` is empty, which means the system defaults, "
        f"{' and '.join(f'`{name}`' for name in catalogue.SYSTEM_DEFAULTS)}: remove it, or name "
        "what is meant"
    )
    found.append(warning("document/empty-defaults", message, ("default_evaluators",), on_key=True))
    return system_defaults()


def entries(value: Json, pointer: Pointer, origin: Origin, found: list[Finding]) -> Entries:
    """The known evaluators of a map that the schema accepted; the unknown ones are findings."""
    known: dict[str, Entry] = {}
    for name, written in value.items() if isinstance(value, dict) else ():
        place = (*pointer, name)
        spec = catalogue.EVALUATORS.get(name)
        if spec is None:
            found.append(_unknown(name, place))
        elif isinstance(written, dict):
            known[name] = _entry(spec, written, origin, place)
            _check_citation_format(written, place, found)
    return known


def resolve(
    turn: Mapping[str, Json], pointer: Pointer, *, base: Entries, found: list[Finding]
) -> Entries:
    """What a turn gets: a whole entry of its own goes before the default of the same name."""
    value = turn.get("evaluators")
    replaces = turn.get("evaluators_mode") == "replace"
    if not value:
        if replaces:
            found.append(_nothing_selected(pointer, turn))
            return {}
        return base
    own = entries(value, (*pointer, "evaluators"), Origin.ITEM, found)
    if replaces:
        return own
    for name in own.keys() & base.keys():
        _check_override(own[name], base[name], found)
    return {**base, **own}


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


def _unknown(name: str, pointer: Pointer) -> Finding:
    if name in TOOL_CALL_EVALUATORS:
        message = f"`{name}` is known, but not available yet: remove it for now"
        return error("document/not-available-yet", message, pointer, on_key=True)
    return error(_UNKNOWN, f"unknown evaluator {quoted(name)}{_hint(name)}", pointer, on_key=True)


def _hint(name: str) -> str:
    if name.lower() == _DEAD.lower():
        return ": it was dropped from the format after schemaVersion 1.0.0; remove it"
    lowered = {known.lower(): known for known in catalogue.EVALUATORS}
    same = lowered.get(name.lower())
    if same is not None:
        return f": write `{same}`, upper and lower case matter"
    near = nearest(name, catalogue.EVALUATORS)
    if near is not None:
        return f": did you mean `{near}`?"
    names = listed(catalogue.EVALUATORS, most=len(catalogue.EVALUATORS))
    return f": built in are {names}; custom evaluators aren't available yet"


def _check_citation_format(written: JsonObject, pointer: Pointer, found: list[Finding]) -> None:
    """The schema leaves the format free; the evaluator knows four, and one alias."""
    value = written.get("citation_format")
    if not isinstance(value, str) or value in CITATION_FORMATS:
        return
    place = (*pointer, "citation_format")
    if value == INLINE:
        message = '`citation_format` "inline" is defined nowhere and read as "mixed": write "mixed"'
        found.append(warning("document/citation-format", message, place))
        return
    near = nearest(value, CITATION_FORMATS)
    hint = f"did you mean `{near}`?" if near else f"known are {listed(CITATION_FORMATS)}"
    message = f"`citation_format` {quoted(value)} is unknown: {hint}"
    found.append(error("document/citation-format", message, place))


def _check_override(own: Entry, base: Entry, found: list[Finding]) -> None:
    lost = [name for name in base.written if name not in own.written]
    if not lost:
        return
    message = (
        f"`{own.spec.name}` here replaces the default entry as a whole, so its {listed(lost)} "
        f"{'is' if len(lost) == 1 else 'are'} dropped: repeat what should stay"
    )
    found.append(warning("document/override-drops-option", message, own.pointer, on_key=True))


def _nothing_selected(pointer: Pointer, turn: Mapping[str, Json]) -> Finding:
    told = "`evaluators` is empty" if "evaluators" in turn else "there is no `evaluators`"
    message = (
        f'`evaluators_mode` is "replace" and {told}, so nothing would be checked: name an '
        "evaluator, or remove the mode"
    )
    return error("document/no-evaluators", message, (*pointer, "evaluators_mode"), on_key=True)
