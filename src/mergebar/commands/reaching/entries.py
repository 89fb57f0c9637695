"""Entries with their references resolved in; what no call could be made with, in words, out."""

from collections.abc import Mapping
from pathlib import Path

from mergebar import plugins
from mergebar.commands.reaching.references import References
from mergebar.config.findings import Pointer, dotted
from mergebar.model.problems import Level
from mergebar.model.text import JsonObject


def unfit_agents(references: References, root: Path) -> Mapping[str, tuple[str, ...]]:
    """By the agent's name. What the environment gave is part of an entry by now."""
    return {
        agent.name: _said(("agents", agent.name), agent.type, agent.options, root)
        for agent in references.agents.values()
    }


def unfit_judge(references: References, root: Path) -> tuple[str, ...]:
    """As for agents; nothing is said while a variable is missing."""
    judge = references.judge
    if judge is None or references.judge_missing:
        return ()
    return _said(("judge",), judge.type, {**judge.options, "model": judge.model}, root)


def all_unfit(references: References, root: Path) -> frozenset[str]:
    """What is said of any entry."""
    agents = (said for one in unfit_agents(references, root).values() for said in one)
    return frozenset((*agents, *unfit_judge(references, root)))


def _said(pointer: Pointer, kind: str, options: JsonObject, root: Path) -> tuple[str, ...]:
    """Warnings were given for the file as it is written."""
    return tuple(
        f"`{dotted((*pointer, *fault.key))}` {fault.message}"
        for fault in plugins.entry_faults(str(pointer[0]), kind, options, root=root)
        if fault.level is Level.ERROR
    )
