"""Evaluator maps in, what is wrong with the choice of evaluators out (spec, section 1.9)."""

from collections.abc import Iterator, Mapping

from mergebar import catalogue
from mergebar.catalogue.easing import CITATION_FORMATS
from mergebar.model.text import Json, JsonObject
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import listed, quoted
from mergebar.suites.findings import Finding, Pointer, error, warning
from mergebar.suites.newer import TOOL_CALL_EVALUATORS
from mergebar.suites.resolution import INLINE, Entries, Entry

UNKNOWN = "document/unknown-evaluator"
NOT_AVAILABLE = "document/not-available-yet"
_DEAD = "ToolCallAccuracy"
_CONTAINS = "retrievalExtract_contains"


def check_defaults(root: Mapping[str, Json], found: list[Finding]) -> None:
    value = root.get("default_evaluators")
    if not isinstance(value, dict):
        return
    _check_map(value, ("default_evaluators",), found)
    if not value:
        message = (
            "`default_evaluators` is empty, which means the system defaults, "
            f"{' and '.join(f'`{name}`' for name in catalogue.SYSTEM_DEFAULTS)}: remove it, or "
            "name what is meant"
        )
        place = ("default_evaluators",)
        found.append(warning("document/empty-defaults", message, place, on_key=True))


def check_turn(
    turn: Mapping[str, Json], pointer: Pointer, *, base: Entries, found: list[Finding]
) -> None:
    """`base` are the defaults that the turn extends or replaces."""
    value = turn.get("evaluators")
    replaces = turn.get("evaluators_mode") == "replace"
    if not value:
        if replaces:
            found.append(_nothing_selected(pointer, turn))
        return
    place = (*pointer, "evaluators")
    _check_map(value, place, found)
    for name, own in value.items() if isinstance(value, dict) and not replaces else ():
        if name in base:
            _check_override(name, own, base[name], (*place, name), found)


def _check_map(value: Json, pointer: Pointer, found: list[Finding]) -> None:
    for name, written in value.items() if isinstance(value, dict) else ():
        place = (*pointer, name)
        if name not in catalogue.EVALUATORS:
            found.append(_unknown(name, place))
        elif isinstance(written, dict):
            _check_citation_format(written, place, found)
            found.extend(_blank_texts(written, place))


def _unknown(name: str, pointer: Pointer) -> Finding:
    if name in TOOL_CALL_EVALUATORS:
        message = f"`{name}` is known, but not available yet: remove it for now"
        return error(NOT_AVAILABLE, message, pointer, on_key=True)
    return error(UNKNOWN, f"unknown evaluator {quoted(name)}{_hint(name)}", pointer, on_key=True)


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


def _blank_texts(written: JsonObject, pointer: Pointer) -> Iterator[Finding]:
    """The schema counts white space as text, and every extract contains it."""
    items = written.get("expected_items")
    for index, item in enumerate(items if isinstance(items, list) else ()):
        text = item.get(_CONTAINS) if isinstance(item, dict) else None
        if isinstance(text, str) and text and catalogue.is_blank(text):
            message = f"`{_CONTAINS}` is blank, and so in every extract: write what has to be found"
            place = (*pointer, "expected_items", index, _CONTAINS)
            yield error("document/blank-text", message, place)


def _check_override(
    name: str, own: Json, base: Entry, pointer: Pointer, found: list[Finding]
) -> None:
    lost = [option for option in base.written if isinstance(own, dict) and option not in own]
    if not lost:
        return
    message = (
        f"`{name}` here replaces the default entry as a whole, so its {listed(lost)} "
        f"{'is' if len(lost) == 1 else 'are'} dropped: repeat what should stay"
    )
    found.append(warning("document/override-drops-option", message, pointer, on_key=True))


def _nothing_selected(pointer: Pointer, turn: Mapping[str, Json]) -> Finding:
    told = "`evaluators` is empty" if "evaluators" in turn else "there is no `evaluators`"
    message = (
        f'`evaluators_mode` is "replace" and {told}, so nothing would be checked: name an '
        "evaluator, or remove the mode"
    )
    return error("document/no-evaluators", message, (*pointer, "evaluators_mode"), on_key=True)
