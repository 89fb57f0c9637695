"""A name that a configuration may use in, what it stands for out, loaded only then.

What is built in stands in literal tables. Installed packages add to them by entry points, whose
metadata is read only for a name that isn't built in.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from mergebar import loading
from mergebar.errors import RAISED_BY_PACKAGES, StopError
from mergebar.loading import ENTRY_FAULTS as ENTRY_FAULTS
from mergebar.loading import artifact_checks as artifact_checks
from mergebar.loading import entry_faults as entry_faults
from mergebar.loading import explain as explain
from mergebar.loading import explainer as explainer
from mergebar.loading import installed as installed
from mergebar.model.configuration import AgentConfig, JudgeConfig
from mergebar.model.contexts import AgentContext, JudgeContext
from mergebar.model.conversations import Agent, ErrorClass, Failure
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

_AGENT_GUARD = "mergebar.agents.installed"
_JUDGE_GUARD = "mergebar.judges.installed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A name that is neither built in nor installed; `message` says which ones are."""

    name: str
    message: str


def agent(name: str) -> AgentFactory | Unknown:
    """What makes agents of a type; faults of one that a package brings fail its turns only."""
    found = _guarded(name, AGENTS, group="agents", guard=_AGENT_GUARD)
    return found if isinstance(found, Unknown) else cast("AgentFactory", found)


def judge(name: str) -> JudgeFactory | Unknown:
    """What makes judges of a type; faults of one that a package brings fail its votes only."""
    found = _guarded(name, JUDGES, group="judges", guard=_JUDGE_GUARD)
    return found if isinstance(found, Unknown) else cast("JudgeFactory", found)


def evaluator(name: str) -> EvaluatorFactory | Unknown:
    """What makes an evaluator. Packages bring none: a document's schema knows their names."""
    if name not in EVALUATORS:
        return Unknown(name=name, message=_unknown(name, EVALUATORS, kind="evaluator"))
    return cast("EvaluatorFactory", loading.load(EVALUATORS[name]))


def grader(name: str) -> GraderFactory | Unknown:
    """What makes a grader; `tool:` is part of a name. Raises StopError as the others do."""
    if name in GRADERS:
        return cast("GraderFactory", loading.load(GRADERS[name]))
    brought = loading.entry_points("graders")
    if name not in brought:
        return Unknown(name=name, message=_unknown(name, [*GRADERS, *brought], kind="grader"))
    return cast("GraderFactory", _brought(name, brought[name], kind="grader"))


def graders_installed() -> frozenset[str]:
    """The names of graders that packages bring; their metadata is read, and nothing is loaded."""
    return installed("graders")


def graders_among(names: Iterable[str | None]) -> frozenset[str]:
    """Those that packages bring; their metadata is read only past what is built in."""
    others = {name for name in names if name is not None and name not in GRADERS}
    return graders_installed() & others if others else frozenset()


def package(group: str, name: str) -> tuple[str, ...]:
    """The packages that bring a type of `agents` or `judges`, with their versions; none built in.

    A new version may answer otherwise, so that what was kept of the old one says nothing of it.
    """
    built_in = {"agents": AGENTS, "judges": JUDGES}[group]
    return () if name in built_in else loading.packages(group, name)


def _guarded(
    name: str, built_in: Mapping[str, str], *, group: str, guard: str
) -> Callable[..., object] | Unknown:
    """Makes an adapter of a type, behind a guard if a package brings it."""
    kind = f"{group.removesuffix('s')} type"
    if name in built_in:
        return loading.load(built_in[name])
    brought = loading.entry_points(group)
    if name not in brought:
        return Unknown(name=name, message=_unknown(name, [*built_in, *brought], kind=kind))

    def make(config: object, context: object) -> object:
        try:
            made = _brought(name, brought[name], kind=kind)(config, context)
        except StopError as error:
            message = error.message
        except RAISED_BY_PACKAGES as error:
            reason = f"{type(error).__name__}: {error}"
            message = f"the {kind} {quoted(name)} can't be made: {reason}; repair its package"
        else:
            return loading.load(f"{guard}:guard")(config, made)
        failure = Failure(error_class=ErrorClass.CONFIG, message=message)
        return loading.load(f"{guard}:unusable")(config, failure)

    return make


def _brought(name: str, targets: Sequence[str], *, kind: str) -> Callable[..., object]:
    """What a package brings. Raises StopError where it can't be loaded, or is there twice."""
    target, *others = targets
    if others:
        message = (
            f"the {kind} {quoted(name)} is installed {len(targets)} times, as "
            f"{listed(targets)}: uninstall all packages that bring it but one"
        )
        raise StopError(message)
    try:
        return loading.load(target)
    except RAISED_BY_PACKAGES as error:
        message = (
            f"the {kind} {quoted(name)} is installed as `{target}`, which can't be loaded: "
            f"{type(error).__name__}: {error}; repair or uninstall that package"
        )
        raise StopError(message) from error


def _unknown(name: str, known: Iterable[str], *, kind: str) -> str:
    names = list(known)
    near = nearest(name, names)
    hint = f"did you mean {quoted(near)}?" if near else f"known are {listed(names)}"
    return f"there is no {kind} {quoted(name)}: {hint}"
