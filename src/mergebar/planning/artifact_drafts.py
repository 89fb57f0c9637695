"""An artifact in; the suite that it makes in the plan, with what is wrong with it, out."""

from collections.abc import Iterator
from dataclasses import dataclass

from mergebar.model.plans import PlannedCase, PlannedSuite, SuiteKind
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.model.scenarios import Scenario
from mergebar.planning import artifact_effects
from mergebar.planning.affected import Effect
from mergebar.planning.artifact_cases import ArtifactCases
from mergebar.planning.artifact_effects import ArtifactEffect
from mergebar.planning.declaring import Declaring
from mergebar.planning.options import PlanOptions
from mergebar.planning.placing import covers
from mergebar.planning.reaching import Reach


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactDraft:
    """A suite before its cases. Not `selected`: the command line leaves it out."""

    declaring: Declaring
    effect: ArtifactEffect
    problems: tuple[Problem, ...]
    selected: bool = True

    @property
    def path(self) -> str:
        """The suite's path."""
        return self.declaring.path

    def wanted(self, *, whole: bool) -> bool:
        """Whether its cases are worth planning; with `whole`, unaffected ones are too."""
        affected = self.effect.effect.affected or (whole and self.selected)
        return affected and not is_invalid(self.problems)

    def cases(self, planner: ArtifactCases, *, reach: Reach) -> tuple[PlannedCase, ...]:
        """Its planned cases."""

        def is_stale(scenario: Scenario) -> bool:
            return artifact_effects.is_stale(
                scenario, self.declaring, rewritten=self.effect.rewritten, reach=reach
            )

        return planner.plan(self.declaring, causes=self.effect.evals, is_stale=is_stale)

    def suite(
        self, cases: tuple[PlannedCase, ...], *, whole: tuple[PlannedCase, ...]
    ) -> PlannedSuite:
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
            whole=whole,
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
        selected=refused is None,
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
            "its evals can never be measured: its group in `mergebar.yml` has no `traces`, and no "
            "`sessions` that this run runs; add one of them"
            if not group.implied
            else "its evals can never be measured: no group in `mergebar.yml` has this artifact; "
            "name it under `artifacts`, with `traces` or `sessions`"
        ),
        path=declaring.path,
    )
