"""Agents, judges and plans in; digests of all that their answers depend on out.

No secret is in what is digested: a new key is no new judge.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mergebar import __version__, identity, plugins, recordings
from mergebar.commands.reaching import agent_files
from mergebar.commands.reaching.references import References
from mergebar.commands.workspace import Place
from mergebar.edge import file_digests
from mergebar.model.configuration import REVIEWS, AgentConfig, Config, JudgeConfig
from mergebar.model.judgements import JudgeIdentity
from mergebar.model.plans import Plan, PlannedCase
from mergebar.model.text import Json
from mergebar.suites import discovery

_SECRET = frozenset({"api_key", "auth"})
_AZURE = "AZURE_AI_"


def of_judge(
    judge: JudgeConfig, environ: Mapping[str, str], who: JudgeIdentity | None = None
) -> dict[str, Json]:
    """Whom a judge's entry means, with its references replaced."""
    return {
        "type": judge.type,
        "model": judge.model,
        "options": _plain(judge.options),
        "parameters": dict(who.parameters) if who is not None else {},
        **_brought("judges", judge.type),
        "environ": {
            name: value
            for name, value in sorted(environ.items())
            if judge.type == "azure" and name.startswith(_AZURE) and "KEY" not in name
        },
    }


def of_agent(agent: AgentConfig, root: Path, environ: Mapping[str, str]) -> dict[str, Json]:
    """What an agent's entry means, what its process is given, and what is in its files."""
    files: dict[str, Json] = {
        name: file_digests.of(root / name) for name in agent_files.find(agent, root)
    }
    return {**_of_entry(agent, environ), "files": files}


def of_plan(plan: Plan, config: Config, world: "World") -> str:
    """The digest of a plan, of who takes part, and of the state of the files that it reads."""
    agents = sorted({case.agent for case in plan.cases if case.agent is not None})
    entries = [world.references.agents[name] for name in agents if name in world.references.agents]
    judge = world.references.judge
    return identity.digest(
        {
            "version": __version__,
            "config": config.digest,
            "commit": world.commit,
            "judge": None if judge is None else of_judge(judge, world.environ),
            "agents": {one.name: _of_entry(one, world.environ) for one in entries},
            "cases": [_case(case) for case in plan.cases],
            "files": {
                str(path): list(_state(path)) for path in sorted(_files(plan, entries, world))
            },
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Where a plan is carried out. `commit` is what is checked out, if anything is."""

    place: Place
    environ: Mapping[str, str]
    references: References
    commit: str | None


def _of_entry(agent: AgentConfig, environ: Mapping[str, str]) -> dict[str, Json]:
    named = agent.options.get("env")
    names = [str(name) for name in named] if isinstance(named, list) else []
    return {
        "type": agent.type,
        "options": _plain(agent.options),
        **_brought("agents", agent.type),
        "environ": {name: environ.get(name) for name in names},
    }


def _brought(group: str, kind: str) -> dict[str, Json]:
    """What a package brings is another thing in another version."""
    packages = plugins.package(group, kind)
    return {"packages": list(packages)} if packages else {}


def _plain(options: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in options.items() if key not in _SECRET}


def _case(case: PlannedCase) -> Json:
    return {
        "suite": case.suite,
        "case": case.case.key,
        "agent": case.agent,
        "runs": case.runs,
        "skip": case.skip is not None,
        "turns": [turn.prompt for turn in case.case.turns],
        "checks": [
            [check.id, check.definition, check.skip is not None, check.stale]
            for check in case.checks
        ],
    }


def _files(plan: Plan, agents: list[AgentConfig], world: World) -> Iterator[Path]:
    top, cwd = world.place.top, world.place.cwd
    for case in plan.cases:
        yield top / case.suite
        if case.scenario is not None:
            yield top / case.scenario.path
    for agent in agents:
        for name in agent_files.find(agent, cwd):
            yield cwd / name
    for folder in _recorded(agents, world.references.judge):
        for name in discovery.find(cwd / folder, discovery.EVERY_JSON):
            yield cwd / folder / name
    yield top / REVIEWS


def _recorded(agents: list[AgentConfig], judge: JudgeConfig | None) -> Iterator[str]:
    for entry in (*agents, judge):
        if entry is not None and entry.type == "replay":
            yield str(entry.options.get("recordings") or recordings.FOLDER)


def _state(path: Path) -> tuple[int, int]:
    try:
        found = os.stat(path)  # noqa: PTH116 - thousands of paths
    except OSError:
        return (-1, -1)
    return (found.st_size, found.st_mtime_ns)
