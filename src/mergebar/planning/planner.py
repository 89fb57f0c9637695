"""Suites, configuration and changes in; a plan out, without a look at any file."""

from collections.abc import Sequence
from dataclasses import dataclass

from mergebar.model.changes import Changes
from mergebar.model.configuration import Config
from mergebar.model.documents import Document, EvaluatorUse
from mergebar.model.plans import Plan, PlannedCase, PlannedSuite, SuiteKind
from mergebar.model.problems import Problem, is_invalid
from mergebar.planning import affected, artifact_drafts, faults
from mergebar.planning.affected import Effect, Reach
from mergebar.planning.artifact_casting import ArtifactCasting
from mergebar.planning.artifact_drafts import ArtifactDraft
from mergebar.planning.casting import Casting
from mergebar.planning.declaring import Declaring
from mergebar.planning.estimating import estimate
from mergebar.planning.options import PlanOptions
from mergebar.planning.placing import Placement, Placing, refusal, selected


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A suite before its cases; `judged` are the selected evaluators that ask the judge."""

    document: Document
    placement: Placement
    effect: Effect
    problems: tuple[Problem, ...]
    judged: tuple[EvaluatorUse, ...]

    @property
    def runs(self) -> bool:
        """Whether its cases are worth planning."""
        return self.effect.affected and not is_invalid(self.problems)

    @property
    def agents(self) -> frozenset[str]:
        """The name of its agent, if it has one."""
        return frozenset({self.placement.agent.name} if self.placement.agent else ())


def plan(
    documents: Sequence[Document],
    *,
    config: Config,
    changes: Changes,
    options: PlanOptions,
    artifacts: Sequence[Declaring] = (),
) -> Plan:
    """Plan what is worth running: an error among a suite's or the plan's problems stops it."""
    ordered = sorted(documents, key=lambda document: document.path)
    placing = Placing(config, prefix=options.prefix)
    reach = affected.reach(changes, config=config, prefix=options.prefix)
    drafts = [_draft(each, placing.place(each), reach, options) for each in ordered]
    declared = [artifact_drafts.draft(each, reach, options) for each in artifacts]
    casting = Casting(config, options=options)
    holding = ArtifactCasting(config, options=options)
    suites = [_suite(draft, _cases(draft, casting, config, options)) for draft in drafts]
    for draft in declared:
        fit = draft.runs and not _unmet([draft], config, options)
        suites.append(draft.suite(draft.cases(holding, reach=reach) if fit else ()))
    suites.sort(key=lambda suite: suite.path)
    return Plan(
        suites=tuple(suites),
        estimate=estimate((case for suite in suites for case in suite.cases), config=config),
        problems=(
            *faults.of_the_run(ordered, artifacts=len(artifacts), config=config, options=options),
            *_unmet([*drafts, *declared], config, options),
        ),
    )


def _draft(document: Document, placement: Placement, reach: Reach, options: PlanOptions) -> _Draft:
    judged = faults.judged_uses(selected(document.cases, tags=options.tags))
    refused = refusal(document, placement, options=options)
    effect = (
        Effect(affected=False, reason=refused)
        if refused is not None
        else affected.explain(
            document.path,
            agent=placement.agent.name if placement.agent else None,
            judged=bool(judged),
            reach=reach,
        )
    )
    agentless = faults.without_agent(document, placement) if effect.affected else ()
    # Whoever looked for all suites has told which are in two groups already.
    twice = placement.problems if options.only else ()
    return _Draft(
        document=document,
        placement=placement,
        effect=effect,
        problems=(*document.problems, *twice, *agentless),
        judged=judged,
    )


def _cases(
    draft: _Draft, casting: Casting, config: Config, options: PlanOptions
) -> tuple[PlannedCase, ...]:
    if not draft.runs or _unmet([draft], config, options):
        return ()
    return casting.cast(draft.document, draft.placement)


def _unmet(
    drafts: Sequence[_Draft | ArtifactDraft], config: Config, options: PlanOptions
) -> tuple[Problem, ...]:
    running = [draft for draft in drafts if draft.runs]
    agents = frozenset[str]().union(*(draft.agents for draft in running))
    uses = tuple(use for draft in running for use in draft.judged)
    return faults.unmet_needs(agents, uses, config=config, options=options)


def _suite(draft: _Draft, cases: tuple[PlannedCase, ...]) -> PlannedSuite:
    return PlannedSuite(
        path=draft.document.path,
        kind=SuiteKind.DOCUMENT,
        affected=draft.effect.affected,
        reason=draft.effect.reason,
        problems=draft.problems,
        document=draft.document,
        cases=cases,
    )
