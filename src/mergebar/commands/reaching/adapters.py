"""A configuration with its references resolved in; what makes agents, judges and evaluators out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from mergebar import plugins, recordings
from mergebar.caching import CachingAgent, CachingJudge, Keeper, Store
from mergebar.calling.limiting import Limits
from mergebar.calling.timing import REAL
from mergebar.commands import streams
from mergebar.commands.reaching import judge_identity, subjects
from mergebar.commands.reaching.references import References
from mergebar.errors import StopError
from mergebar.model.configuration import AgentConfig, JudgeConfig
from mergebar.model.contexts import AgentContext, JudgeContext
from mergebar.model.conversations import Agent
from mergebar.model.evaluations import Evaluator
from mergebar.model.judgements import Judge, JudgeIdentity
from mergebar.model.problems import Level, Location, Problem
from mergebar.untrusted import terminal as guarding

_Made = TypeVar("_Made")
REPLAY = "replay"
_STORED = AgentConfig(
    name="stored answers",
    type=REPLAY,
    sources=None,
    concurrency=1,
    timeout_s=0,
    attempts=1,
    output_limit=0,
    cache=False,
    options={},
    location=Location(path=""),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapters:
    """Makes what the plan needs. With a recorder, what is asked is recorded too.

    With a store, what was answered before isn't asked; `redact` is for what is kept there,
    `redact_derived` for what a judge says of it.
    """

    root: Path
    environ: Mapping[str, str]
    references: References
    recorder: recordings.Recorder | None
    store: Store | None = None
    redact: Callable[[str], str] = str
    redact_derived: Callable[[str], str] = str
    limits: Limits = field(default_factory=lambda: Limits(REAL))

    def agent(self, config: AgentConfig | None) -> Agent:
        """An agent; `None` is the one that gives the answers that documents carry."""
        chosen = _STORED if config is None else self.references.agents[config.name]
        if self.recorder is not None and chosen.type != REPLAY:
            return recordings.RecordingAgent(self._agent(chosen), self.recorder)
        if self.store is None or not chosen.cache or chosen.type == REPLAY:
            return self._agent(chosen)
        at_once = self.store.is_empty or chosen.type not in plugins.AGENTS
        about = subjects.of_agent(chosen, self.root, self.environ)
        return CachingAgent(
            partial(self._agent, chosen),
            Keeper(self.store, about, self.redact),
            made=self._agent(chosen) if at_once else None,
        )

    def _agent(self, chosen: AgentConfig) -> Agent:
        context = AgentContext(
            root=self.root,
            environ=self.environ,
            timing=REAL,
            redact=self.redact,
            limits=self.limits,
        )
        return _known(plugins.agent(chosen.type))(chosen, context)

    def judge(self, config: JudgeConfig) -> Judge:
        """The judge. Where votes may be known, nothing of it is loaded before one is missing."""
        chosen = self.references.judge or config
        if self.recorder is not None and chosen.type != REPLAY:
            return recordings.RecordingJudge(self._judge(chosen), self.recorder)
        if self.store is None or chosen.type == REPLAY:
            return self._judge(chosen)
        who = judge_identity.identity(chosen)
        if who is not None and not self.store.is_empty:
            return self._cached(chosen, who, made=None)
        made = self._judge(chosen)
        return self._cached(chosen, made.identity, made=made)

    def _cached(self, chosen: JudgeConfig, who: JudgeIdentity, *, made: Judge | None) -> Judge:
        make = partial(self._judge, chosen)
        if self.store is None:
            return make()
        about = subjects.of_judge(chosen, self.environ, who)
        return CachingJudge(make, who, Keeper(self.store, about, self.redact_derived), made=made)

    def _judge(self, chosen: JudgeConfig) -> Judge:
        context = JudgeContext(
            root=self.root,
            environ=self.environ,
            timing=REAL,
            tell=self._tell,
            limits=self.limits,
        )
        return _known(plugins.judge(chosen.type))(chosen, context)

    def _tell(self, line: str) -> None:
        streams.tell(guarding.line(self.redact(line)) + "\n")

    def evaluator(self, name: str) -> Evaluator:
        """An evaluator by its name."""
        return _known(plugins.evaluator(name))()

    def flush(self) -> tuple[Problem, ...]:
        """Write what was recorded, and say what couldn't be, nor be kept."""
        recorded = self.recorder.flush() if self.recorder else ()
        trouble = None if self.store is None else self.store.trouble
        if self.store is None or trouble is None:
            return recorded
        folder = self.store.folder
        shown = folder.relative_to(self.root) if folder.is_relative_to(self.root) else folder
        lost = Problem(
            level=Level.WARNING,
            rule="cache/unwritable",
            message=f"{trouble}; the next run asks that again",
            path=shown.as_posix(),
        )
        return (*recorded, lost)


def _known(found: _Made | plugins.Unknown) -> _Made:
    """The configuration was read already, so only a plug-in can be gone meanwhile."""
    if isinstance(found, plugins.Unknown):
        raise StopError(found.message)
    return found
