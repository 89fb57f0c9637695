"""The entry of a `command` agent in, what keeps its process from being started out."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from mergebar.calling import entries
from mergebar.model.problems import EntryFault
from mergebar.model.text import Json


def faults(options: Mapping[str, Json], root: Path) -> Iterator[EntryFault]:
    """All of them; whether the program is there is known when it is started."""
    command = options.get("command")
    argv = command if isinstance(command, list) else []
    if not argv:
        message = "is empty: name the program and its arguments"
        yield EntryFault(key=("command",), message=message)
    elif not str(argv[0]).strip():
        yield EntryFault(key=("command", 0), message="is blank: name the program")
    for index, part in enumerate(argv):
        if "\0" in str(part):
            message = "holds a NUL character, which no argument can"
            yield EntryFault(key=("command", index), message=message)
    yield from entries.folder(options, "cwd", root)
