"""An agent's entry and the working directory in; the files that the agent is made of out."""

import os
from collections.abc import Iterator
from pathlib import Path

from mergebar.model.configuration import AgentConfig
from mergebar.planning import named_files
from mergebar.suites import discovery

_EVERYTHING = ("**",)


def find(agent: AgentConfig, root: Path) -> tuple[str, ...]:
    """Paths relative to the working directory, sorted: its sources, and what its entry names.

    Its folder counts whole where that is not the working directory itself.
    """
    options = agent.options
    cwd = os.path.normpath(str(options.get("cwd") or "."))
    found = set(discovery.find(root, agent.sources)) if agent.sources else set()
    found |= {name for name in _named(agent, cwd) if os.path.isfile(root / name)}  # noqa: PTH113 - of any words
    if cwd != "." and (root / cwd).is_dir():
        found |= {
            os.path.normpath(f"{cwd}/{name}") for name in discovery.find(root / cwd, _EVERYTHING)
        }
    return tuple(sorted(found))


def _named(agent: AgentConfig, cwd: str) -> Iterator[str]:
    """Its `system` file, and what its arguments would be as files."""
    system, command = agent.options.get("system"), agent.options.get("command")
    if isinstance(system, str) and system:
        yield os.path.normpath(system)
    for name in named_files.find(map(str, command if isinstance(command, list) else ())):
        yield os.path.normpath(f"{cwd}/{name}")
