"""The entry of an `azure` judge in, what keeps every vote from being asked for out."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from mergebar.calling import entries
from mergebar.model.problems import EntryFault, Level
from mergebar.model.text import Json


def faults(options: Mapping[str, Json], root: Path) -> Iterator[EntryFault]:
    """All of them, in the order of the keys."""
    del root  # an entry of this type names no file
    yield from entries.wanted(options, "deployment", "name the deployment of the model")
    endpoint = entries.text(options, "endpoint")
    if endpoint and not (entries.is_open(endpoint) or entries.is_url(endpoint)):
        yield EntryFault(key=("endpoint",), message="must be the URL of the Azure resource")
    yield from entries.version(options, "api_version")
    yield from entries.secret(options, "api_key")
    if options.get("auth") == "entra" and entries.text(options, "api_key"):
        message = "isn't used with `auth: entra`: remove one of the two"
        yield EntryFault(key=("api_key",), message=message, level=Level.WARNING)
