"""A check run in progress on a commit, and its end: conclusion, summary and all annotations."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from mergebar.edge.github import annotations
from mergebar.edge.github.client import Client, quoted
from mergebar.edge.github.exchange import Purpose
from mergebar.edge.github.shapes import Id
from mergebar.model.publishing import (
    Annotation,
    CheckRun,
    CheckRunOutput,
    Conclusion,
    GitHubTrouble,
    PublishOutcome,
    PublishState,
    TroubleKind,
    refused,
)
from mergebar.model.text import Json

_CREATE = Purpose(what="create the check run", permission="checks: write")
_COMPLETE = Purpose(what="complete the check run", permission="checks: write")
_ANNOTATE = Purpose(what="add annotations to the check run", permission="checks: write")
_FIND = Purpose(what="look for the check run", permission="checks: write")


@dataclass(frozen=True)
class _App:
    slug: str = ""


@dataclass(frozen=True)
class _Output:
    annotations_count: int


@dataclass(frozen=True)
class _CheckRun:
    id: Id
    name: str
    head_sha: str
    status: str
    output: _Output
    html_url: str | None = None
    external_id: str | None = None
    app: _App | None = None


@dataclass(frozen=True)
class _CheckRuns:
    check_runs: tuple[_CheckRun, ...]


_ONE = TypeAdapter(_CheckRun)
_MANY = TypeAdapter(_CheckRuns)


def start(
    client: Client,
    *,
    name: str,
    head_sha: str,
    external_id: str,
    details_url: str,
    started_at: str,
) -> CheckRun | GitHubTrouble:
    """Create it in progress. `external_id` is `<run>.<attempt>`, by which it is found again.

    `started_at` is RFC 3339 in UTC. On a pull request, `head_sha` is the head and not the merge
    commit, whose checks nobody sees.
    """
    body: dict[str, Json] = {
        "name": name,
        "head_sha": head_sha,
        "status": "in_progress",
        "external_id": external_id,
        "details_url": details_url,
        "started_at": started_at,
    }

    def posted() -> _CheckRun | GitHubTrouble | None:
        return _look(client, name=name, head_sha=head_sha, external_id=external_id)

    made = client.create(_ONE, "/check-runs", body, _CREATE, look=posted)
    return made if isinstance(made, GitHubTrouble) else _understood(made)


def find(
    client: Client, *, name: str, head_sha: str, external_id: str
) -> CheckRun | GitHubTrouble | None:
    """The one that was started with these and hasn't ended; `None` where there is none."""
    found = _look(client, name=name, head_sha=head_sha, external_id=external_id)
    return _understood(found) if isinstance(found, _CheckRun) else found


def complete(
    client: Client,
    run: CheckRun,
    *,
    conclusion: Conclusion,
    completed_at: str,
    output: CheckRunOutput,
) -> PublishOutcome:
    """The conclusion first, with the first fifty annotations; then the others, fifty at a time.

    Where GitHub refuses annotations, the conclusion is still given, and the trouble told.
    """
    ending: dict[str, Json] = {
        "status": "completed",
        "conclusion": conclusion.value,
        "completed_at": completed_at,
    }
    first, *others = annotations.batches(output.annotations)
    trouble = _add(client, run, {**ending, "output": annotations.output(output, first)}, first, 0)
    if trouble is not None and trouble.kind is TroubleKind.REJECTED and first:
        bare: dict[str, Json] = {**ending, "output": annotations.output(output, ())}
        failed = client.change(_ONE, _path(run), bare, _COMPLETE)
        if isinstance(failed, GitHubTrouble):
            return refused(failed)
        return PublishOutcome(state=PublishState.UPDATED, url=run.url, trouble=trouble)
    if trouble is not None:
        return refused(trouble)
    sent = len(first)
    for batch in others:
        trouble = _add(client, run, {"output": annotations.output(output, batch)}, batch, sent)
        if trouble is not None:
            break
        sent += len(batch)
    return PublishOutcome(state=PublishState.UPDATED, url=run.url, trouble=trouble)


def _look(
    client: Client, *, name: str, head_sha: str, external_id: str
) -> _CheckRun | GitHubTrouble | None:
    """The newest one that hasn't ended, on any page: a gate may have several steps in a job."""
    found = client.pages(
        _MANY,
        lambda page: page.check_runs,
        f"/commits/{quoted(head_sha)}/check-runs",
        _FIND,
        check_name=name,
        filter="all",
    )
    if isinstance(found, GitHubTrouble):
        return found
    open_ones = (one for one in found if one.status != "completed")
    ours = [one for one in open_ones if one.external_id == external_id]
    return max(ours, key=lambda one: one.id, default=None)


def _add(
    client: Client, run: CheckRun, body: dict[str, Json], batch: Sequence[Annotation], before: int
) -> GitHubTrouble | None:
    """Change it once: GitHub adds annotations, so that a repetition would show them twice."""

    def applied() -> _CheckRun | GitHubTrouble | None:
        now = client.get(_ONE, _path(run), _FIND)
        if isinstance(now, GitHubTrouble):
            return now
        return now if now.output.annotations_count >= before + len(batch) else None

    purpose = _ANNOTATE if before else _COMPLETE
    look = applied if batch else None
    made = client.change(_ONE, _path(run), body, purpose, look=look)
    return made if isinstance(made, GitHubTrouble) else None


def _path(run: CheckRun) -> str:
    return f"/check-runs/{run.id}"


def _understood(reply: _CheckRun) -> CheckRun:
    slug = reply.app.slug if reply.app is not None else ""
    return CheckRun(
        id=reply.id,
        name=reply.name,
        head_sha=reply.head_sha,
        url=reply.html_url or "",
        author=f"{slug}[bot]" if slug else None,
    )
