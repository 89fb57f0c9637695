"""The entry of an `openai` judge in, what keeps every vote from being asked for out."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from mergebar.calling import entries
from mergebar.model.problems import EntryFault
from mergebar.model.text import Json


def faults(options: Mapping[str, Json], root: Path) -> Iterator[EntryFault]:
    """All of them, in the order of the keys."""
    del root  # an entry of this type names no file
    if not entries.text(options, "model"):
        message = "is not set: name the model, it is part of the result"
        yield EntryFault(key=("model",), message=message)
    yield from entries.address(options, "base_url")
    yield from entries.secret(options, "api_key")
