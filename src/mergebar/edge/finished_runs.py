"""The event of a finished workflow in; which run it was and whose commit it ran on, out.

All of it is GitHub's word: nothing here comes from a file that the run has left.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mergebar.edge import events
from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json, JsonObject

_SHA = re.compile("[0-9a-f]{40}([0-9a-f]{24})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """A run that ended. `repository` and `branch` are those of the head; `None` for a gone fork.

    `conclusion` is GitHub's: `success`, `failure`, `cancelled`, `skipped`, … `actors` are the
    logins of who started it, and of who started it again.
    """

    id: int
    attempt: int
    event: str
    conclusion: str
    head_sha: str
    repository: str | None
    branch: str | None
    actors: frozenset[str] = frozenset()

    @property
    def owner(self) -> str | None:
        """Whose repository the head is in."""
        return self.repository.partition("/")[0] if self.repository else None


def read(environ: Mapping[str, str]) -> FinishedRun | Problem:
    """The run that `workflow_run` is about."""
    payload = events.load(Path(environ.get("GITHUB_EVENT_PATH", "")))
    if isinstance(payload, Problem):
        return payload
    run = _object(payload, "workflow_run")
    number, sha = run.get("id"), run.get("head_sha")
    if type(number) is not int or not isinstance(sha, str) or not _SHA.fullmatch(sha):
        return Problem(
            level=Level.ERROR,
            rule="config/event",
            message="the event file of `workflow_run` names no run: it is not GitHub's own file",
        )
    attempt = run.get("run_attempt")
    repository = _text(_object(run, "head_repository").get("full_name"))
    actors = (_object(run, name).get("login") for name in ("actor", "triggering_actor"))
    return FinishedRun(
        id=number,
        attempt=attempt if type(attempt) is int and attempt > 0 else 1,
        event=_text(run.get("event")),
        conclusion=_text(run.get("conclusion")),
        head_sha=sha,
        repository=repository if "/" in repository else None,
        branch=_text(run.get("head_branch")) or None,
        actors=frozenset(filter(None, map(_text, actors))),
    )


def _object(value: JsonObject, key: str) -> JsonObject:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
