"""An entry of the configuration in; where its keys stand, and what needs variables, out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mergebar.config import interpolation
from mergebar.config.findings import Pointer, dotted, texts
from mergebar.config.values import Place
from mergebar.model.problems import Location
from mergebar.model.text import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPlaces:
    """Both by names: of a key as messages write it, and of a variable."""

    places: Mapping[str, Location]
    needs: Mapping[str, str]


def find(entry: Json, pointer: Pointer, place: Place) -> EntryPlaces:
    """Of a variable that several keys need, the first."""
    needs: dict[str, str] = {}
    for at, text in texts(entry, pointer):
        for name in interpolation.names(text):
            needs.setdefault(name, dotted(at))
    places = {dotted(at): place(at) for at in _below(entry, pointer)}
    return EntryPlaces(places=places, needs=needs)


def _below(value: Json, pointer: Pointer) -> Iterator[Pointer]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield (*pointer, key)
            yield from _below(part, (*pointer, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield (*pointer, index)
            yield from _below(part, (*pointer, index))
