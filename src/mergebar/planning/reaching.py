"""What changed in; how far that reaches, found out once for all suites, out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from mergebar.model.changes import Changes, Status
from mergebar.model.configuration import AgentConfig, Config
from mergebar.model.text import Json, JsonObject
from mergebar.patterns import GlobSet
from mergebar.planning import named_files, settings
from mergebar.planning.earlier import UNKNOWN, Earlier
from mergebar.planning.placing import joined, relative
from mergebar.planning.settings import UNCHANGED, Settings

_REPLAY = "replay"
_RECORDINGS = ".mergebar/recordings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far the changes reach. `agents` holds a clause for each agent that changed.

    `folders` are all in which a path changed, however deep.
    `recordings` are the folders with recorded answers, by agent, and `verdicts` the judge's.
    `settings` is what an edit of the configuration changes; `renames` lead from new paths to old.
    """

    changes: Changes
    paths: frozenset[str]
    folders: frozenset[str]
    config: str | None
    agents: Mapping[str, str]
    recordings: Mapping[str, str]
    verdicts: str | None
    earlier: Earlier = UNKNOWN
    settings: Settings = UNCHANGED
    renames: Mapping[str, str] = field(default_factory=dict)

    def was(self, path: str) -> str:
        """What a file was called."""
        return self.renames.get(path, path)


def reach(changes: Changes, *, config: Config, prefix: str, earlier: Earlier = UNKNOWN) -> Reach:
    """Find out once, for all suites, which agents the changes touch."""
    paths = tuple(_paths(changes))
    causes = {
        agent.name: cause
        for agent in config.agents
        if (cause := _cause(agent, paths, prefix=prefix)) is not None
    }
    edited = settings.UNCHANGED
    if config.path in paths:
        edited = settings.compare(config, earlier.config, prefix=prefix)
    return Reach(
        changes=changes,
        paths=frozenset(paths),
        folders=frozenset(str(each) for path in paths for each in PurePosixPath(path).parents),
        config=config.path,
        agents={**edited.agents, **causes},
        recordings={
            agent.name: joined(prefix, folder)
            for agent in config.agents
            if agent.type == _REPLAY and (folder := _text(agent.options, "recordings"))
        },
        verdicts=_verdicts(config, prefix=prefix),
        earlier=earlier,
        settings=edited,
        renames={
            change.path: change.old_path
            for change in changes.files
            if change.status is Status.RENAMED and change.old_path is not None
        },
    )


def _paths(changes: Changes) -> Iterator[str]:
    for change in changes.files:
        yield change.path
        if change.old_path is not None:
            yield change.old_path


def _cause(agent: AgentConfig, paths: Sequence[str], *, prefix: str) -> str | None:
    sources = GlobSet(agent.sources or ())
    own = frozenset(_in_argv(agent, prefix=prefix))
    cwd = _cwd(agent, prefix=prefix)
    for path in paths:
        local = relative(path, prefix=prefix)
        if local is not None and sources.matches(local):
            return f"`{path}` is a source of agent `{agent.name}`"
        if path in own:
            return f"`{path}` is in the command of agent `{agent.name}`"
        if cwd is not None and path.startswith(cwd + "/"):
            return f"`{path}` is in the folder where agent `{agent.name}` runs"
    return None


def _in_argv(agent: AgentConfig, *, prefix: str) -> Iterator[str]:
    """What the arguments would be as files of the repository."""
    cwd = _text(agent.options, "cwd") or "."
    for name in named_files.find(_texts(agent.options.get("command"))):
        yield joined(prefix, cwd, name)


def _cwd(agent: AgentConfig, *, prefix: str) -> str | None:
    """The agent's folder in the repository; `None` for the working directory itself."""
    named = _text(agent.options, "cwd")
    folder = joined(prefix, named or ".")
    return None if folder in {".", joined(prefix, ".")} else folder


def _verdicts(config: Config, *, prefix: str) -> str | None:
    judge = config.judge
    if judge is None or judge.type != _REPLAY:
        return None
    return joined(prefix, _text(judge.options, "recordings") or _RECORDINGS)


def _text(options: JsonObject, key: str) -> str | None:
    value = options.get(key)
    return value if isinstance(value, str) else None


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
