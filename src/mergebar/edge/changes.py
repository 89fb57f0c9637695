"""The event, git and what was asked for in; what changed since which commit out.

What can't be known is everything, with the reason. Only a base that a person named and that
doesn't exist is a problem.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from mergebar.edge import listing, overlooked
from mergebar.edge.events import Event, EventScope
from mergebar.edge.git import Git, GitTrouble
from mergebar.edge.raw_diff import Diff
from mergebar.model.changes import Change, Changes, Scope
from mergebar.model.problems import Level, Problem
from mergebar.reading.sentences import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the command line or the inputs ask for.

    `changed` are repository-relative paths, `None` when
    not given; `base` a revision; `baseline` the commit that a found baseline was made at.
    """

    scope: Scope = Scope.AUTO
    changed: tuple[str, ...] | None = None
    base: str | None = None
    baseline: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What changed, and the commit it is compared with; `None` where no commit is known."""

    changes: Changes
    base: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """Why a way of finding out doesn't work here."""

    reason: str


_NO_BASE = "no `--base` was given to compare with"
_REPLACED = "\N{REPLACEMENT CHARACTER}"
_GARBLED = "a changed file has a name that isn't UTF-8"
_OF_A_MERGE = 2  # parents

Strategy = Callable[[], Found | Miss]


def find(
    event: Event, git: Git, request: Request, *, preferred: Sequence[Strategy] = ()
) -> Found | Problem:
    """What changed for this run; `preferred` are what GitHub can tell.

    It is asked before git for a pull request or a queue, and after it for a push, whose checkout
    may lack the commit to compare with. `base` is also told where everything is affected anyway,
    if a commit is known.
    """
    if event.over:
        return Found(changes=Changes(reason=event.over))
    named = _named_base(event, git, request)
    if isinstance(named, Problem):
        return named
    found = _first(_strategies(event, git, request, named=named, preferred=preferred))
    base = found.base or event.base
    known = found.changes
    if request.changed is not None:
        listed = listing.read(git, request.changed, base=base)
        if isinstance(listed, Problem):
            return listed
        known = listed
    whole = _whole(event, request, base=base)
    if whole is not None:
        return Found(changes=_everything(whole, files=known.files), base=base)
    return Found(changes=known, base=base)


def _whole(event: Event, request: Request, *, base: str | None) -> str | None:
    """Why all suites run, whatever changed; `None` where that isn't asked for.

    What changed is told all the same: renames, edited evidence and stale sessions depend on it.
    """
    if request.scope is Scope.ALL:
        return "all suites were asked for"
    if request.changed is not None or event.scope is EventScope.AFFECTED:
        return None
    return None if request.scope is Scope.AFFECTED and base else f"`{event.name}` runs all suites"


def since(
    commit: str, git: Git, event: Event, *, fallback: Sequence[Strategy] = ()
) -> Found | Miss:
    """Everything that differs from a commit, whoever changed it: two trees, and no merge base.

    `fallback` is asked where this checkout doesn't have the commit. It compares with a merge base,
    which has to be the commit itself.
    """
    answer = _from_tree(commit, git, event)
    for strategy in fallback if isinstance(answer, Miss) else ():
        there = strategy()
        if isinstance(there, Found) and there.base == commit:
            return there
    return answer


def _from_tree(commit: str, git: Git, event: Event) -> Found | Miss:
    head = git.head()
    if isinstance(head, GitTrouble):
        return Miss(reason=head.message)
    start = git.resolve(commit)
    if isinstance(start, GitTrouble):
        return Miss(reason=_depth(event, git, head) or start.message)
    diff = overlooked.diff_to_files(git, start) if event.name is None else git.diff(start, head)
    return _found(diff, base=start)


def _named_base(event: Event, git: Git, request: Request) -> str | Problem | None:
    """The commit that a person named; the event's own comes first inside GitHub Actions."""
    if request.base is None or event.base is not None:
        return None
    found = git.resolve(request.base)
    if isinstance(found, GitTrouble):
        remote = git.resolve(f"origin/{request.base}")
        found = found if isinstance(remote, GitTrouble) else remote
    if isinstance(found, GitTrouble):
        head = git.head()
        depth = "" if isinstance(head, GitTrouble) else _depth(event, git, head)
        reason = "; ".join(filter(None, [found.message, depth]))
        return Problem(
            level=Level.ERROR,
            rule="config/base",
            message=f"can't compare with the base `{request.base}`: {reason}",
        )
    return found


def _strategies(
    event: Event, git: Git, request: Request, *, named: str | None, preferred: Sequence[Strategy]
) -> tuple[Strategy, ...]:
    """Ways of finding out, best first."""
    if event.name is None:
        return (partial(_on_disk, git, named) if named else partial(Miss, reason=_NO_BASE),)
    if event.pull_request is not None:
        return (*preferred, partial(_merge_commit, event, git), partial(_since_base, event, git))
    if request.baseline is not None:
        return (partial(_git_first, partial(_since, event, git, request.baseline), preferred),)
    if event.all_without_baseline and request.scope is not Scope.AFFECTED:
        return (partial(Miss, reason="there is no baseline yet"),)
    return _without_baseline(event, git, named=named, preferred=preferred)


def _without_baseline(
    event: Event, git: Git, *, named: str | None, preferred: Sequence[Strategy]
) -> tuple[Strategy, ...]:
    ways: list[Strategy] = [*preferred] if event.name == "merge_group" else []
    if event.baseline_branch and event.base_branch not in {None, event.baseline_branch}:
        # A push to a branch: everything on it counts, not only what was pushed last.
        left = partial(_since, event, git, f"origin/{event.base_branch}")
        ways.append(partial(_git_first, left, preferred))
    if event.base is not None:
        ways.append(partial(_since_base, event, git))
    if named is not None:
        ways.append(partial(_since, event, git, named))
    return tuple(ways) or (partial(Miss, reason=f"the event `{event.name}` names no base"),)


def _git_first(git: Strategy, others: Sequence[Strategy]) -> Found | Miss:
    """What git says; where it can't tell and nobody else can, why git couldn't."""
    answer = git()
    for other in others if isinstance(answer, Miss) else ():
        there = other()
        if isinstance(there, Found):
            return there
    return answer


def _first(strategies: Sequence[Strategy]) -> Found:
    """The first answer; else everything, for the reason that the last one gave."""
    reason = ""
    for strategy in strategies:
        answer = strategy()
        if isinstance(answer, Found) and not _is_garbled(answer):
            return answer
        reason = _GARBLED if isinstance(answer, Found) else answer.reason
    why = reason if reason == _NO_BASE else f"can't tell what changed: {reason}"
    return Found(changes=_everything(why))


def _is_garbled(found: Found) -> bool:
    """Whether a name was decoded with loss: it is no longer the file's."""
    names = (name for change in found.changes.files for name in (change.path, change.old_path))
    return any(_REPLACED in name for name in names if name is not None)


def _merge_commit(event: Event, git: Git) -> Found | Miss:
    """The first parent of a pull request's merge commit is the base that was tested with."""
    head = git.head()
    if isinstance(head, GitTrouble):
        return Miss(reason=head.message)
    parents = git.parents(head)
    if isinstance(parents, GitTrouble):
        return Miss(reason=parents.message)
    # A pull request's own last commit may be a merge too, and then its first parent is no base.
    if len(parents) != _OF_A_MERGE or head == event.head:
        return Miss(reason="the checkout is not the pull request's merge commit")
    if head == event.tested or parents[1] == event.head:
        return _found(git.diff(parents[0], head), base=parents[0])
    return Miss(reason="the checkout is not the pull request's merge commit")


def _since_base(event: Event, git: Git) -> Found | Miss:
    """From the merge base with the commit that the event names, or with its branch."""
    answer: Found | Miss = Miss(reason=f"the event `{event.name}` names no base commit")
    for base in (event.base, event.base_branch and f"origin/{event.base_branch}"):
        if base:
            answer = _since(event, git, base)
            if isinstance(answer, Found):
                return answer
    return answer


def _since(event: Event, git: Git, revision: str) -> Found | Miss:
    ends = _ends(event, git, revision)
    return ends if isinstance(ends, Miss) else _found(git.diff(*ends), base=ends[0])


def _on_disk(git: Git, revision: str) -> Found | Miss:
    """From the merge base to the files as they are, so that it holds before committing too."""
    ends = _ends(None, git, revision)
    return (
        ends
        if isinstance(ends, Miss)
        else _found(overlooked.diff_to_files(git, ends[0]), base=ends[0])
    )


def _ends(event: Event | None, git: Git, revision: str) -> tuple[str, str] | Miss:
    """The merge base of a revision and the checked-out commit, and that commit."""
    head = git.head()
    if isinstance(head, GitTrouble):
        return Miss(reason=head.message)
    other = git.resolve(revision)
    if isinstance(other, GitTrouble):
        return Miss(reason=_depth(event, git, head) or other.message)
    base = git.merge_base(other, head)
    if isinstance(base, GitTrouble):
        return Miss(reason=base.message)
    if base is None:
        apart = f"`{revision}` and this checkout have no common commit"
        return Miss(reason=_depth(event, git, head) or apart)
    return base, head


def _depth(event: Event | None, git: Git, head: str) -> str:
    """What to do about a shallow checkout; empty if it isn't one."""
    if git.is_shallow() is not True:
        return ""
    depth = "has depth 1" if git.parents(head) == () else "is shallow"
    if event is None or event.name is None:
        return f"the checkout {depth}; get the rest with `git fetch --unshallow`"
    # The merge commit of a pull request knows its base: one more commit is enough.
    merged = event.pull_request is not None and head == event.tested != event.head
    return f"the checkout {depth}; set `fetch-depth: {2 if merged else 0}` on actions/checkout"


def _found(diff: Diff | GitTrouble, *, base: str) -> Found | Miss:
    if isinstance(diff, GitTrouble):
        return Miss(reason=diff.message)
    if diff.submodules:
        named = ", ".join(f"`{path}`" for path in diff.submodules)
        reason = f"git doesn't say which files of the submodule {named} changed"
        return Found(changes=_everything(reason, files=diff.files), base=base)
    reason = f"{counted(len(diff.files), 'changed file')} since `{base[:12]}`"
    return Found(changes=Changes(files=diff.files, reason=reason), base=base)


def _everything(reason: str, *, files: tuple[Change, ...] = ()) -> Changes:
    return Changes(files=files, everything=True, reason=reason)
