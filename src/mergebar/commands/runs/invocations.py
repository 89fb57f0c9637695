"""What is asked of a run, and on what occasion: by a command line, or by the action's inputs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mergebar.commands.bases.remote import NOWHERE, Remote
from mergebar.commands.workspace import Place
from mergebar.edge import events, report_names
from mergebar.edge.events import Event
from mergebar.errors import StopError
from mergebar.model.changes import Scope
from mergebar.model.problems import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What was asked for, by the command line or by the action's inputs.

    Paths are relative to the working directory. `baseline`
    is a report to compare with, `artifact` the name that this gate's reports go by on GitHub.
    `own_folder` is where the action keeps what no checkout may touch. Without `cache`, nothing that
    was answered before is taken for an answer; where it doesn't `keep`, nothing is kept for later.
    """

    paths: tuple[str, ...] = ()
    config: str | None = None
    scope: Scope = Scope.AUTO
    changed: tuple[str, ...] | None = None
    base: str | None = None
    agent: str | None = None
    tags: tuple[str, ...] = ()
    runs: int | None = None
    judge: bool = True
    replay: bool = False
    record: bool = False
    output: str = ".mergebar"
    baseline: str | None = None
    cache: bool = True
    own_folder: Path | None = None
    keeps: bool = True
    artifact: str = report_names.report_name("mergebar")


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where and on what occasion; `environ` is the process's environment."""

    place: Place
    event: Event
    environ: Mapping[str, str]
    remote: Remote = NOWHERE


def around(place: Place, environ: Mapping[str, str]) -> Surroundings:
    """The occasion of this process; stops where GitHub's own file for it can't be used."""
    found = events.read(environ)
    if isinstance(found, Problem):
        raise StopError(found.message)
    return Surroundings(place=place, event=found, environ=environ)
