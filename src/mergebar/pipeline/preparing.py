"""Suites, the base and the baseline in; what runs, and what is carried over instead, out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mergebar import comparing, planning
from mergebar.model.changes import Changes
from mergebar.model.documents import Document
from mergebar.model.plans import Plan, PlannedCheck
from mergebar.model.problems import Problem, is_invalid
from mergebar.model.reports import ReportJudge
from mergebar.model.results import CheckResult
from mergebar.pipeline.values import Compared, Effects, Inputs, Origin
from mergebar.planning import Earlier
from mergebar.suites import documents

_COMMIT = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """`plan` is what runs. `earlier` has the changed documents as they were."""

    plan: Plan
    carried: tuple[CheckResult, ...] = ()
    earlier: Earlier = field(default_factory=Earlier)


def prepare(inputs: Inputs, effects: Effects, *, judge: ReportJudge | None = None) -> Prepared:
    """Read the suites, plan what is worth running, and see what the baseline stands for.

    `judge` is who would judge, `None` where nobody knows yet.
    """
    suites = [_document(path, effects) for path in inputs.paths]
    earlier = _earlier(inputs.base, suites, effects)
    plan = _planned(inputs, inputs.base, suites, earlier, whole=_may_carry(inputs))
    plan = replace(plan, problems=(*inputs.problems, *plan.problems))
    compared = inputs.compared
    if compared is None or not _may_carry(inputs) or is_invalid(plan.problems):
        return Prepared(plan=plan, earlier=earlier)
    carrying = comparing.carry(
        (case for suite in plan.suites for case in planning.unaffected(suite.whole)),
        baseline=compared.report,
        judge=judge,
        affects=_since(inputs, compared, suites, effects),
        renames=comparing.renames_of(
            (compared.since or inputs.base).changes.files,
            kept={suite.path for suite in plan.suites},
        ),
    )
    causes = {refusal.check.id: refusal.reason for refusal in carrying.refused}
    return Prepared(
        plan=planning.widen(plan, causes, config=inputs.config, options=inputs.options),
        carried=carrying.carried,
        earlier=earlier,
    )


def _may_carry(inputs: Inputs) -> bool:
    return inputs.compared is not None and not inputs.base.changes.everything


def _since(
    inputs: Inputs, compared: Compared, suites: Sequence[Document], effects: Effects
) -> comparing.Affects:
    """Why a check isn't what the baseline measured: something changed since its commit."""
    since = compared.since
    if since is None:
        return lambda _check: None
    commit = (compared.baseline.commit or "")[:_COMMIT]
    if since.changes.everything:
        unknown = since.changes.reason or f"it isn't known what changed since `{commit}`"
        return lambda _check: unknown
    plan = _planned(inputs, since, suites, _earlier(since, suites, effects), whole=True)
    causes = {
        check.id: f"{check.cause} since `{commit}`"
        for suite in plan.suites
        for case in suite.whole
        for check in case.checks
        if check.cause
    }

    def affects(check: PlannedCheck) -> str | None:
        return causes.get(check.id)

    return affects


def _planned(
    inputs: Inputs, origin: Origin, suites: Sequence[Document], earlier: Earlier, *, whole: bool
) -> Plan:
    return planning.plan(
        suites,
        config=inputs.config,
        changes=origin.changes,
        options=inputs.options,
        artifacts=origin.artifacts,
        earlier=earlier,
        whole=whole,
    )


def _earlier(origin: Origin, suites: Sequence[Document], effects: Effects) -> Earlier:
    return Earlier(documents=dict(_before(origin, suites, effects)), config=origin.config)


def _before(
    origin: Origin, suites: Sequence[Document], effects: Effects
) -> Mapping[str, Document | None]:
    """Each changed document as it was, under its present path; those that can't be read are out."""
    names = _names(origin.changes)
    found: dict[str, Document | None] = {}
    for suite in suites:
        old = names.get(suite.path)
        data = origin.read(old) if origin.read is not None and old is not None else None
        if old is None or origin.read is None or isinstance(data, Problem):
            continue
        found[suite.path] = (
            None if data is None else documents.read(data, path=old, explain=effects.explain)
        )
    return found


def _names(changes: Changes) -> dict[str, str]:
    """What changed files were called, by what they are called now."""
    return {change.path: change.old_path or change.path for change in changes.files}


def _document(path: str, effects: Effects) -> Document:
    data = effects.read(path)
    if isinstance(data, Problem):
        return Document(path=path, version=None, cases=(), source={}, problems=(data,))
    return documents.read(data, path=path, explain=effects.explain)
