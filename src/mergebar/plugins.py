"""A name that a configuration may use in, what it stands for out, loaded only then.

What is built in stands in literal tables. Installed packages add to them by entry points, whose
metadata is read only for a name that isn't built in.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

from mergebar.config import Explain, SchemaFault
from mergebar.errors import StopError
from mergebar.model.configuration import AgentConfig, JudgeConfig
from mergebar.model.contexts import AgentContext, JudgeContext
from mergebar.model.conversations import Agent
from mergebar.model.evaluations import Evaluator
from mergebar.model.judgements import Judge
from mergebar.model.problems import EntryFault
from mergebar.model.text import Json, JsonObject
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import listed, quoted

AgentFactory: TypeAlias = Callable[[AgentConfig, AgentContext], Agent]
JudgeFactory: TypeAlias = Callable[[JudgeConfig, JudgeContext], Judge]
EvaluatorFactory: TypeAlias = Callable[[], Evaluator]
GraderFactory: TypeAlias = Callable[[], object]
"""Makes a `Grader`; `check` comes by here too, and what graders see is costly to load."""

AGENTS: Mapping[str, str] = {
    "command": "mergebar.agents.command:create",
    "http": "mergebar.agents.http:create",
    "openai": "mergebar.agents.openai:create",
    "replay": "mergebar.agents.replay:create",
}
JUDGES: Mapping[str, str] = {
    "openai": "mergebar.judges.openai:create",
    "azure": "mergebar.judges.azure:create",
    "replay": "mergebar.judges.replay:create",
}
EVALUATORS: Mapping[str, str] = {
    "Relevance": "mergebar.evaluators.relevance:create",
    "Coherence": "mergebar.evaluators.coherence:create",
    "Groundedness": "mergebar.evaluators.groundedness:create",
    "Similarity": "mergebar.evaluators.similarity:create",
    "Citations": "mergebar.evaluators.citations:create",
    "ExactMatch": "mergebar.evaluators.exact_match:create",
    "PartialMatch": "mergebar.evaluators.partial_match:create",
    "RetrievalQuery": "mergebar.evaluators.retrieval_query:create",
    "RetrievalResult": "mergebar.evaluators.retrieval_result:create",
}
GRADERS: Mapping[str, str] = {
    "ai": "mergebar.graders.ai:create",
    "human": "mergebar.graders.human:create",
    "command": "mergebar.graders.command:create",
    "tool-usage": "mergebar.graders.tool_usage:create",
    "tool-order": "mergebar.graders.tool_order:create",
    "skill-invoked": "mergebar.graders.skill_invoked:create",
    "file-access": "mergebar.graders.file_access:create",
    "turn-count": "mergebar.graders.turn_count:create",
    "cost": "mergebar.graders.cost:create",
    "regex": "mergebar.graders.regex:create",
    "json-output": "mergebar.graders.json_output:create",
}
ENTRY_FAULTS: Mapping[str, Mapping[str, str]] = {
    "agents": {
        "command": "mergebar.agents.command_entry:faults",
        "http": "mergebar.agents.http_entry:faults",
        "openai": "mergebar.agents.openai_entry:faults",
        "replay": "mergebar.agents.replay_entry:faults",
    },
    "judge": {
        "openai": "mergebar.judges.openai_entry:faults",
        "azure": "mergebar.judges.azure_entry:faults",
        "replay": "mergebar.judges.replay_entry:faults",
    },
}
EXPLAINER = "mergebar.reading.explaining:explain"
ARTIFACT_CHECKS = "mergebar.commands.artifact_checks:check"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A name that is neither built in nor installed; `message` says which ones are."""

    name: str
    message: str


def agent(name: str) -> AgentFactory | Unknown:
    """What makes agents of a type. Raises StopError for a plug-in that can't be loaded."""
    found = _find(name, AGENTS, kind="agent type", group="mergebar.agents")
    return found if isinstance(found, Unknown) else cast("AgentFactory", found)


def judge(name: str) -> JudgeFactory | Unknown:
    """What makes judges of a type. Raises StopError for a plug-in that can't be loaded."""
    found = _find(name, JUDGES, kind="judge type", group="mergebar.judges")
    return found if isinstance(found, Unknown) else cast("JudgeFactory", found)


def evaluator(name: str) -> EvaluatorFactory | Unknown:
    """What makes an evaluator. Raises StopError for a plug-in that can't be loaded."""
    found = _find(name, EVALUATORS, kind="evaluator", group="mergebar.evaluators")
    return found if isinstance(found, Unknown) else cast("EvaluatorFactory", found)


def grader(name: str) -> GraderFactory | Unknown:
    """What makes a grader; `tool:` is part of a name. Raises StopError as the others do."""
    found = _find(name, GRADERS, kind="grader", group="mergebar.graders")
    return found if isinstance(found, Unknown) else cast("GraderFactory", found)


def entry_faults(
    section: str, kind: str, options: JsonObject, *, root: Path
) -> tuple[EntryFault, ...]:
    """What keeps an entry of `agents` or the `judge` from ever being called, by its type.

    Loads no client, so that `check` can ask.
    """
    target = ENTRY_FAULTS[section].get(kind)
    if target is None:
        return ()
    return tuple(cast("Iterable[EntryFault]", _load(target)(options, root)))


def explainer() -> Explain:
    """What puts the faults of a rejected file into words; costly to load, so for those only."""
    return cast("Explain", _load(EXPLAINER))


def artifact_checks() -> Callable[..., object]:
    """What checks artifacts; as costly to load as all else of a small check."""
    return _load(ARTIFACT_CHECKS)


def explain(schema: JsonObject, value: Json) -> Sequence[SchemaFault]:
    """Put the faults of a rejected value into words; the words are loaded by the first call."""
    return explainer()(schema, value)


def _find(
    name: str, built_in: Mapping[str, str], *, kind: str, group: str
) -> Callable[..., object] | Unknown:
    if name in built_in:
        return _load(built_in[name])
    installed = _installed(group)
    if name not in installed:
        return Unknown(name=name, message=_unknown(name, [*built_in, *installed], kind=kind))
    target = installed[name]
    try:
        return _load(target)
    except Exception as error:  # a plug-in may raise anything while it is imported
        message = (
            f"the {kind} {quoted(name)} is installed as `{target}`, which can't be loaded: "
            f"{type(error).__name__}: {error}; repair or uninstall that package"
        )
        raise StopError(message) from error


def _load(target: str) -> Callable[..., object]:
    """The function of a `module:function`."""
    module, _, attribute = target.partition(":")
    found: object = getattr(importlib.import_module(module), attribute)
    if not callable(found):
        message = f"`{target}` is not a function"
        raise TypeError(message)
    return found


def _installed(group: str) -> dict[str, str]:
    # importlib.metadata costs as much as all else that a small check loads.
    metadata = importlib.import_module("importlib.metadata")
    return {point.name: point.value.strip() for point in metadata.entry_points(group=group)}


def _unknown(name: str, known: Iterable[str], *, kind: str) -> str:
    names = list(known)
    near = nearest(name, names)
    hint = f"did you mean {quoted(near)}?" if near else f"known are {listed(names)}"
    return f"there is no {kind} {quoted(name)}: {hint}"
