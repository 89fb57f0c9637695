"""A configuration in; the agents with which its base can't be run beside the head out."""

from collections.abc import Iterator

from mergebar.model.configuration import BaselineSource, Config
from mergebar.model.problems import Level, Problem
from mergebar.reading.sentences import quoted

_LOCAL = frozenset({"command", "replay"})


def of(config: Config) -> tuple[Problem, ...]:
    """Empty where the base isn't to be run, or can be."""
    return tuple(_remote(config)) if config.baseline.source is BaselineSource.RUN else ()


def _remote(config: Config) -> Iterator[Problem]:
    """Agents that are the same one for base and head: they are measured as they are deployed."""
    used = {group.agent for group in config.documents}
    for agent in config.agents:
        if agent.name in used and agent.type not in _LOCAL:
            yield Problem(
                level=Level.ERROR,
                rule="config/baseline",
                message=(
                    f"`baseline.source: run` can't measure the base with agent "
                    f"{quoted(agent.name)}, which isn't in this repository: use another source"
                ),
                path=agent.location.path,
                line=agent.location.line,
                column=agent.location.column,
            )
