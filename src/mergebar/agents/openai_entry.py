"""The entry of an `openai` agent in, what keeps every call of it from being made out."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from mergebar.calling import entries
from mergebar.model.problems import EntryFault, Problem
from mergebar.model.text import Json
from mergebar.reading import files

SYSTEM_LIMIT = 1024 * 1024


def faults(options: Mapping[str, Json], root: Path) -> Iterator[EntryFault]:
    """All of them, its `system` file included."""
    if not entries.text(options, "model"):
        yield EntryFault(key=("model",), message="is not set: name the model")
    yield from entries.address(options, "base_url")
    yield from entries.secret(options, "api_key")
    if not entries.is_open(entries.text(options, "system")):
        found = system(options, root)
        if isinstance(found, EntryFault):
            yield found


def system(options: Mapping[str, Json], root: Path) -> str | EntryFault:
    """The text of the file that `system` names; it has to lie within the working directory."""
    path = options.get("system")
    if not isinstance(path, str) or not path:
        return ""
    data = files.read(root, path, limit=SYSTEM_LIMIT, rule="agent/system")
    if isinstance(data, Problem):
        return EntryFault(key=("system",), message=f"names no usable file: {data.message}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return EntryFault(key=("system",), message=f"names no usable file: `{path}` is not UTF-8")
