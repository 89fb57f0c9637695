"""What changed in; whether a suite is affected by it, and the one line that says why, out.

The seam for items: a changed document affects all its cases, until its base version is compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mergebar.model.changes import Changes
from mergebar.model.configuration import AgentConfig, Config
from mergebar.model.text import Json, JsonObject
from mergebar.patterns import GlobSet
from mergebar.planning.placing import joined, relative

_REPLAY = "replay"
_RECORDINGS = ".mergebar/recordings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Whether a suite is affected, and why."""

    affected: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far the changes reach. `agents` holds a half-sentence for each agent that changed.

    `recordings` are the folders with recorded answers, by agent, and `verdicts` the judge's.
    """

    changes: Changes
    paths: frozenset[str]
    config: str | None
    agents: Mapping[str, str]
    recordings: Mapping[str, str]
    verdicts: str | None


def reach(changes: Changes, *, config: Config, prefix: str) -> Reach:
    """Find out once, for all suites, which agents the changes touch."""
    paths = tuple(_paths(changes))
    causes = {
        agent.name: cause
        for agent in config.agents
        if (cause := _cause(agent, paths, prefix=prefix)) is not None
    }
    return Reach(
        changes=changes,
        paths=frozenset(paths),
        config=config.path,
        agents=causes,
        recordings={
            agent.name: joined(prefix, folder)
            for agent in config.agents
            if agent.type == _REPLAY and (folder := _text(agent.options, "recordings"))
        },
        verdicts=_verdicts(config, prefix=prefix),
    )


def explain(path: str, *, agent: str | None, judged: bool, reach: Reach) -> Effect:
    """Say whether the suite at `path` is affected, and why or why not."""
    cause = _reason(path, agent=agent, judged=judged, reach=reach)
    if cause is not None:
        return Effect(affected=True, reason=f"affected: {cause}")
    if agent is None:
        return Effect(affected=False, reason=f"not affected: `{path}` didn't change")
    return Effect(
        affected=False,
        reason=f"not affected: neither `{path}` nor a source of `{agent}` changed",
    )


def _reason(path: str, *, agent: str | None, judged: bool, reach: Reach) -> str | None:
    if reach.changes.everything:
        return reach.changes.reason or "everything was asked for"
    if path in reach.paths:
        return f"`{path}` changed"
    if agent is not None and agent in reach.agents:
        return reach.agents[agent]
    recording = _recording(path, agent=agent, judged=judged, reach=reach)
    if recording is not None:
        return f"`{recording}` holds what was recorded for it"
    if reach.config in reach.paths and (agent is not None or judged):
        return f"`{reach.config}` changed, and it configures what measures this suite"
    return None


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
    """What the arguments would be as files of the repository, also behind `--option=`."""
    cwd = _text(agent.options, "cwd") or "."
    for argument in _texts(agent.options.get("command")):
        name = argument.rpartition("=")[2]
        if name:
            yield joined(prefix, cwd, name)


def _cwd(agent: AgentConfig, *, prefix: str) -> str | None:
    """The agent's folder in the repository; `None` for the working directory itself."""
    named = _text(agent.options, "cwd")
    folder = joined(prefix, named or ".")
    return None if folder in {".", joined(prefix, ".")} else folder


def _recording(path: str, *, agent: str | None, judged: bool, reach: Reach) -> str | None:
    folders = [folder for name, folder in reach.recordings.items() if name == agent]
    if judged and reach.verdicts is not None:
        folders.append(reach.verdicts)
    files = (joined(folder, path + ".json") for folder in folders)
    return next((file for file in files if file in reach.paths), None)


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
