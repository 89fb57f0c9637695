"""The agents' `sources` in; those globs that select no file, and so would never notice a change."""

from collections.abc import Iterator

from mergebar.commands.workspace import Place
from mergebar.model.changes import Changes
from mergebar.model.configuration import AgentConfig, Config
from mergebar.model.problems import Level, Problem
from mergebar.patterns import GlobSet
from mergebar.reading.sentences import quoted
from mergebar.suites import discovery, groups


def unmatched(config: Config, place: Place, changes: Changes | None = None) -> tuple[Problem, ...]:
    """A glob with a typo makes every change of what it means a change that affects nothing.

    What this very change deletes or moves away still counts: its suites are affected. A warning,
    because a folder that is still empty is no mistake; `check --strict` refuses it.
    """
    known = list(_before(changes, place.prefix))
    return tuple(
        _problem(agent, pattern)
        for agent in config.agents
        for pattern in _positive(agent)
        if not _selects(pattern, place, known)
    )


def _before(changes: Changes | None, prefix: str) -> Iterator[str]:
    """The changed paths, old and new, as the globs see them."""
    folder = f"{prefix}/" if prefix else ""
    for change in changes.files if changes else ():
        for path in (change.path, change.old_path):
            if path is not None and path.startswith(folder):
                yield path.removeprefix(folder)


def _positive(agent: AgentConfig) -> Iterator[str]:
    yield from (pattern for pattern in agent.sources or () if not pattern.startswith("!"))


def _selects(pattern: str, place: Place, before: list[str]) -> bool:
    glob = GlobSet((pattern,))
    return any(glob.matches(path) for path in before) or bool(discovery.find(place.cwd, (pattern,)))


def _problem(agent: AgentConfig, pattern: str) -> Problem:
    message = (
        f"{quoted(pattern)}, a source of agent {quoted(agent.name)}, matches no file, so no change "
        "would ever affect its suites through it: correct it, or remove it"
    )
    key = f"agents.{agent.name}.sources"
    at = groups.glob_place(pattern, agent.sources or (), key=key, of=agent)
    return Problem(
        level=Level.WARNING,
        rule="config/no-match",
        message=message,
        path=at.path,
        line=at.line,
        column=at.column,
    )
