"""An artifact in; the suite that it makes in the plan, with what is wrong with it, out."""

from collections.abc import Iterator
from dataclasses import dataclass

from mergebar.model.documents import EvaluatorUse, Origin
from mergebar.model.plans import PlannedCase, PlannedSuite, SuiteKind
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.model.scenarios import Scenario
from mergebar.planning import artifact_effects
from mergebar.planning.affected import Effect, Reach
from mergebar.planning.artifact_casting import ArtifactCasting
from mergebar.planning.artifact_effects import ArtifactEffect
from mergebar.planning.declaring import JUDGED, Declaring
from mergebar.planning.options import PlanOptions
from mergebar.planning.placing import covers


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactDraft:
    """A suite before its cases; `judged` are the evals that ask the judge."""

    declaring: Declaring
    effect: ArtifactEffect
    problems: tuple[Problem, ...]
    judged: tuple[EvaluatorUse, ...]

    @property
    def path(self) -> str:
        """The suite's path."""
        return self.declaring.path

    @property
    def runs(self) -> bool:
        """Whether its cases are worth planning."""
        return self.effect.effect.affected and not is_invalid(self.problems)

    @property
    def agents(self) -> frozenset[str]:
        """It has no agent."""
        return frozenset()

    def cases(self, casting: ArtifactCasting, *, reach: Reach) -> tuple[PlannedCase, ...]:
        """Its planned cases."""

        def is_stale(scenario: Scenario) -> bool:
            return artifact_effects.is_stale(
                scenario, self.declaring.artifact, rewritten=self.effect.rewritten, reach=reach
            )

        return casting.cast(self.declaring, evals=self.effect.evals, is_stale=is_stale)

    def suite(self, cases: tuple[PlannedCase, ...]) -> PlannedSuite:
        """The suite with its cases."""
        return PlannedSuite(
            path=self.path,
            kind=SuiteKind.ARTIFACT,
            affected=self.effect.effect.affected,
            reason=self.effect.effect.reason,
            problems=self.problems,
            document=None,
            cases=cases,
            artifact=self.declaring.artifact,
        )


def draft(declaring: Declaring, reach: Reach, options: PlanOptions) -> ArtifactDraft:
    """Say whether an artifact is affected, and what is wrong with it."""
    refused = _refusal(declaring, options)
    effect = (
        ArtifactEffect(effect=Effect(affected=False, reason=refused))
        if refused is not None
        else artifact_effects.explain(declaring, reach=reach, prefix=options.prefix)
    )
    return ArtifactDraft(
        declaring=declaring,
        effect=effect,
        problems=(*declaring.artifact.problems, *_without_sessions(declaring)),
        judged=tuple(_judged(declaring, effect)),
    )


def _judged(declaring: Declaring, effect: ArtifactEffect) -> Iterator[EvaluatorUse]:
    if declaring.artifact.skip or not declaring.scenarios:
        return
    for declared in declaring.artifact.evals:
        if declared.grader == JUDGED and declared.key in effect.evals and not declared.skip:
            yield EvaluatorUse(
                name=JUDGED,
                options={},
                threshold=None,
                origin=Origin.ITEM,
                location=declared.location,
            )


def _refusal(declaring: Declaring, options: PlanOptions) -> str | None:
    """Why the command line leaves this suite out; `None` where it doesn't."""
    if options.only and not any(covers(named, declaring.path) for named in options.only):
        return "not selected: it is not among the paths that were asked for"
    if options.agent is not None:
        return f"not selected: it has no agent, and only suites of `{options.agent}` were asked for"
    if options.tags:
        named = " or ".join(f"`{tag}`" for tag in options.tags)
        return f"not selected: artifacts have no tags, and {named} was asked for"
    return None


def _without_sessions(declaring: Declaring) -> Iterator[Problem]:
    """Said loudly: nothing of it can ever be measured with this configuration."""
    group = declaring.group
    if group.traces or group.sessions is not None or not declaring.artifact.evals:
        return
    yield Problem(
        level=Level.WARNING,
        rule="artifact/no-sessions",
        message=(
            "its evals can never be measured: the group of this artifact names neither `traces` "
            "nor `sessions`; add one of them to `mergebar.yml`"
        ),
        path=declaring.path,
    )
