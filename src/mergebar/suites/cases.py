"""A document in its current shape in, its cases out; what the schema refused is left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mergebar import identity
from mergebar.model.documents import Case, CaseKind, Declared, EvaluatorUse, Origin, Turn
from mergebar.model.problems import Level, Location
from mergebar.model.text import Json, JsonObject
from mergebar.reading.sentences import quoted
from mergebar.suites import declared, requirements, resolution, stored
from mergebar.suites.findings import Finding, Places, Pointer
from mergebar.suites.requirements import Lack
from mergebar.suites.resolution import Entries

# More than a label can use; a prompt may be very long.
_LABEL_SOURCE = 4 * identity.LABEL_LENGTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What holds for all items: `places` is `None` where nobody asked for locations.

    `found` and `lacks` collect what the items bring up.
    """

    path: str
    places: Places | None
    entries: Entries
    declared: Declared
    tags: tuple[str, ...]
    found: list[Finding]
    lacks: list[Lack]

    def locate(self, pointer: Pointer, *, on_key: bool = False) -> Location:
        if self.places is None:
            return Location(path=self.path)
        line, column = self.places.find(pointer, on_key=on_key)
        return Location(path=self.path, line=line, column=column)


def build(
    root: Mapping[str, Json],
    *,
    path: str,
    places: Places | None,
    broken: frozenset[Pointer],
    found: list[Finding],
) -> tuple[Case, ...]:
    """Cases in the order of `items`. `broken` are the parts of `root` that aren't of their shape:
    `("items", 3)`, `("default_evaluators",)`; they are passed over.
    """
    scene = _scene(root, path=path, places=places, broken=broken, found=found)
    items = root.get("items")
    cases = [
        _case(item, index, scene)
        for index, item in enumerate(items if isinstance(items, list) else ())
        if isinstance(item, dict) and ("items", index) not in broken
    ]
    found.extend(requirements.summarise(scene.lacks))
    found.extend(_repeated_ids(cases))
    return _with_keys(cases)


def _scene(
    root: Mapping[str, Json],
    *,
    path: str,
    places: Places | None,
    broken: frozenset[Pointer],
    found: list[Finding],
) -> Scene:
    sound = {key: value for key, value in root.items() if (key,) not in broken}
    metadata = sound.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    return Scene(
        path=path,
        places=places,
        entries=resolution.defaults(sound, found),
        declared=declared.read(
            about.get("extensions"),
            ("metadata", "extensions"),
            scope=declared.DOCUMENT,
            above=declared.NOTHING,
            found=found,
        ),
        tags=_tags(about.get("tags")),
        found=found,
        lacks=[],
    )


def _case(item: JsonObject, index: int, scene: Scene) -> Case:
    pointer: Pointer = ("items", index)
    above = declared.read(
        item.get("extensions"),
        (*pointer, "extensions"),
        scope=declared.CASE,
        above=scene.declared,
        found=scene.found,
    )
    if isinstance(item.get("turns"), list):
        kind, turns = CaseKind.THREAD, tuple(_turns(item, pointer, above, scene))
    else:
        kind, turns = CaseKind.SINGLE, (_turn(item, pointer, above, scene.tags, scene),)
    name = item.get("name")
    title = above.id or (name if isinstance(name, str) and name.strip() else None)
    return Case(
        key=identity.case_key(
            id=above.id,
            name=title if above.id is None else None,
            prompts=[turn.prompt for turn in turns],
        ),
        label=identity.label((title or turns[0].prompt)[:_LABEL_SOURCE]),
        kind=kind,
        index=index,
        turns=turns,
        runs=above.runs,
        location=scene.locate(pointer),
    )


def _turns(thread: JsonObject, pointer: Pointer, above: Declared, scene: Scene) -> Iterator[Turn]:
    tags = _merged(scene.tags, _tags(thread.get("tags")))
    turns = thread["turns"]
    for index, turn in enumerate(turns if isinstance(turns, list) else ()):
        if isinstance(turn, dict):
            place = (*pointer, "turns", index)
            own = declared.read(
                turn.get("extensions"),
                (*place, "extensions"),
                scope=declared.TURN,
                above=above,
                found=scene.found,
            )
            yield _turn(turn, place, own, tags, scene, thread=thread, index=index)


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
    entries = resolution.resolve(turn, pointer, base=scene.entries, found=scene.found)
    scene.lacks.extend(requirements.check_turn(turn, pointer, entries, scene.found))
    location = scene.locate(pointer)
    expected, context, prompt = (
        turn.get("expected_response"),
        turn.get("context"),
        turn.get("prompt"),
    )
    return Turn(
        index=index,
        prompt=prompt if isinstance(prompt, str) else "",
        expected_response=expected if isinstance(expected, str) else None,
        context=context if isinstance(context, str) else None,
        evaluators=tuple(_uses(entries, location, scene)),
        declared=said,
        tags=_merged(tags, _tags(turn.get("tags"))),
        stored=stored.read(turn, conversation_id=(thread or {}).get("conversation_id")),
        location=location,
    )


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


def _repeated_ids(cases: Sequence[Case]) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for case in cases:
        name = case.turns[0].declared.id
        if name is None:
            continue
        earlier = first.setdefault(name, case.index)
        if earlier != case.index:
            yield Finding(
                level=Level.ERROR,
                rule="document/duplicate-id",
                message=(
                    f"two cases have the id {quoted(name)}: give this one another; the first is "
                    f"item {earlier + 1}"
                ),
                pointer=_id_place(case.index),
                see=_id_place(earlier),
            )


def _id_place(index: int) -> Pointer:
    return ("items", index, "extensions", declared.NAMESPACE, "id")


def _with_keys(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Make keys distinct; an explicit id stays as it is, wherever in the document it comes."""
    explicit_first = sorted(cases, key=lambda case: case.turns[0].declared.id is None)
    distinct = identity.distinguish([case.key for case in explicit_first])
    keys = {case.index: key for case, key in zip(explicit_first, distinct, strict=True)}
    return tuple(
        case if keys[case.index] == case.key else replace(case, key=keys[case.index])
        for case in cases
    )
