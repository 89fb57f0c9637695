"""A working directory in, the configuration's path out, and what only looks like one."""

import os
from pathlib import Path

from mergebar import identity
from mergebar.config import artifact_groups, building
from mergebar.model.configuration import Config
from mergebar.model.problems import Level, Location, Problem

PLACES = ("mergebar.yml", ".github/mergebar.yml")
_MISTAKEN = ("mergebar.yaml", ".mergebar.yml", ".mergebar.yaml", "mergebar.json", "mergebar.toml")
_FOLDERS = ("", ".github/")


def locate(root: Path) -> str | None:
    """The configuration below `root`: the first of `PLACES` that is there, whatever it is."""
    return next((place for place in PLACES if _is_there(root, place)), None)


def overlooked(root: Path, *, named: str | None = None) -> tuple[Problem, ...]:
    """Files that somebody may believe to be the configuration; errors where there is none.

    `named` is the configuration that was asked for by name, relative to `root`, if one was.
    """
    found = named or locate(root)
    level = Level.ERROR if found is None else Level.WARNING
    mistaken = [folder + name for folder in _FOLDERS for name in _MISTAKEN]
    problems = [
        Problem(
            level=level,
            rule="config/misnamed",
            message=f"`{path}` isn't read: the configuration is called `mergebar.yml`; rename it",
            path=path,
        )
        for path in mistaken
        if path != found and _is_there(root, path)
    ]
    if found == PLACES[0] and _is_there(root, PLACES[1]):
        problems.append(_second(PLACES[1], first=found))
    return tuple(problems)


def default() -> Config:
    """The configuration of a repository that has none: the usual places, no agent, no judge."""
    nowhere = Location(path=PLACES[0])
    return Config(
        path=None,
        digest=identity.digest({}),
        documents=(building.default_group(agent=None, location=nowhere),),
        artifacts=(artifact_groups.implied(nowhere),),
    )


def _second(path: str, *, first: str) -> Problem:
    message = f"`{path}` isn't read, because `{first}` goes before it: remove one of the two"
    return Problem(level=Level.WARNING, rule="config/second", message=message, path=path)


def _is_there(root: Path, path: str) -> bool:
    # Also a broken link or a folder: reading it says what is wrong, and passing over it nothing.
    return os.path.lexists(root / path)
