"""A number or a commit in; what GitHub says about the pull request, out."""

from dataclasses import dataclass

from pydantic import TypeAdapter

from mergebar.edge.github.client import MOST_PAGES, Client, Parameters, quoted
from mergebar.edge.github.exchange import Purpose
from mergebar.edge.github.shapes import Id, Sha
from mergebar.model.publishing import GitHubTrouble

_MOST_PAGES = 10
_LOOK_UP = Purpose(what="look the pull request up", permission="pull-requests: read")
TO_COMMENT = Purpose(what="look the pull request up", permission="pull-requests: write")
"""Who may only read would hear of it one run later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """`head_repository` is `None` where the fork was deleted, `author` where the account was."""

    number: int
    head_sha: str
    base_sha: str
    base_branch: str
    head_repository: str | None
    author: str | None = None
    changed_files: int | None = None


@dataclass(frozen=True)
class _User:
    login: str


@dataclass(frozen=True)
class _Repository:
    full_name: str


@dataclass(frozen=True)
class _End:
    sha: Sha
    ref: str
    repo: _Repository | None


@dataclass(frozen=True)
class _PullRequest:
    number: Id
    state: str
    head: _End
    base: _End
    user: _User | None = None
    changed_files: int | None = None


_ONE = TypeAdapter(_PullRequest)
_MANY = TypeAdapter(tuple[_PullRequest, ...])


def find(
    client: Client, number: int, *, purpose: Purpose = _LOOK_UP
) -> PullRequest | GitHubTrouble:
    """The pull request as it is now; `purpose` is what it is looked up for."""
    found = client.get(_ONE, f"/pulls/{number}", purpose)
    return found if isinstance(found, GitHubTrouble) else _understood(found)


def by_head(
    client: Client, sha: str, *, owner: str | None = None, branch: str | None = None
) -> tuple[PullRequest, ...] | GitHubTrouble:
    """The open pull requests whose head is this commit, as GitHub and nobody's file says.

    They are looked for by who has a comment for them.

    `owner` and `branch` are those that the commit was pushed to, where they are known.
    """
    ways: list[tuple[str, int, Parameters]] = []
    if owner and branch:
        ways.append(("/pulls", MOST_PAGES, {"state": "open", "head": f"{owner}:{branch}"}))
    else:
        ways.append((f"/commits/{quoted(sha)}/pulls", MOST_PAGES, {}))
        # By its commit alone, GitHub doesn't find a fork's pull request.
        newest: Parameters = {"state": "open", "sort": "updated", "direction": "desc"}
        ways.append(("/pulls", _MOST_PAGES, newest))
    for path, most, parameters in ways:
        found = client.pages(_MANY, tuple, path, TO_COMMENT, most=most, enough=None, **parameters)
        if isinstance(found, GitHubTrouble):
            return found
        heads = [one for one in found if one.state == "open" and one.head.sha == sha]
        if heads:
            return tuple(map(_understood, sorted(heads, key=lambda one: one.number)))
    return ()


def _understood(reply: _PullRequest) -> PullRequest:
    source = reply.head.repo
    return PullRequest(
        number=reply.number,
        head_sha=reply.head.sha,
        base_sha=reply.base.sha,
        base_branch=reply.base.ref,
        head_repository=None if source is None else source.full_name,
        author=None if reply.user is None else reply.user.login,
        changed_files=reply.changed_files,
    )
