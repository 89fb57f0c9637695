"""A branch and a commit in, the report that its nearest ancestor left as an artifact out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from mergebar.edge.github import artifacts
from mergebar.edge.github.artifacts import Candidate
from mergebar.edge.github.client import Client, quoted
from mergebar.edge.github.downloads import Fetch
from mergebar.edge.github.exchange import Purpose
from mergebar.edge.github.lookups import Baseline as Baseline
from mergebar.edge.github.lookups import NoBaseline as NoBaseline
from mergebar.edge.github.lookups import Wanted as Wanted
from mergebar.edge.github.shapes import Sha
from mergebar.model.publishing import GitHubTrouble, TroubleKind

_HISTORY = Purpose(what="read the history of the base", permission="contents: read")
_TIP = Purpose(what="look the base branch up", permission="contents: read")
_MOST_PAGES = 5
_MOST_TRIED = 10
_OF_ONE = {TroubleKind.GONE, TroubleKind.NOT_FOUND, TroubleKind.REJECTED}


@dataclass(frozen=True)
class _Commit:
    sha: Sha


@dataclass(frozen=True)
class _Branch:
    commit: _Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A candidate, and how far back it lies."""

    candidate: Candidate
    distance: int


_COMMITS = TypeAdapter(tuple[_Commit, ...])
_BRANCH = TypeAdapter(_Branch)


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

    A red run's is as good as a green one's. One that can't be had, or isn't fit, makes place for
    the next. Where the branch is gone, there is none.
    """
    commit = wanted.commit or _tip(client, wanted.branch)
    if isinstance(commit, GitHubTrouble):
        gone = commit.kind is TroubleKind.NOT_FOUND
        return NoBaseline(reason=f"there is no branch `{wanted.branch}`") if gone else commit
    found = artifacts.of_branch(client, wanted.artifact, wanted.branch, commit=commit)
    if isinstance(found, GitHubTrouble):
        return found
    ordered = _nearest_first(client, found, commit)
    if isinstance(ordered, GitHubTrouble):
        return ordered
    reasons = []
    for placed in ordered[:_MOST_TRIED]:
        got = _get(client, placed, wanted, fetch)
        if isinstance(got, GitHubTrouble):
            return got
        why = got if isinstance(got, str) else fault(got)
        if isinstance(got, Baseline) and not why:
            return got
        reasons.append(f"the one of `{placed.candidate.commit[:12]}` can't be used: {why}")
    return NoBaseline(reason=reasons[0] if reasons else _none(wanted, found, commit))


def _tip(client: Client, branch: str) -> str | GitHubTrouble:
    """The newest commit of a branch, and not of a tag that is called like it."""
    found = client.get(_BRANCH, f"/branches/{quoted(branch)}", _TIP)
    return found if isinstance(found, GitHubTrouble) else found.commit.sha


def _get(
    client: Client, placed: _Placed, wanted: Wanted, fetch: Fetch
) -> Baseline | str | GitHubTrouble:
    """The baseline, or why it isn't one, or what is in the way of all."""
    candidate = placed.candidate
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
        distance=placed.distance,
    )


def _told(why: str | GitHubTrouble) -> str | GitHubTrouble:
    """What is wrong with one artifact alone, as text."""
    if isinstance(why, GitHubTrouble) and why.kind in _OF_ONE:
        return why.message
    return why


def _nearest_first(
    client: Client, found: tuple[Candidate, ...], commit: str
) -> tuple[_Placed, ...] | GitHubTrouble:
    """By the way back from the commit; what isn't on it is left out: a tag may have any name."""
    if not found:
        return ()
    known = {one.commit for one in found}
    needed = min(_MOST_TRIED, len(known))

    def enough(commits: Sequence[_Commit]) -> bool:
        return len(known & {one.sha for one in commits}) >= needed

    history = client.pages(
        _COMMITS, tuple, "/commits", _HISTORY, most=_MOST_PAGES, enough=enough, sha=commit
    )
    if isinstance(history, GitHubTrouble):
        return history
    return _of(found, [one.sha for one in history])


def _of(found: tuple[Candidate, ...], commits: list[str]) -> tuple[_Placed, ...]:
    place = {sha: index for index, sha in reversed(list(enumerate(commits)))}
    near = [one for one in found if one.commit in place]
    ordered = sorted(near, key=lambda one: (place[one.commit], -one.id))
    return tuple(_Placed(candidate=one, distance=place[one.commit]) for one in ordered)


def _none(wanted: Wanted, found: tuple[Candidate, ...], commit: str) -> str:
    name, branch = f"`{wanted.artifact}`", f"`{wanted.branch}`"
    if not found:
        return f"no run on {branch} has left an artifact {name}"
    return f"no ancestor of `{commit[:12]}` on {branch} has left an artifact {name}"
