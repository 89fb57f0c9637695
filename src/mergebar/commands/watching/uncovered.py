"""A configuration and what changed in; a warning for each eval document that no group has out.

A gate would pass over them, and stay green.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from mergebar import config as configuration
from mergebar.commands.workspace import Place
from mergebar.model.configuration import Config
from mergebar.model.problems import Level, Problem
from mergebar.patterns import GlobSet
from mergebar.suites import discovery

_USUAL = ("/evals/**/*.json", "/.evals/**/*.json", "/prompts.json", "/evals.json", "/tests.json")
_REPORTS = ("mergebar-report",)
_SNIFFED = 256 * 1024


def documents(
    place: Place, config: Config, members: Iterable[str], changed: Iterable[str] = ()
) -> Iterator[Problem]:
    """Those at usual places, beside a document that a group names, and among `changed`.

    `members` are what groups have. What a group takes back by `!` was left out on purpose.
    """
    if config.path is None:
        return
    mine = (path for path in map(PurePosixPath, changed) if path.suffix == ".json")
    local = {str(path) for path in _inside(place, mine)}
    patterns = tuple({*_USUAL, *_beside(config)})
    found = local | {*discovery.find(place.cwd, patterns, skip=_REPORTS)}
    have = frozenset(members)
    candidates = (path for path in sorted(found) if place.reported(path) not in have)
    for path in left(place, config, candidates):
        if _is_document(place.cwd / path):
            yield _problem("document", "this eval document", "documents", place.reported(path))


def left(place: Place, config: Config, paths: Iterable[str]) -> Iterator[str]:
    """Without what a group takes back, and what has a configuration nearer to it."""
    patterns = [one for group in config.documents for one in group.paths]
    patterns += [one for group in config.artifacts for one in group.paths]
    back = GlobSet(one[1:] for one in patterns if one.startswith("!"))
    for path in paths:
        parents = PurePosixPath(path).parents
        inner = (place.cwd / parent for parent in parents if parent.name)
        if not back.matches(path) and all(configuration.locate(one) is None for one in inner):
            yield path


def artifact(path: str) -> Problem:
    """The same for an artifact that declares evals."""
    return _problem("artifact", "this artifact declares evals, and", "artifacts", path)


def _problem(kind: str, what: str, section: str, path: str) -> Problem:
    verb = (
        "nothing measures them" if kind == "artifact" else "is in no group, so nothing measures it"
    )
    more = ", with `traces` or `sessions`" if kind == "artifact" else ""
    return Problem(
        level=Level.WARNING,
        rule=f"{kind}/not-configured",
        message=(
            f"{what} {verb}: name it under `{section}` in `mergebar.yml`{more}, or leave it out on "
            "purpose, with a `!` before its name"
        ),
        path=path,
    )


def _inside(place: Place, paths: Iterable[PurePosixPath]) -> Iterator[PurePosixPath]:
    """The paths of the repository that lie in the working directory, relative to it."""
    for path in paths:
        if path.is_relative_to(place.prefix or "."):
            yield path.relative_to(place.prefix or ".")


def _beside(config: Config) -> Iterator[str]:
    """What lies in the folder of a document that is named without wildcards."""
    for group in config.documents:
        for pattern in group.paths:
            folder, _, name = pattern.lstrip("/").rpartition("/")
            if folder and not pattern.startswith("!") and discovery.start(pattern).endswith(name):
                yield f"/{folder}/*.json"


def _is_document(path: Path) -> bool:
    """What is empty is nothing yet."""
    try:
        with path.open("rb") as file:
            start = file.read(_SNIFFED)
    except OSError:
        return False
    return bool(start.strip()) and discovery.starts_like_document(start)
