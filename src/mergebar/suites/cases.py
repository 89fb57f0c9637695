"""A document in its current shape in, its cases out; what the schema refused is left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mergebar import identity
from mergebar.model.documents import Case, CaseKind, Declared, EvaluatorUse, Origin, Turn
from mergebar.model.problems import Location
from mergebar.model.text import Json, JsonObject
from mergebar.suites import declared, resolution, stored
from mergebar.suites.findings import Places, Pointer
from mergebar.suites.resolution import Entries

# More than a label can use; a prompt may be very long.
_LABEL_SOURCE = 4 * identity.LABEL_LENGTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What holds for all items of a document."""

    places: Places
    entries: Entries
    declared: Declared
    tags: tuple[str, ...]

    def locate(self, pointer: Pointer, *, on_key: bool = False) -> Location:
        line, column = self.places.find(pointer, on_key=on_key)
        return Location(path=self.places.path, line=line, column=column)


def build(
    root: Mapping[str, Json], *, places: Places, broken: frozenset[Pointer]
) -> tuple[Case, ...]:
    """Cases in the order of `items`. `broken` are the parts of `root` that aren't of their shape:
    `("items", 3)`, `("default_evaluators",)`; they are passed over.
    """
    scene = _scene({key: own for key, own in root.items() if (key,) not in broken}, places)
    items = root.get("items")
    return _with_keys(
        [
            _case(item, index, scene)
            for index, item in enumerate(items if isinstance(items, list) else ())
            if isinstance(item, dict) and ("items", index) not in broken
        ]
    )


def _scene(root: Mapping[str, Json], places: Places) -> Scene:
    metadata = root.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    return Scene(
        places=places,
        entries=resolution.defaults(root),
        declared=declared.read(
            about.get("extensions"), scope=declared.DOCUMENT, above=declared.NOTHING
        ),
        tags=_tags(about.get("tags")),
    )


def _case(item: JsonObject, index: int, scene: Scene) -> Case:
    pointer: Pointer = ("items", index)
    said = declared.read(item.get("extensions"), scope=declared.CASE, above=scene.declared)
    if isinstance(item.get("turns"), list):
        kind, turns = CaseKind.THREAD, tuple(_turns(item, pointer, said, scene))
    else:
        kind, turns = CaseKind.SINGLE, (_turn(item, pointer, said, scene.tags, scene),)
    written = item.get("name")
    name = written if isinstance(written, str) and written.strip() else None
    return Case(
        key=identity.case_key(id=said.id, name=name, prompts=[turn.prompt for turn in turns]),
        label=identity.label((said.id or name or turns[0].prompt)[:_LABEL_SOURCE]),
        kind=kind,
        index=index,
        turns=turns,
        runs=said.runs,
        location=turns[0].location if kind is CaseKind.SINGLE else scene.locate(pointer),
    )


def _turns(thread: JsonObject, pointer: Pointer, above: Declared, scene: Scene) -> Iterator[Turn]:
    tags = _merged(scene.tags, _tags(thread.get("tags")))
    turns = thread["turns"]
    for index, turn in enumerate(turns if isinstance(turns, list) else ()):
        if isinstance(turn, dict):
            place = (*pointer, "turns", index)
            said = declared.read(turn.get("extensions"), scope=declared.TURN, above=above)
            yield _turn(turn, place, said, tags, scene, thread=thread, index=index)


def _turn(
    turn: JsonObject,
    pointer: Pointer,
    said: Declared,
    tags: tuple[str, ...],
    scene: Scene,
    *,
    thread: JsonObject | None = None,
    index: int = 0,
) -> Turn:
    location = scene.locate(pointer)
    entries = resolution.resolve(turn, pointer, base=scene.entries)
    return Turn(
        index=index,
        prompt=_text(turn, "prompt") or "",
        expected_response=_text(turn, "expected_response"),
        context=_text(turn, "context"),
        evaluators=tuple(_uses(entries, location, scene)),
        declared=said,
        tags=_merged(tags, _tags(turn.get("tags"))),
        stored=stored.read(turn, conversation_id=(thread or {}).get("conversation_id")),
        location=location,
    )


def _text(turn: JsonObject, name: str) -> str | None:
    value = turn.get(name)
    return value if isinstance(value, str) else None


def _uses(entries: Entries, turn: Location, scene: Scene) -> Iterator[EvaluatorUse]:
    """An inherited evaluator is placed at its turn, where an annotation says which one failed."""
    for name, entry in entries.items():
        own = entry.origin is Origin.ITEM
        yield EvaluatorUse(
            name=name,
            options=entry.options,
            threshold=entry.threshold,
            origin=entry.origin,
            location=scene.locate(entry.pointer, on_key=True) if own else turn,
        )


def _tags(value: Json) -> tuple[str, ...]:
    return tuple(tag for tag in value if isinstance(tag, str)) if isinstance(value, list) else ()


def _merged(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(first + second)) if second else first


def _with_keys(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Make keys distinct; an explicit id stays as it is, wherever in the document it comes."""
    explicit_first = sorted(cases, key=lambda case: case.turns[0].declared.id is None)
    distinct = identity.distinguish([case.key for case in explicit_first])
    keys = {case.index: key for case, key in zip(explicit_first, distinct, strict=True)}
    return tuple(
        case if keys[case.index] == case.key else replace(case, key=keys[case.index])
        for case in cases
    )
