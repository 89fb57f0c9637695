"""A branch and a commit in, the report that its nearest ancestor left as an artifact out."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import TypeAdapter

from mergebar.edge.github import artifacts
from mergebar.edge.github.artifacts import Candidate
from mergebar.edge.github.client import Client
from mergebar.edge.github.downloads import Fetch
from mergebar.edge.github.exchange import Purpose
from mergebar.model.publishing import GitHubTrouble, TroubleKind
from mergebar.reading.limits import MAX_BYTES

_HISTORY = Purpose(what="read the history of the base", permission="contents: read")
_MOST_PAGES = 5
_MOST_TRIED = 10
_OF_ONE = {TroubleKind.GONE, TroubleKind.NOT_FOUND, TroubleKind.REJECTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to look for: the artifact's name, the file in it, and the branch that it is of.

    `commit` is where the search begins; with `None` the branch's newest one is wanted.
    """

    artifact: str
    file: str
    branch: str
    commit: str | None = None
    limit: int = MAX_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A report that a run left. `created_at` is RFC 3339; commit and run are as GitHub says."""

    data: bytes
    commit: str
    created_at: str
    run: int
    artifact: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoBaseline:
    """There is none, and why."""

    reason: str


@dataclass(frozen=True)
class _Commit:
    sha: str


_COMMITS = TypeAdapter(tuple[_Commit, ...])


def anything(_baseline: Baseline) -> str:
    """Accepts every report."""
    return ""


def find(
    client: Client,
    wanted: Wanted,
    *,
    fetch: Fetch,
    fault: Callable[[Baseline], str] = anything,
) -> Baseline | NoBaseline | GitHubTrouble:
    """The nearest one that is what it should be. `fault` says what is wrong with a report, or ''.

    One that can't be had, or isn't fit, makes place for the next.
    """
    found = artifacts.of_branch(client, wanted.artifact, wanted.branch)
    if isinstance(found, GitHubTrouble):
        return found
    ordered = _nearest_first(client, found, wanted.commit)
    if isinstance(ordered, GitHubTrouble):
        return ordered
    reasons = []
    for candidate in ordered[:_MOST_TRIED]:
        got = _get(client, candidate, wanted, fetch)
        if isinstance(got, GitHubTrouble):
            return got
        why = got if isinstance(got, str) else fault(got)
        if isinstance(got, Baseline) and not why:
            return got
        reasons.append(f"the one of `{candidate.commit[:12]}` can't be used: {why}")
    return NoBaseline(reason=reasons[0] if reasons else _none(wanted, found))


def _get(
    client: Client, candidate: Candidate, wanted: Wanted, fetch: Fetch
) -> Baseline | str | GitHubTrouble:
    """The baseline, or why it isn't one, or what is in the way of all."""
    distrust = artifacts.distrusted(client, candidate, wanted.branch)
    if distrust or isinstance(distrust, GitHubTrouble):
        return _told(distrust)
    data = artifacts.download(client, candidate, wanted.file, limit=wanted.limit, fetch=fetch)
    if isinstance(data, GitHubTrouble):
        return _told(data)
    return Baseline(
        data=data,
        commit=candidate.commit,
        created_at=candidate.created_at,
        run=candidate.run,
        artifact=candidate.id,
    )


def _told(why: str | GitHubTrouble) -> str | GitHubTrouble:
    """What is wrong with one artifact alone, as text."""
    if isinstance(why, GitHubTrouble) and why.kind in _OF_ONE:
        return why.message
    return why


def _nearest_first(
    client: Client, found: tuple[Candidate, ...], commit: str | None
) -> tuple[Candidate, ...] | GitHubTrouble:
    """By the way back from the commit; what isn't on it is left out. Newest first otherwise."""
    if commit is None or not found:
        return found
    history = client.pages(_COMMITS, tuple, "/commits", _HISTORY, most=_MOST_PAGES, sha=commit)
    if isinstance(history, GitHubTrouble):
        return history
    return _of(found, [one.sha for one in history])


def _of(found: tuple[Candidate, ...], commits: list[str]) -> tuple[Candidate, ...]:
    place = {sha: index for index, sha in reversed(list(enumerate(commits)))}
    near = [one for one in found if one.commit in place]
    return tuple(sorted(near, key=lambda one: (place[one.commit], -one.id)))


def _none(wanted: Wanted, found: tuple[Candidate, ...]) -> str:
    name, branch = f"`{wanted.artifact}`", f"`{wanted.branch}`"
    if not found:
        return f"no run on {branch} has left an artifact {name}"
    return f"no ancestor of `{(wanted.commit or '')[:12]}` on {branch} has left an artifact {name}"
