"""What changed and a configuration in; the same with the suites and sources that git doesn't watch.

Whether a file changed that git ignores, or that another repository in this one holds, isn't known:
it counts as changed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from mergebar.commands.workspace import Place
from mergebar.edge.git import Git, GitTrouble
from mergebar.model.changes import Change, Changes, Status
from mergebar.model.configuration import Config
from mergebar.reading.sentences import counted
from mergebar.suites import discovery
from mergebar.suites.walking import SKIPPED

_BY_PRODUCTS = frozenset(
    {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".DS_Store", ".hypothesis"}
)
_WILD = frozenset("*?[")
_COMPILED = (".pyc", ".pyo")


def added(changes: Changes, place: Place, config: Config, git: Git) -> Changes:
    """Add what the configuration names and git doesn't watch; by-products of programs don't count.

    For changes up to the files on disk: a checkout in CI has nothing of its own.
    """
    if changes.everything:
        return changes
    names = git.unlisted()
    if isinstance(names, GitTrouble):
        reason = f"can't tell which files git ignores: {names.message}"
        return replace(changes, everything=True, reason=reason)
    loose = frozenset(name for name in names if not is_by_product(name))
    listed = {change.path for change in changes.files}
    found = sorted({*_named(place, config)} - listed if loose else ())
    more = [path for path in found if not is_by_product(path) and is_among(path, loose)]
    if not more:
        return changes
    files = (*changes.files, *(Change(path=path, status=Status.ADDED) for path in more))
    count = counted(len(more), "file")
    return replace(
        changes,
        files=tuple(sorted(files, key=lambda change: change.path)),
        reason=f"{changes.reason}, and {count} that git doesn't watch",
    )


def _named(place: Place, config: Config) -> Iterator[str]:
    """Every file that the configuration names: itself, suites, their sources, their sessions."""
    if config.path is not None:
        yield config.path
    for patterns in _patterns(config):
        for path in discovery.find(place.cwd, patterns):
            yield place.reported(path)


def _patterns(config: Config) -> Iterator[Sequence[str]]:
    yield from (group.paths for group in config.documents)
    for group in config.artifacts:
        yield from filter(None, (group.paths, group.traces))
    sources = (*(one.sources for one in config.agents), *(one.sources for one in config.artifacts))
    for patterns in sources:
        narrow = [pattern for pattern in patterns or () if _is_narrow(pattern)]
        if narrow:
            yield narrow


def _is_narrow(pattern: str) -> bool:
    """A glob over all of the repository means what git watches: logs and keys lie there, too."""
    return bool(pattern.startswith("!") or discovery.start(pattern)) or _WILD.isdisjoint(pattern)


def is_among(path: str, names: frozenset[str]) -> bool:
    """Whether a path is one of them, or lies in one that is a folder and ends with `/`."""
    parents = (f"{parent}/" for parent in PurePosixPath(path).parents)
    return path in names or not names.isdisjoint(parents)


def is_by_product(name: str) -> bool:
    """Whether programs leave it behind, whatever else they are there for."""
    parts = PurePosixPath(name).parts
    skipped = SKIPPED | _BY_PRODUCTS
    return not skipped.isdisjoint(parts) or name.endswith(_COMPILED)
