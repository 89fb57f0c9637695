"""Suites, configuration and changes in; a plan out, without a look at any file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mergebar.model.changes import Changes, Status
from mergebar.model.configuration import Config
from mergebar.model.documents import Document
from mergebar.model.plans import Plan, PlannedCase, PlannedSuite, SuiteKind
from mergebar.model.problems import Problem, is_invalid
from mergebar.patterns import GlobSet
from mergebar.planning import (
    affected,
    artifact_drafts,
    faults,
    idle_rules,
    narrowing,
    reaching,
)
from mergebar.planning.affected import Effect
from mergebar.planning.artifact_cases import ArtifactCases
from mergebar.planning.declaring import Declaring
from mergebar.planning.document_cases import DocumentCases, asks_judge
from mergebar.planning.earlier import UNKNOWN, Earlier
from mergebar.planning.estimating import estimate
from mergebar.planning.options import PlanOptions
from mergebar.planning.placing import Placement, Placing, refusal, relative, selected
from mergebar.planning.reaching import Reach


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A suite before its cases. Not `selected`: the command line leaves it out."""

    document: Document
    placement: Placement
    effect: Effect
    problems: tuple[Problem, ...]
    selected: bool

    def wanted(self, *, whole: bool) -> bool:
        """Whether its cases are worth planning; with `whole`, unaffected ones are too."""
        affected = self.effect.affected or (whole and self.selected)
        return affected and not is_invalid(self.problems)


def plan(
    documents: Sequence[Document],
    *,
    config: Config,
    changes: Changes,
    options: PlanOptions,
    artifacts: Sequence[Declaring] = (),
    earlier: Earlier = UNKNOWN,
    whole: bool = False,
) -> Plan:
    """Plan what is worth running: an error among a suite's or the plan's problems stops it.

    `whole`: there is a baseline to carry from, so that the plan also has what isn't affected.
    """
    ordered = sorted(documents, key=lambda document: document.path)
    placing = Placing(config, prefix=options.prefix)
    reach = reaching.reach(changes, config=config, prefix=options.prefix, earlier=earlier)
    drafts = [_draft(each, placing.place(each), reach, options, whole=whole) for each in ordered]
    if not whole:
        drafts = _with_rated_groups(drafts)
    declared = [artifact_drafts.draft(each, reach, options) for each in artifacts]
    document_cases = DocumentCases(config, options=options)
    artifact_cases = ArtifactCases(config, options=options)
    suites = [_suite(draft, document_cases, whole=whole) for draft in drafts]
    for each in declared:
        cases = each.cases(artifact_cases, reach=reach) if each.wanted(whole=whole) else ()
        suites.append(each.suite(narrowing.affected(cases), whole=cases if whole else ()))
    problems = (
        *faults.of_the_run(ordered, artifacts=len(artifacts), config=config, options=options),
        *_idle_rules(ordered, artifacts, placing, config=config, options=options),
    )
    return _settled(
        Plan(
            suites=tuple(sorted(suites, key=lambda suite: suite.path)),
            estimate=estimate((), config=config),
            problems=problems,
            removed=_removed(changes, placing, config=config, prefix=options.prefix),
        ),
        config=config,
        options=options,
    )


def _idle_rules(
    documents: Sequence[Document],
    artifacts: Sequence[Declaring],
    placing: Placing,
    *,
    config: Config,
    options: PlanOptions,
) -> tuple[Problem, ...]:
    """Only where all suites are known can a rule be told to match none of them."""
    if options.only or not config.rules:
        return ()
    suites = [
        *(idle_rules.of_document(each, placing) for each in documents),
        *(
            idle_rules.of_artifact(each.artifact, [one.key for one in each.scenarios])
            for each in artifacts
        ),
    ]
    return idle_rules.find(config.rules, suites, prefix=options.prefix, brought=options.graders)


def widen(plan: Plan, causes: Mapping[str, str], *, config: Config, options: PlanOptions) -> Plan:
    """The plan with further checks to run, by id: they can't be carried, and so are affected."""
    if not causes:
        return plan
    suites = tuple(_widened(suite, causes) for suite in plan.suites)
    return _settled(replace(plan, suites=suites), config=config, options=options)


def _widened(suite: PlannedSuite, causes: Mapping[str, str]) -> PlannedSuite:
    found = [
        causes[check.id] for case in suite.whole for check in case.checks if check.id in causes
    ]
    if not found:
        return suite
    whole = narrowing.caused(suite.whole, causes)
    total = sum(len(case.checks) for case in whole)
    count = f"{len(found)} of its {total} checks" if len(found) < total else "its checks"
    reason = f"affected: {count} can't be carried: {found[0]}"
    return replace(
        suite,
        affected=True,
        reason=suite.reason if suite.affected else reason,
        cases=narrowing.affected(whole),
        whole=whole,
    )


def _settled(plan: Plan, *, config: Config, options: PlanOptions) -> Plan:
    """Say what the cases need and don't have, leave out what can't run for that, and count."""
    unmet = _unmet(plan.cases, config, options)
    suites = plan.suites
    if unmet:
        suites = tuple(
            replace(suite, cases=()) if _unmet(suite.cases, config, options) else suite
            for suite in suites
        )
    return replace(
        plan,
        suites=suites,
        estimate=estimate((case for suite in suites for case in suite.cases), config=config),
        problems=tuple(dict.fromkeys((*plan.problems, *unmet))),
    )


def _unmet(
    cases: Iterable[PlannedCase], config: Config, options: PlanOptions
) -> tuple[Problem, ...]:
    cases = tuple(cases)
    agents = {case.agent for case in cases if case.agent is not None}
    uses = tuple(
        check.evaluator
        for case in cases
        if case.scenario is None or case.scenario.path
        for check in case.checks
        if asks_judge(check) and check.skip is None
    )
    return faults.unmet_needs(agents, uses, config=config, options=options)


def _removed(changes: Changes, placing: Placing, *, config: Config, prefix: str) -> tuple[str, ...]:
    """The deleted files that would have been suites."""
    artifacts = [GlobSet(group.paths) for group in config.artifacts if not group.implied]

    def is_suite(path: str) -> bool:
        local = relative(path, prefix=prefix)
        return placing.find(path).settings is not None or (
            local is not None and any(globs.matches(local) for globs in artifacts)
        )

    deleted = (change.path for change in changes.files if change.status is Status.DELETED)
    return tuple(path for path in deleted if is_suite(path))


def _draft(
    document: Document, placement: Placement, reach: Reach, options: PlanOptions, *, whole: bool
) -> _Draft:
    judged = faults.judged_uses(selected(document.cases, tags=options.tags))
    refused = refusal(document, placement, options=options)
    effect = (
        Effect(affected=False, reason=refused)
        if refused is not None
        else affected.explain(document, placement, judged=bool(judged), reach=reach)
    )
    agentless = faults.without_agent(document, placement) if effect.affected or whole else ()
    # Whoever looked for all suites has told which are in two groups already.
    twice = placement.problems if options.only else ()
    return _Draft(
        document=document,
        placement=placement,
        effect=effect,
        problems=(*document.problems, *twice, *agentless),
        selected=refused is None,
    )


def _with_rated_groups(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Without a baseline, a rated group of which anything is affected runs whole."""
    rated = {
        draft.placement.group
        for draft in drafts
        if draft.effect.affected
        and draft.placement.settings is not None
        and draft.placement.settings.min_pass_rate is not None
    }
    cause = "its group is rated, and there is no baseline to carry the rest of it from"
    return [
        replace(draft, effect=affected.completed(draft.effect, cause))
        if draft.placement.group in rated and draft.selected
        else draft
        for draft in drafts
    ]


def _suite(draft: _Draft, planner: DocumentCases, *, whole: bool) -> PlannedSuite:
    cases: tuple[PlannedCase, ...] = ()
    if draft.wanted(whole=whole):
        cases = planner.plan(draft.document, draft.placement, draft.effect.causes)
    return PlannedSuite(
        path=draft.document.path,
        kind=SuiteKind.DOCUMENT,
        affected=draft.effect.affected,
        reason=draft.effect.reason,
        problems=draft.problems,
        document=draft.document,
        cases=narrowing.affected(cases),
        whole=cases if whole else (),
    )
