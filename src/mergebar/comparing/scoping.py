"""Agents and groups of two configurations in; what the second measures or notices less of, out.

A change brings its own `agents`, `documents` and `artifacts` along: these hold already in the run
that is to judge it.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from mergebar.comparing import covering
from mergebar.comparing.loosening import Way
from mergebar.comparing.wording import code, number
from mergebar.model.comparisons import Loosening
from mergebar.model.configuration import (
    AgentConfig,
    ArtifactGroup,
    Config,
    DocumentGroup,
    Stale,
)

_Group = TypeVar("_Group", DocumentGroup, ArtifactGroup)
_REPLAY = "replay"
_NOTHING = "nothing"
_STORED = "stored responses"


def ways(base: Config, head: Config, *, apart: bool = False) -> Iterator[Way]:
    """Agents go by their names, groups by what they select.

    `apart`: what holds for suites whose group selects something else now is told suite by suite.
    """
    yield from _agents(base.agents, head.agents)
    for document in base.documents:
        yield from _gone("documents", document, head.documents)
        for now in _successors(document, head.documents):
            yield from _paths(document, now, head.documents)
            if not apart or document.paths == now.paths:
                yield from _document(document, now)
                yield from _agent(document, now, base, head)
    for artifact in base.artifacts:
        yield from _gone("artifacts", artifact, head.artifacts)
        for heir in _successors(artifact, head.artifacts):
            yield from _paths(artifact, heir, head.artifacts)
            yield from _artifact(artifact, heir, apart=apart)


def another_agent(
    old: str | None, new: str | None, *, base: Config, head: Config
) -> tuple[str, str] | None:
    """Was and now, where a group asks another agent, or none any more; else `None`.

    One that has only another name now is the same. Where the old one is still there, it isn't.
    """
    if old is None or old == new:
        return None
    if new is None:
        return code(old), _STORED
    before = {agent.name: agent.type for agent in base.agents}
    after = {agent.name: agent.type for agent in head.agents}
    replayed = after.get(new) == _REPLAY != before.get(old)
    return (code(old), code(new)) if old in after or replayed else None


def _agents(base: Sequence[AgentConfig], head: Sequence[AgentConfig]) -> Iterator[Way]:
    now = {agent.name: agent for agent in head}
    for was in base:
        agent = now.get(was.name)
        if agent is None:
            continue
        key = f"agents.{was.name}"
        if agent.type == _REPLAY != was.type:
            yield _policy(f"`{key}.type`", code(was.type), code(agent.type))
            continue
        yield from _globs(Loosening.POLICY, f"`{key}.sources`", was.sources, agent.sources)


def _gone(key: str, group: _Group, heads: Sequence[_Group]) -> Iterator[Way]:
    """What is in no group any more; nobody configured what is implied."""
    everywhere = [glob for one in heads for glob in one.paths if not glob.startswith("!")]
    if group.implied:
        return
    if not covering.covers(group.paths, everywhere):
        yield Way(
            kind=Loosening.SUITE,
            what=f"`{key}`",
            was=_listed(group.paths),
            now=_listed([glob for glob in group.paths if glob in everywhere]),
        )


def _successors(group: _Group, heads: Sequence[_Group]) -> list[_Group]:
    """The groups that select what this one did: the same one, else those that share some of it."""
    same = [one for one in heads if one.paths == group.paths]
    if same:
        return same
    globs = [glob for glob in group.paths if not glob.startswith("!")]
    return [one for one in heads if any(covering.covers((glob,), one.paths) for glob in globs)] or [
        one for one in heads if set(globs) & set(one.paths)
    ]


def _paths(base: _Group, head: _Group, heads: Sequence[_Group]) -> Iterator[Way]:
    """What one group leaves out now, another one may take in."""
    if base.paths == head.paths or not covering.covers(base.paths, _positive(head.paths)):
        return
    if covering.leaves_out(base.paths, [one.paths for one in heads]):
        was, now = _listed(base.paths), _listed(head.paths)
        yield Way(kind=Loosening.SUITE, what=f"`paths` of {_of(base)}", was=was, now=now)


def _agent(old: DocumentGroup, new: DocumentGroup, base: Config, head: Config) -> Iterator[Way]:
    switched = another_agent(old.agent, new.agent, base=base, head=head)
    if switched is not None:
        yield _policy(f"`agent` of {_of(old)}", *switched)


def _document(base: DocumentGroup, head: DocumentGroup) -> Iterator[Way]:
    """An unrated group asks that all pass, so any floor is less."""
    name = _of(base)
    floor = base.min_pass_rate
    if head.min_pass_rate is not None and (floor is None or head.min_pass_rate < floor):
        was = "unset" if floor is None else number(floor)
        yield _policy(f"`min_pass_rate` of {name}", was, number(head.min_pass_rate))
    if head.runs < base.runs:
        what = f"`runs` of {name}"
        yield Way(kind=Loosening.RUNS, what=what, was=str(base.runs), now=str(head.runs))


def _artifact(base: ArtifactGroup, head: ArtifactGroup, *, apart: bool) -> Iterator[Way]:
    name = _of(base)
    yield from _globs(Loosening.POLICY, f"`sources` of {name}", base.sources, head.sources)
    yield from _globs(Loosening.TRACE, f"`traces` of {name}", base.traces, head.traces)
    told = apart and base.paths != head.paths
    if (base.stale, head.stale) == (Stale.BLOCK, Stale.WARN) and not told:
        yield _policy(f"`stale` of {name}", Stale.BLOCK.value, Stale.WARN.value)
    before, after = base.sessions, head.sessions
    if before is not None and after is None:
        yield _policy(f"`sessions` of {name}", "configured", _NOTHING)
    elif before is not None and after is not None:
        what = f"`sessions.prompts` of {name}"
        yield from _globs(Loosening.TRACE, what, before.prompts, after.prompts)


def _globs(
    kind: Loosening, what: str, base: Sequence[str] | None, head: Sequence[str] | None
) -> Iterator[Way]:
    if base is not None and covering.narrows(base, head or ()):
        yield Way(kind=kind, what=what, was=_listed(base), now=_listed(head or ()))


def _positive(globs: Sequence[str]) -> list[str]:
    return [glob for glob in globs if not glob.startswith("!")]


def _of(group: DocumentGroup | ArtifactGroup) -> str:
    return f"`{', '.join(group.paths)}`"


def _listed(globs: Sequence[str]) -> str:
    return ", ".join(map(code, globs)) or _NOTHING


def _policy(what: str, was: str, now: str) -> Way:
    return Way(kind=Loosening.POLICY, what=what, was=was, now=now)
