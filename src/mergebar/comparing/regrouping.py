"""The suites and two configurations in; what suites that changed their group are held to less, out.

Which group a suite falls into depends on its path and on the globs of all groups, so whoever moves
the one or rewrites the others changes what holds for it, without an edit of any value.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from mergebar.comparing import scoping
from mergebar.comparing.loosening import Way
from mergebar.comparing.loosening import loosened as entry
from mergebar.comparing.wording import number
from mergebar.model.comparisons import Loosened, Loosening
from mergebar.model.configuration import ArtifactGroup, Config, DocumentGroup, Stale
from mergebar.patterns import GlobSet

_SHOWN = 3
_AGENT = "agent"

_Group = TypeVar("_Group", DocumentGroup, ArtifactGroup)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suites:
    """`was` has, by its path, where each suite was in the base; globs are relative to `prefix`."""

    was: Mapping[str, str]
    prefix: str = ""


def loosened(base: Config, head: Config, suites: Suites) -> Iterator[Loosened]:
    """One entry for each way, however many suites went it together."""

    def documents(old: DocumentGroup, new: DocumentGroup) -> Iterator[Way]:
        yield from _document(old, new)
        switched = scoping.another_agent(old.agent, new.agent, base=base, head=head)
        if switched is not None:
            was, now = switched
            yield Way(kind=Loosening.POLICY, what=_AGENT, was=was, now=now)

    yield from _compared(
        _Places(base.documents, suites.prefix),
        _Places(head.documents, suites.prefix),
        suites,
        documents,
    )
    yield from _compared(
        _Places(base.artifacts, suites.prefix),
        _Places(head.artifacts, suites.prefix),
        suites,
        _artifact,
    )


class _Places(Generic[_Group]):
    """The groups of one kind, and which of them a path falls into."""

    __slots__ = ("_globs", "_groups", "_prefix")

    def __init__(self, groups: Sequence[_Group], prefix: str) -> None:
        self._groups: list[_Group] = [group for group in groups if not group.implied]
        self._globs = [GlobSet(group.paths) for group in self._groups]
        self._prefix = f"{prefix}/" if prefix else ""

    def find(self, path: str) -> _Group | None:
        if not path.startswith(self._prefix):
            return None
        local = path.removeprefix(self._prefix)
        found = zip(self._groups, self._globs, strict=True)
        return next((group for group, globs in found if globs.matches(local)), None)


def _compared(
    before: _Places[_Group],
    after: _Places[_Group],
    suites: Suites,
    ways: Callable[[_Group, _Group], Iterable[Way]],
) -> Iterator[Loosened]:
    """A group that selects what it did is compared as a whole, elsewhere."""
    found: defaultdict[Way, list[str]] = defaultdict(list)
    for path, was in sorted(suites.was.items()):
        old, new = before.find(was), after.find(path)
        if old is not None and new is not None and old.paths != new.paths:
            for way in ways(old, new):
                found[way].append(path)
    for way, paths in found.items():
        what = f"{_of(way.what)} of {_named(paths)}"
        suite = paths[0] if len(paths) == 1 else None
        yield entry(replace(way, what=what), suite=suite, touched=())


def _document(old: DocumentGroup, new: DocumentGroup) -> Iterator[Way]:
    floor = old.min_pass_rate
    if new.min_pass_rate is not None and (floor is None or new.min_pass_rate < floor):
        was = "each check blocks" if floor is None else f"rated at {number(floor)}"
        now = f"rated at {number(new.min_pass_rate)}"
        yield Way(kind=Loosening.POLICY, what="min_pass_rate", was=was, now=now)
    if new.runs < old.runs:
        yield Way(kind=Loosening.RUNS, what="runs", was=str(old.runs), now=str(new.runs))


def _artifact(old: ArtifactGroup, new: ArtifactGroup) -> Iterator[Way]:
    if (old.stale, new.stale) == (Stale.BLOCK, Stale.WARN):
        was, now = old.stale.value, new.stale.value
        yield Way(kind=Loosening.POLICY, what="stale", was=was, now=now)


def _of(key: str) -> str:
    return key if key == _AGENT else f"`{key}`"


def _named(paths: Sequence[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:_SHOWN])
    more = len(paths) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
