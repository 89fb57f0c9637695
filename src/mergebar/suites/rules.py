"""A document in its current shape in, what its schema can't say is wrong with it out.

It only looks: an item that is like many others, and right, costs next to nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mergebar import catalogue
from mergebar.model.problems import Level
from mergebar.model.text import Json, JsonObject
from mergebar.reading.sentences import quoted
from mergebar.suites import choices, declared, misspelt, requirements, resolution
from mergebar.suites.findings import Finding, Pointer
from mergebar.suites.requirements import Lack
from mergebar.suites.resolution import Entries


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What was found, and the names of all evaluators that some turn gets."""

    found: tuple[Finding, ...]
    evaluators: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pass:
    """One way through a document. `plain` are choices of evaluators with nothing wrong in them,
    and whether any of their evaluators needs more than a prompt.
    """

    base: Entries
    base_depends: bool
    found: list[Finding] = field(default_factory=list)
    lacks: list[Lack] = field(default_factory=list)
    plain: dict[str, bool] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    ids: dict[str, int] = field(default_factory=dict)


def check(root: Mapping[str, Json], *, broken: frozenset[Pointer]) -> Ruling:
    """Look at everything; what a turn in a `broken` item brings or lacks is not known."""
    base = resolution.defaults(root if ("default_evaluators",) not in broken else {})
    going = _Pass(base=base, base_depends=requirements.depend_on_inputs(base))
    going.found.extend(misspelt.of_root(root))
    choices.check_defaults(root, going.found)
    metadata = root.get("metadata")
    if isinstance(metadata, dict):
        place = ("metadata", "extensions")
        _check_extensions(metadata, place, declared.DOCUMENT, going)
    items = root.get("items")
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            _check_item(item, index, going, sound=("items", index) not in broken)
    going.found.extend(requirements.summarise(going.lacks))
    return Ruling(found=tuple(going.found), evaluators=frozenset(going.names))


def _check_item(item: JsonObject, index: int, going: _Pass, *, sound: bool) -> None:
    pointer: Pointer = ("items", index)
    if "extensions" in item:
        _check_extensions(item, (*pointer, "extensions"), declared.CASE, going)
        _check_id(item, index, going)
    turns = item.get("turns")
    if not isinstance(turns, list):
        _check_turn(item, pointer, going, sound=sound)
        return
    for number, turn in enumerate(turns):
        if isinstance(turn, dict):
            place = (*pointer, "turns", number)
            _check_extensions(turn, (*place, "extensions"), declared.TURN, going)
            _check_turn(turn, place, going, sound=sound)


def _check_extensions(
    owner: JsonObject, pointer: Pointer, scope: declared.Scope, going: _Pass
) -> None:
    declared.check(owner.get("extensions"), pointer, scope=scope, found=going.found)


def _check_turn(turn: JsonObject, pointer: Pointer, going: _Pass, *, sound: bool) -> None:
    if not sound:
        choices.check_turn(turn, pointer, base=going.base, found=going.found)
        return
    choice = _choice(turn)
    if choice is None:
        depends: bool | None = going.base_depends
        going.names.update(going.base)
    else:
        depends = going.plain.get(choice)
        if depends is None:
            depends = _check_choice(turn, pointer, choice, going)
    if depends and catalogue.is_blank(turn.get("expected_response")):
        entries = resolution.resolve(turn, pointer, base=going.base)
        lacks = requirements.check_turn(turn, pointer, entries=entries, found=going.found)
        going.lacks.extend(lacks)


def _choice(turn: JsonObject) -> str | None:
    """What a turn says about evaluators, as a text to compare; `None` for nothing."""
    if "evaluators" in turn or "evaluators_mode" in turn:
        return f"{turn.get('evaluators_mode')} {turn.get('evaluators')}"
    return None


def _check_choice(turn: JsonObject, pointer: Pointer, choice: str, going: _Pass) -> bool:
    before = len(going.found)
    choices.check_turn(turn, pointer, base=going.base, found=going.found)
    entries = resolution.resolve(turn, pointer, base=going.base)
    going.names.update(entries)
    depends = requirements.depend_on_inputs(entries)
    if len(going.found) == before:
        going.plain[choice] = depends
    return depends


def _check_id(item: JsonObject, index: int, going: _Pass) -> None:
    said = declared.read(item.get("extensions"), scope=declared.CASE, above=declared.NOTHING)
    if said.id is None:
        return
    first = going.ids.setdefault(said.id, index)
    if first != index:
        message = (
            f"two cases have the id {quoted(said.id)}: give this one another; the first is "
            f"item {first + 1}"
        )
        place, see = _id_place(index), _id_place(first)
        going.found.append(
            Finding(
                level=Level.ERROR,
                rule="document/duplicate-id",
                message=message,
                pointer=place,
                see=see,
            )
        )


def _id_place(index: int) -> Pointer:
    return ("items", index, "extensions", declared.NAMESPACE, "id")
