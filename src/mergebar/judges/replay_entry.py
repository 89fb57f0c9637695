"""The entry of a `replay` judge in, what is wrong with where its recordings are out."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from mergebar.calling import entries
from mergebar.model.problems import EntryFault
from mergebar.model.text import Json


def faults(options: Mapping[str, Json], root: Path) -> Iterator[EntryFault]:
    """A folder that isn't there yet may still be recorded."""
    yield from entries.folder(options, "recordings", root, may_lack=True)
