"""A change without a baseline in; what its suites declared on the base, and declare now, out.

Nothing of the base was measured then, but git has the files: what they ask less of can be told.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mergebar import planning
from mergebar.comparing import declarations
from mergebar.comparing.declarations import Declarations
from mergebar.model.changes import Changes, Status
from mergebar.model.documents import Document
from mergebar.model.problems import Problem, is_invalid
from mergebar.model.reports import ReportCheck
from mergebar.patterns import GlobSet
from mergebar.pipeline.preparing import Prepared
from mergebar.pipeline.values import Effects, Inputs
from mergebar.planning import Declaring
from mergebar.suites import artifacts, documents

_ALL = Changes(everything=True, reason="what is declared is compared")
_DOCUMENT = ".json"


def declared(inputs: Inputs, prepared: Prepared, effects: Effects) -> Declarations | None:
    """`None` where there is a baseline to tell it, or where the base isn't known."""
    if inputs.compared is not None or inputs.base.read is None or inputs.run.filtered:
        return None
    here = {suite.path: suite.document for suite in prepared.plan.suites}
    changed = [
        (was, now)
        for path, was in prepared.earlier.documents.items()
        if was is not None and (now := here.get(path)) is not None and _are_valid(was, now)
    ]
    gone = (*_gone(inputs, prepared, effects), *_emptied(inputs, effects))
    evals = [one for one in inputs.base.artifacts if one.before is not None]
    before = [
        replace(one, artifact=replace(one.before, path=one.path), before=None)
        for one in evals
        if one.before is not None
    ]
    olds = [replace(was, path=now.path) for was, now in changed]
    return Declarations(
        base=_checks(
            [*olds, *(one for one in gone if isinstance(one, Document))],
            [*before, *(one for one in gone if isinstance(one, Declaring))],
            inputs,
        ),
        head=_checks([now for _, now in changed], evals, inputs),
    )


def _are_valid(*sides: Document) -> bool:
    """What is wrong on either side is told elsewhere."""
    return not any(is_invalid(one.problems) for one in sides)


def _gone(inputs: Inputs, prepared: Prepared, effects: Effects) -> Iterator[Document | Declaring]:
    """The suites that the change deletes."""
    for path in prepared.plan.removed:
        data = inputs.base.read(path) if inputs.base.read is not None else None
        if data is None or isinstance(data, Problem):
            continue
        if path.endswith(_DOCUMENT):
            yield documents.read(data, path=path, explain=effects.explain)
        else:
            artifact = artifacts.read(data, path=path, explain=effects.explain)
            groups = inputs.config.artifacts
            if groups:
                yield Declaring(artifact=artifact, group=groups[0])


def _emptied(inputs: Inputs, effects: Effects) -> Iterator[Declaring]:
    """The artifacts that are still there, and that the change takes every eval from."""
    still = {one.path for one in inputs.base.artifacts}
    groups = [(group, GlobSet(group.paths)) for group in inputs.config.artifacts]
    for change in inputs.base.changes.files:
        local = planning.relative(change.path, prefix=inputs.options.prefix)
        if change.status is Status.DELETED or local is None or change.path in still:
            continue
        group = next((group for group, globs in groups if globs.matches(local)), None)
        data = inputs.base.read(change.old_path or change.path) if inputs.base.read else None
        if group is None or data is None or isinstance(data, Problem):
            continue
        was = artifacts.read(data, path=change.path, explain=effects.explain)
        if was.is_suite:
            yield Declaring(artifact=was, group=group)


def _checks(
    suites: Sequence[Document], evals: Iterable[Declaring], inputs: Inputs
) -> tuple[ReportCheck, ...]:
    """By the configuration of the change on both sides: how that differs is told apart."""
    plan = planning.plan(
        suites,
        config=inputs.config,
        changes=_ALL,
        options=replace(inputs.options, searched=False),
        artifacts=tuple(evals),
    )
    return tuple(declarations.of_cases(case for suite in plan.suites for case in suite.cases))
