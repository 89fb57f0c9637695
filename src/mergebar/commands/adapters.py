"""A configuration with its references resolved in; what makes agents, judges and evaluators out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mergebar import plugins, recordings
from mergebar.calling.timing import REAL
from mergebar.commands.references import References
from mergebar.errors import StopError
from mergebar.model.configuration import AgentConfig, JudgeConfig
from mergebar.model.contexts import AgentContext, JudgeContext
from mergebar.model.conversations import Agent
from mergebar.model.evaluations import Evaluator
from mergebar.model.judgements import Judge
from mergebar.model.problems import Location, Problem

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
    """Makes what the plan needs. With a recorder, what is asked is recorded too."""

    root: Path
    environ: Mapping[str, str]
    references: References
    recorder: recordings.Recorder | None

    def agent(self, config: AgentConfig | None) -> Agent:
        """An agent; `None` is the one that gives the answers that documents carry."""
        chosen = _STORED if config is None else self.references.agents[config.name]
        context = AgentContext(root=self.root, environ=self.environ, timing=REAL)
        made = _known(plugins.agent(chosen.type))(chosen, context)
        if self.recorder is None or chosen.type == REPLAY:
            return made
        return recordings.RecordingAgent(made, self.recorder)

    def judge(self, config: JudgeConfig) -> Judge:
        """The judge."""
        chosen = self.references.judge or config
        context = JudgeContext(root=self.root, environ=self.environ, timing=REAL)
        made = _known(plugins.judge(chosen.type))(chosen, context)
        if self.recorder is None or chosen.type == REPLAY:
            return made
        return recordings.RecordingJudge(made, self.recorder)

    def evaluator(self, name: str) -> Evaluator:
        """An evaluator by its name."""
        return _known(plugins.evaluator(name))()

    @property
    def flush(self) -> Callable[[], tuple[Problem, ...]]:
        """Writes what was recorded, and says what couldn't be."""
        return self.recorder.flush if self.recorder else tuple


def _known(found: _Made | plugins.Unknown) -> _Made:
    """The configuration was read already, so only a plug-in can be gone meanwhile."""
    if isinstance(found, plugins.Unknown):
        raise StopError(found.message)
    return found
