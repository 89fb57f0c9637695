"""A pull request or two commits in; the files that differ, as GitHub knows them, out.

GitHub lists no more than 3,000 files of a pull request and 300 of a comparison: a list that may
lack some is no answer.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from pydantic import TypeAdapter

from mergebar.edge.changes import Found, Miss, Strategy
from mergebar.edge.events import Event
from mergebar.edge.github import pull_requests
from mergebar.edge.github.client import Client, quoted
from mergebar.edge.github.exchange import Purpose
from mergebar.edge.github.pull_requests import PullRequest
from mergebar.edge.github.shapes import RepositoryPath, Sha
from mergebar.model.changes import Change, Changes, Status
from mergebar.model.publishing import GitHubTrouble
from mergebar.reading.sentences import counted

MOST_LISTED = 3_000
MOST_COMPARED = 300

_LIST = Purpose(what="list the changed files", permission="pull-requests: read")
_COMPARE = Purpose(what="compare two commits", permission="contents: read")
_COMMIT = Purpose(what="read the tested commit", permission="contents: read")
_OF_A_MERGE = 2  # parents
_SUBMODULE = re.compile(r"^[-+]Subproject commit [0-9a-f]{40,64}(?:-dirty)?$", re.MULTILINE)
_STATUSES = {
    "added": Status.ADDED,
    "copied": Status.ADDED,
    "removed": Status.DELETED,
    "renamed": Status.RENAMED,
}


@dataclass(frozen=True)
class _File:
    filename: RepositoryPath
    status: str
    previous_filename: RepositoryPath | None = None
    patch: str | None = None
    changes: int | None = None


@dataclass(frozen=True)
class _Named:
    sha: Sha


@dataclass(frozen=True)
class _Comparison:
    merge_base_commit: _Named
    files: tuple[_File, ...] | None = None


@dataclass(frozen=True)
class _Commit:
    sha: Sha
    parents: tuple[_Named, ...]


_FILES = TypeAdapter(tuple[_File, ...])
_COMPARISON = TypeAdapter(_Comparison)
_ONE_COMMIT = TypeAdapter(_Commit)


def strategies(client: Client, event: Event) -> tuple[Strategy, ...]:
    """How GitHub can tell what the event changed, best first."""
    ways: list[Strategy] = []
    if event.pull_request is not None:
        ways.append(partial(listed, client, event))
    if event.base is not None and event.head is not None:
        ways.append(partial(compared, client, event.base, event.head))
    return tuple(ways)


def listed(client: Client, event: Event) -> Found | Miss:
    """The files of the event's pull request, if it is still at the event's head."""
    if event.pull_request is None or event.head is None:
        return Miss(reason=f"the event `{event.name}` names no pull request")
    pull = pull_requests.find(client, event.pull_request)
    if isinstance(pull, GitHubTrouble):
        return Miss(reason=pull.message)
    if pull.head_sha != event.head:
        return Miss(reason="the pull request has newer commits than this run")
    files = client.pages(_FILES, tuple, f"/pulls/{pull.number}/files", _LIST)
    if isinstance(files, GitHubTrouble):
        return Miss(reason=files.message)
    lacking = _lacking(files, pull)
    if lacking is not None:
        return Miss(reason=lacking)
    base = _base(client, event, pull)
    return Miss(reason=base.message) if isinstance(base, GitHubTrouble) else _found(files, base)


def _lacking(files: tuple[_File, ...], pull: PullRequest) -> str | None:
    """Why the list may not be all of it."""
    expected = pull.changed_files
    if expected is None:
        return "GitHub doesn't say how many files the pull request changes"
    if len(files) >= MOST_LISTED or len(files) < expected:
        total = max(expected, len(files))
        return f"GitHub lists only {len(files):,} of the {total:,} changed files"
    return None


def compared(client: Client, base: str, head: str) -> Found | Miss:
    """What `head` changed since it left the history of `base`."""
    found = _compare(client, base, head)
    if isinstance(found, GitHubTrouble):
        return Miss(reason=found.message)
    if found.files is None:
        return Miss(reason="GitHub's comparison lists no files")
    if len(found.files) >= MOST_COMPARED:
        return Miss(reason=f"GitHub compares no more than {MOST_COMPARED} files")
    return _found(found.files, found.merge_base_commit.sha)


def _compare(client: Client, base: str, head: str) -> _Comparison | GitHubTrouble:
    # All files are on the first page, whatever its size, which counts commits.
    path = f"/compare/{quoted(base)}...{quoted(head)}"
    return client.get(_COMPARISON, path, _COMPARE, per_page=1, page=1)


def _base(client: Client, event: Event, pull: PullRequest) -> str | GitHubTrouble:
    """The first parent of the tested merge commit, else the merge base."""
    if event.tested is not None and event.tested != event.head:
        tested = client.get(_ONE_COMMIT, f"/commits/{quoted(event.tested)}", _COMMIT, per_page=1)
        if isinstance(tested, GitHubTrouble):
            return tested
        parents = [parent.sha for parent in tested.parents]
        if len(parents) == _OF_A_MERGE and parents[1] == event.head:
            return parents[0]
    found = _compare(client, pull.base_sha, pull.head_sha)
    return found if isinstance(found, GitHubTrouble) else found.merge_base_commit.sha


def _found(files: Iterable[_File], base: str) -> Found:
    changed = [_change(one) for one in files if one.status != "unchanged"]
    found = tuple(sorted(changed, key=lambda change: change.path))
    modules = ", ".join(f"`{one.filename}`" for one in files if _SUBMODULE.search(one.patch or ""))
    if modules:
        reason = f"GitHub doesn't say which files of the submodule {modules} changed"
        return Found(changes=Changes(files=found, everything=True, reason=reason), base=base)
    count = counted(len(found), "changed file")
    reason = f"{count} since `{base[:12]}`, as GitHub lists them"
    return Found(changes=Changes(files=found, reason=reason), base=base)


def _change(file: _File) -> Change:
    """A copy is an addition; what isn't known is a modification."""
    status = _STATUSES.get(file.status, Status.MODIFIED)
    if status is Status.RENAMED and file.previous_filename is None:
        status = Status.ADDED
    old = file.previous_filename if status is Status.RENAMED else None
    moved = old is not None and file.changes == 0
    return Change(path=file.filename, status=status, old_path=old, moved=moved)
