"""Which group a document belongs to, which agent that names, and whether it was asked for."""

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mergebar.model.configuration import AgentConfig, Config, DocumentGroup
from mergebar.model.documents import Case, Document
from mergebar.model.problems import Level, Problem
from mergebar.patterns import GlobSet
from mergebar.planning.options import PlanOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a document belongs. `group` is an index into the config's groups.

    A named agent that the configuration doesn't have is `None` too: `config` reports that.
    """

    group: int | None
    settings: DocumentGroup | None
    agent: AgentConfig | None
    problems: tuple[Problem, ...] = ()


def relative(path: str, *, prefix: str) -> str | None:
    """A repository-relative path as the globs see it; `None` outside the working directory."""
    if not prefix:
        return path
    folder = prefix + "/"
    return path.removeprefix(folder) if path.startswith(folder) else None


def joined(*parts: str) -> str:
    """Folders and a name as one repository-relative path; starts with `..` where it leads out."""
    return posixpath.normpath(posixpath.join(*parts))


class Placing:
    """Puts documents into groups; the globs of a configuration are compiled once."""

    __slots__ = ("_agents", "_globs", "_groups", "_prefix")

    def __init__(self, config: Config, *, prefix: str) -> None:
        self._agents = {agent.name: agent for agent in config.agents}
        self._groups = config.documents
        self._globs = tuple(GlobSet(group.paths) for group in config.documents)
        self._prefix = prefix

    def place(self, document: Document) -> Placement:
        """The first group that matches; a second one is a problem of the document."""
        return self.find(document.path)

    def find(self, path: str) -> Placement:
        """The same by the path alone."""
        local = relative(path, prefix=self._prefix)
        matching = [
            index
            for index, globs in enumerate(self._globs)
            if local is not None and globs.matches(local)
        ]
        if not matching:
            return Placement(group=None, settings=None, agent=None)
        settings = self._groups[matching[0]]
        return Placement(
            group=matching[0],
            settings=settings,
            agent=self._agents.get(settings.agent) if settings.agent else None,
            problems=self._two_groups(path, matching),
        )

    def _two_groups(self, path: str, matching: Sequence[int]) -> tuple[Problem, ...]:
        if len(matching) == 1:
            return ()
        entries = " and ".join(f"number {index + 1}" for index in matching)
        message = (
            f"`{path}` is in more than one entry of `documents` ({entries}), and a suite "
            "belongs to one: narrow the `paths` of the others, for instance with a `!` pattern"
        )
        return (Problem(level=Level.ERROR, rule="config/two-groups", message=message, path=path),)


def refusal(document: Document, placement: Placement, *, options: PlanOptions) -> str | None:
    """Why the command line leaves this suite out; `None` where it doesn't."""
    if options.only and not any(covers(named, document.path) for named in options.only):
        return "not selected: it is not among the paths that were asked for"
    agent = placement.agent.name if placement.agent else None
    if options.agent is not None and agent != options.agent:
        own = f"its agent is `{agent}`" if agent else "it has no agent"
        return f"not selected: {own}, and only suites of `{options.agent}` were asked for"
    if document.cases and not selected(document.cases, tags=options.tags):
        named = " or ".join(f"`{tag}`" for tag in options.tags)
        return f"not selected: none of its cases is tagged {named}"
    return None


def selected(cases: Iterable[Case], *, tags: Sequence[str]) -> tuple[Case, ...]:
    """The cases of which a turn carries one of the tags; all of them without tags."""
    wanted = set(tags)
    return tuple(
        case
        for case in cases
        if not wanted or any(not wanted.isdisjoint(turn.tags) for turn in case.turns)
    )


def covers(named: str, path: str) -> bool:
    """Whether a path is the file that was named, or lies in the folder that was."""
    folder = named.rstrip("/")
    return folder in {"", ".", path} or path.startswith(folder + "/")
