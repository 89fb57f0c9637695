"""A configuration in; a warning for each artifact with evals that no group has out."""

from collections.abc import Iterator

from mergebar import plugins
from mergebar.commands.watching import uncovered
from mergebar.commands.workspace import Place
from mergebar.model.configuration import Config
from mergebar.model.problems import Problem
from mergebar.suites import artifact_hints, artifacts
from mergebar.suites.artifacts import discovery


def find(place: Place, config: Config, members: frozenset[str]) -> Iterator[Problem]:
    """Those where hosts look for artifacts. `members` are what groups have."""
    if config.path is None or not artifact_hints.may_hold(place.top, place.prefix or "."):
        return
    prefix = f"{place.prefix}/" if place.prefix else ""
    found = discovery.find(place.top, folder=place.prefix).paths
    others = (path.removeprefix(prefix) for path in found if path not in members)
    paths = [prefix + path for path in uncovered.left(place, config, others)]
    survey = artifacts.survey(
        place.top,
        paths,
        folder=place.prefix,
        explain=plugins.explain,
        installed=plugins.graders_installed,
    )
    for one in survey.artifacts:
        if one.is_suite:
            yield uncovered.artifact(one.path)
