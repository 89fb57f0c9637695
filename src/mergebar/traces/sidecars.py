"""The files of sub-agents beside a session in, the one that belongs to a call out.

Current versions keep them in `<session>/subagents/` with a `.meta.json` each; older ones beside
the session, where only the brief tells which call started which (spec, §3.2).
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json, JsonObject
from mergebar.traces import records
from mergebar.traces.claude_spawns import brief
from mergebar.traces.faults import Faults
from mergebar.traces.files import open_trace

_MOST_FILES = 5_000
_META_LIMIT = 65_536
_FIRST = 5
"""Records among which a sub-agent's first message is."""


@dataclass(slots=True, kw_only=True)
class Sidecar:
    """One file. `call` is the id of the call that started it, `brief` a hash of what it was told.

    Exactly one of the two is known. `name` is how messages call it.
    """

    path: Path
    name: str
    call: str | None
    brief: int | None
    agent_type: str | None


@dataclass(slots=True)
class Sidecars:
    """Those of one session; each is taken once."""

    by_call: dict[str, Sidecar] = field(default_factory=dict)
    by_brief: dict[int, list[Sidecar]] = field(default_factory=dict)
    notes: list[Problem] = field(default_factory=list)

    def take(self, call: Json, brief: int) -> Sidecar | None:
        """The sidecar of a call, by its id, else by what the sub-agent was told."""
        if isinstance(call, str):
            found = self.by_call.pop(call, None)
            if found is not None:
                return found
        waiting = self.by_brief.get(brief)
        return waiting.pop(0) if waiting else None

    def told(self, path: Path, name: str, first: JsonObject, agent_type: str | None) -> None:
        """A file that only its first message ties to a call."""
        told = brief(first)
        self.by_brief.setdefault(told, []).append(
            Sidecar(path=path, name=name, call=None, brief=told, agent_type=agent_type)
        )

    def orphans(self) -> Iterator[Sidecar]:
        """Those that no call took."""
        yield from self.by_call.values()
        for waiting in self.by_brief.values():
            yield from waiting


def find(trace: Path, name: str, session_id: str | None) -> Sidecars:
    """Look for the sub-agents' files of a session; none of them is read here but its beginning."""
    found = Sidecars()
    folder = trace.with_suffix("")
    prefix = name.removesuffix(trace.suffix)
    for path in _listed(folder / "subagents", folder, deep=True):
        _current(path, f"{prefix}/{path.relative_to(folder).as_posix()}", found)
    if session_id is None or trace.name.startswith("agent-"):
        return found
    parent = name.rpartition("/")[0]
    for path in _listed(trace.parent, trace.parent, deep=False):
        _beside(path, f"{parent}/{path.name}" if parent else path.name, session_id, found)
    return found


def is_one(path: Path) -> bool:
    """Whether a file that is called like a sub-agent's is one; so is what nobody can read."""
    opened = open_trace(path, path.name)
    if isinstance(opened, Problem):
        return True
    with opened.file:
        sample = [value for *_, value in islice(records.lines(opened.file, Faults()), _FIRST)]
    return not sample or any(value.get("isSidechain") or "agentId" in value for value in sample)


def orphan(sidecar: Sidecar) -> Problem:
    """Why a file wasn't merged."""
    reason = (
        f"no call of the session has the id `{sidecar.call}`"
        if sidecar.call
        else "no call of the session has this brief"
    )
    return _note("orphan", f"this sub-agent's events were left out: {reason}", sidecar.name)


def _listed(folder: Path, root: Path, *, deep: bool) -> list[Path]:
    """The sidecars in a folder, sorted; no symbolic link leads out of `root`."""
    if not folder.is_dir():
        return []
    paths = folder.rglob("agent-*.jsonl") if deep else folder.glob("agent-*.jsonl")
    real = os.path.realpath(root)
    return sorted(
        path
        for path in islice(paths, _MOST_FILES)
        if Path(os.path.realpath(path)).is_relative_to(real) and path.is_file()
    )


def _current(path: Path, name: str, found: Sidecars) -> None:
    meta = _meta(path.with_suffix(".meta.json")) or {}
    call, kind = meta.get("toolUseId"), meta.get("agentType")
    agent_type = kind if isinstance(kind, str) else None
    if isinstance(call, str):
        found.by_call[call] = Sidecar(
            path=path, name=name, call=call, brief=None, agent_type=agent_type
        )
        return
    first = _first(path)
    if first is None:
        message = (
            "this sub-agent's events were left out: no .meta.json names the call that started it, "
            "and it doesn't begin with a prompt"
        )
        found.notes.append(_note("orphan", message, name))
        return
    found.told(path, name, first, agent_type)


def _meta(path: Path) -> JsonObject | None:
    try:
        with path.open("rb") as file:
            value = json.loads(file.read(_META_LIMIT))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _beside(path: Path, name: str, session_id: str, found: Sidecars) -> None:
    first = _first(path)
    if first is None or first.get("sessionId") != session_id:
        return
    found.told(path, name, first, None)


def _first(path: Path) -> JsonObject | None:
    """The first message of a sidecar."""
    opened = open_trace(path, path.name)
    if isinstance(opened, Problem):
        return None
    with opened.file:
        sample = islice(records.lines(opened.file, Faults()), _FIRST)
        return next((value for *_, value in sample if "message" in value), None)


def _note(rule: str, message: str, name: str) -> Problem:
    return Problem(level=Level.WARNING, rule=f"trace/{rule}", message=message, path=name)
