"""What GitHub can tell where the checkout can't: changed files, and files of the base."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from mergebar.commands.bases.policies import Unread
from mergebar.edge.changes import Strategy
from mergebar.edge.events import Event
from mergebar.edge.git import Git, GitTrouble
from mergebar.edge.github.lookups import Baseline, NoBaseline, Wanted
from mergebar.model.publishing import GitHubTrouble, TroubleKind

Read: TypeAlias = Callable[[str, str], "bytes | GitHubTrouble"]
"""A repository-relative path and a commit in, the file's bytes out."""


class Baselines(Protocol):
    """Looks for the report of a branch; `fault` says what is wrong with one, or ''."""

    def __call__(
        self, wanted: Wanted, *, fault: Callable[[Baseline], str]
    ) -> Baseline | NoBaseline | GitHubTrouble: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """`changed` are asked before git, `read` after it; empty where there is no connection.

    `strategies` are the ways to find out what another event changed.
    """

    changed: tuple[Strategy, ...] = ()
    read: Read | None = None
    baseline: Baselines | None = None
    strategies: Callable[[Event], tuple[Strategy, ...]] | None = None


NOWHERE = Remote()
"""No connection."""


def base_file(git: Git, remote: Remote, commit: str, path: str) -> bytes | Unread | None:
    """A file as of a commit: from git, else from GitHub; `None` where the commit has none."""
    found = git.file_at(commit, path)
    if not isinstance(found, GitTrouble):
        return found
    if remote.read is None:
        return Unread(reason=found.message)
    there = remote.read(path, commit)
    if not isinstance(there, GitHubTrouble):
        return there
    if there.kind is TroubleKind.NOT_FOUND:
        return None
    return Unread(reason=f"{found.message}; {there.message}")
