"""The name of a function in, the function out: what is loaded by whoever turns out to need it.

`check` comes by here for every file, so that this module itself costs next to nothing.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from mergebar.model.problems import EntryFault
from mergebar.model.text import Json, JsonObject
from mergebar.reading.schema_faults import Explain, SchemaFault

ENTRY_FAULTS: Mapping[str, Mapping[str, str]] = {
    "agents": {
        "command": "mergebar.agents.command_entry:faults",
        "http": "mergebar.agents.http_entry:faults",
        "openai": "mergebar.agents.openai_entry:faults",
        "replay": "mergebar.agents.replay_entry:faults",
    },
    "judge": {
        "openai": "mergebar.judges.openai_entry:faults",
        "azure": "mergebar.judges.azure_entry:faults",
        "replay": "mergebar.judges.replay_entry:faults",
    },
}
EXPLAINER = "mergebar.reading.explaining:explain"
ARTIFACT_CHECKS = "mergebar.commands.checking.artifact_checks:check"
SIDECAR = "mergebar.traces.sidecars:is_one"


def load(target: str) -> Callable[..., object]:
    """The function of a `module:function`."""
    module, _, attribute = target.partition(":")
    found: object = getattr(importlib.import_module(module), attribute)
    if not callable(found):
        message = f"`{target}` is not a function"
        raise TypeError(message)
    return found


def entry_faults(
    section: str, kind: str, options: JsonObject, *, root: Path
) -> tuple[EntryFault, ...]:
    """What keeps an entry of `agents` or the `judge` from ever being called, by its type.

    Loads no client, so that `check` can ask.
    """
    target = ENTRY_FAULTS[section].get(kind)
    if target is None:
        return ()
    return tuple(cast("Iterable[EntryFault]", load(target)(options, root)))


def entry_points(group: str) -> dict[str, list[str]]:
    """What each name of a group stands for: more than one where packages contradict each other.

    `group` is the part after `mergebar.`. The metadata is read, and nothing is loaded.
    """
    # importlib.metadata costs as much as all else that a small check loads.
    metadata = importlib.import_module("importlib.metadata")
    found: dict[str, list[str]] = {}
    for point in metadata.entry_points(group=f"mergebar.{group}"):
        targets = found.setdefault(point.name, [])
        if point.value.strip() not in targets:
            targets.append(point.value.strip())
    return found


def packages(group: str, name: str) -> tuple[str, ...]:
    """The packages that bring a name of a group, each with its version."""
    metadata = importlib.import_module("importlib.metadata")
    points = metadata.entry_points(group=f"mergebar.{group}", name=name)
    brought = (point.dist for point in points)
    return tuple(sorted({f"{one.name} {one.version}" for one in brought if one is not None}))


def installed(group: str) -> frozenset[str]:
    """The names that packages bring to a group."""
    return frozenset(entry_points(group))


def explainer() -> Explain:
    """What puts the faults of a rejected file into words; costly to load, so for those only."""
    return cast("Explain", load(EXPLAINER))


def artifact_checks() -> Callable[..., object]:
    """What checks artifacts; as costly to load as all else of a small check."""
    return load(ARTIFACT_CHECKS)


def is_sidecar(path: Path) -> bool:
    """Whether a file holds a sub-agent's events; most folders of traces have none to ask about."""
    return bool(load(SIDECAR)(path))


def explain(schema: JsonObject, value: Json) -> Sequence[SchemaFault]:
    """Put the faults of a rejected value into words; the words are loaded by the first call."""
    return explainer()(schema, value)
