"""The repository's artifacts of a name in; those that its own branch's runs made, out.

Anyone can open a fork with a branch of the same name and upload an artifact of the same name, so
what counts is which run made it, and what GitHub says about that run: never what a file says.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import TypeAdapter

from mergebar.edge.github.client import Client
from mergebar.edge.github.downloads import Fetch, Signed
from mergebar.edge.github.exchange import Purpose
from mergebar.edge.github.shapes import Id, Sha
from mergebar.model.publishing import GitHubTrouble

EVENTS = frozenset({"push", "schedule", "workflow_dispatch"})
"""Those by which nobody runs a stranger's code."""

_LIST = Purpose(what="list the artifacts", permission="actions: read")
_RUN = Purpose(what="look up the run that made the artifact", permission="actions: read")
_GET = Purpose(what="download the artifact", permission="actions: read")
_MOST_PAGES = 10  # pull requests leave artifacts of the same name


@dataclass(frozen=True)
class _Repository:
    id: int


@dataclass(frozen=True)
class _MadeBy:
    id: Id | None = None
    repository_id: int | None = None
    head_repository_id: int | None = None
    head_branch: str | None = None
    head_sha: Sha | None = None


@dataclass(frozen=True)
class _Artifact:
    id: Id
    name: str
    expired: bool
    created_at: str | None
    digest: str | None = None
    workflow_run: _MadeBy | None = None


@dataclass(frozen=True)
class _Artifacts:
    artifacts: tuple[_Artifact, ...]


@dataclass(frozen=True)
class _Run:
    id: int
    event: str
    head_branch: str | None
    head_sha: Sha
    repository: _Repository
    head_repository: _Repository | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An artifact that a run of this repository made at `commit`; `digest` is of the download."""

    id: int
    run: int
    commit: str
    created_at: str
    digest: str | None


_MANY = TypeAdapter(_Artifacts)
_ONE_RUN = TypeAdapter(_Run)


def of_branch(
    client: Client, name: str, branch: str, *, commit: str
) -> tuple[Candidate, ...] | GitHubTrouble:
    """Those that runs of the repository itself made on the branch, newest first; none expired.

    Older ones aren't looked for once there is one of the `commit`.
    """

    def ours(found: Iterable[_Artifact]) -> Iterator[Candidate]:
        named = (one for one in found if one.name == name and not one.expired)
        return (made for one in named if (made := _candidate(one, branch)) is not None)

    found = client.pages(
        _MANY,
        _artifacts,
        "/actions/artifacts",
        _LIST,
        most=_MOST_PAGES,
        enough=lambda so_far: any(one.commit == commit for one in ours(so_far)),
        name=name,
    )
    if isinstance(found, GitHubTrouble):
        return found
    return tuple(sorted(ours(found), key=lambda one: -one.id))


def of_run(client: Client, run: int, name: str) -> Candidate | GitHubTrouble | None:
    """The newest one of a run: a re-run may have left several. Whoever asks knows the run."""
    path = f"/actions/runs/{run}/artifacts"
    found = client.pages(_MANY, _artifacts, path, _LIST, name=name)
    if isinstance(found, GitHubTrouble):
        return found
    named = [one for one in found if one.name == name and not one.expired]
    newest = max(named, key=lambda one: one.id, default=None)
    if newest is None:
        return None
    sha = newest.workflow_run.head_sha if newest.workflow_run is not None else None
    return Candidate(
        id=newest.id,
        run=run,
        commit=sha or "",
        created_at=newest.created_at or "",
        digest=newest.digest,
    )


def distrusted(client: Client, candidate: Candidate, branch: str) -> str | GitHubTrouble:
    """Why the run that made it isn't one to compare with; empty if it is."""
    run = client.get(_ONE_RUN, f"/actions/runs/{candidate.run}", _RUN)
    if isinstance(run, GitHubTrouble):
        return run
    if run.head_repository is None or run.head_repository.id != run.repository.id:
        return "it was made for a fork"
    if run.event not in EVENTS:
        return f"it was made on `{run.event}`"
    if run.head_branch != branch or run.head_sha != candidate.commit:
        return "it was made on another branch or commit than it says"
    return ""


def download(
    client: Client, candidate: Candidate, file: str, *, limit: int, fetch: Fetch
) -> bytes | GitHubTrouble:
    """One file of the artifact, at most `limit` bytes, if it is what GitHub's digest says."""
    place = client.location(f"/actions/artifacts/{candidate.id}/zip", _GET)
    if isinstance(place, GitHubTrouble):
        return place
    digest = candidate.digest if (candidate.digest or "").startswith("sha256:") else None
    return fetch(Signed(url=place, digest=digest, file=file, limit=limit))


def _artifacts(page: _Artifacts) -> tuple[_Artifact, ...]:
    return page.artifacts


def _candidate(artifact: _Artifact, branch: str) -> Candidate | None:
    run = artifact.workflow_run
    if run is None or run.id is None or not run.head_sha or run.head_branch != branch:
        return None
    if run.repository_id is None or run.head_repository_id != run.repository_id:
        return None
    return Candidate(
        id=artifact.id,
        run=run.id,
        commit=run.head_sha,
        created_at=artifact.created_at or "",
        digest=artifact.digest,
    )
