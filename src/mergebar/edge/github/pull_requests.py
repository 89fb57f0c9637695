"""A number or a commit in; what GitHub says about the pull request, out."""

from dataclasses import dataclass

from pydantic import TypeAdapter

from mergebar.edge.github.client import Client, quoted
from mergebar.edge.github.exchange import Purpose
from mergebar.model.publishing import GitHubTrouble

_LOOK_UP = Purpose(what="look the pull request up", permission="pull-requests: read")


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """`head_repository` is `None` where the fork was deleted."""

    number: int
    head_sha: str
    base_sha: str
    base_branch: str
    head_repository: str | None
    changed_files: int | None = None


@dataclass(frozen=True)
class _Repository:
    full_name: str


@dataclass(frozen=True)
class _End:
    sha: str
    ref: str
    repo: _Repository | None


@dataclass(frozen=True)
class _PullRequest:
    number: int
    state: str
    head: _End
    base: _End
    changed_files: int | None = None


_ONE = TypeAdapter(_PullRequest)
_MANY = TypeAdapter(tuple[_PullRequest, ...])


def find(client: Client, number: int) -> PullRequest | GitHubTrouble:
    """The pull request as it is now."""
    found = client.get(_ONE, f"/pulls/{number}", _LOOK_UP)
    return found if isinstance(found, GitHubTrouble) else _understood(found)


def by_head(
    client: Client, sha: str, *, owner: str | None = None, branch: str | None = None
) -> tuple[PullRequest, ...] | GitHubTrouble:
    """The open pull requests whose head is this commit, as GitHub and nobody's file says.

    `owner` and `branch` are those that the commit was pushed to: GitHub doesn't find a fork's
    pull request by the commit alone.
    """
    found: tuple[_PullRequest, ...] | GitHubTrouble = ()
    if owner and branch:
        found = client.pages(
            _MANY, tuple, "/pulls", _LOOK_UP, state="open", head=f"{owner}:{branch}"
        )
    if found == ():
        found = client.pages(_MANY, tuple, f"/commits/{quoted(sha)}/pulls", _LOOK_UP)
    if isinstance(found, GitHubTrouble):
        return found
    heads = [one for one in found if one.state == "open" and one.head.sha == sha]
    return tuple(map(_understood, sorted(heads, key=lambda one: one.number)))


def _understood(reply: _PullRequest) -> PullRequest:
    source = reply.head.repo
    return PullRequest(
        number=reply.number,
        head_sha=reply.head.sha,
        base_sha=reply.base.sha,
        base_branch=reply.base.ref,
        head_repository=None if source is None else source.full_name,
        changed_files=reply.changed_files,
    )
