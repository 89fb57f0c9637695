"""A name that a configuration may use in, what it stands for out, loaded only then.

What is built in stands in literal tables. Installed packages add to them by entry points, whose
metadata is read only for a name that isn't built in.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from mergebar import loading
from mergebar.errors import StopError
from mergebar.loading import ENTRY_FAULTS as ENTRY_FAULTS
from mergebar.loading import artifact_checks as artifact_checks
from mergebar.loading import entry_faults as entry_faults
from mergebar.loading import explain as explain
from mergebar.loading import explainer as explainer
from mergebar.model.configuration import AgentConfig, JudgeConfig
from mergebar.model.contexts import AgentContext, JudgeContext
from mergebar.model.conversations import Agent
from mergebar.model.evaluations import Evaluator
from mergebar.model.judgements import Judge
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


def graders_installed() -> frozenset[str]:
    """The names of graders that packages bring; their metadata is read, and nothing is loaded."""
    return frozenset(_installed("mergebar.graders"))


def _find(
    name: str, built_in: Mapping[str, str], *, kind: str, group: str
) -> Callable[..., object] | Unknown:
    if name in built_in:
        return loading.load(built_in[name])
    installed = _installed(group)
    if name not in installed:
        return Unknown(name=name, message=_unknown(name, [*built_in, *installed], kind=kind))
    target, *others = installed[name]
    if others:
        message = (
            f"the {kind} {quoted(name)} is installed {len(others) + 1} times, as "
            f"{listed(installed[name])}: uninstall all packages that bring it but one"
        )
        raise StopError(message)
    try:
        return loading.load(target)
    except Exception as error:  # a plug-in may raise anything while it is imported
        message = (
            f"the {kind} {quoted(name)} is installed as `{target}`, which can't be loaded: "
            f"{type(error).__name__}: {error}; repair or uninstall that package"
        )
        raise StopError(message) from error


def _installed(group: str) -> dict[str, list[str]]:
    """What each name stands for: more than one where packages contradict each other."""
    # importlib.metadata costs as much as all else that a small check loads.
    metadata = importlib.import_module("importlib.metadata")
    found: dict[str, list[str]] = {}
    for point in metadata.entry_points(group=group):
        targets = found.setdefault(point.name, [])
        if point.value.strip() not in targets:
            targets.append(point.value.strip())
    return found


def _unknown(name: str, known: Iterable[str], *, kind: str) -> str:
    names = list(known)
    near = nearest(name, names)
    hint = f"did you mean {quoted(near)}?" if near else f"known are {listed(names)}"
    return f"there is no {kind} {quoted(name)}: {hint}"
