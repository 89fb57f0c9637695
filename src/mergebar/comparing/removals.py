"""Removed checks and deleted traces in; what was removed with them, was → now, out."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from mergebar.comparing.absence import EMPTY, OUTSIDE, Absent
from mergebar.comparing.loosening import Way, loosened
from mergebar.model.comparisons import Edited, EvidenceKind, Loosened, Loosening
from mergebar.model.reports import Report, ReportCheck
from mergebar.reading.sentences import counted

_REMOVED = "removed"
_LEFT = {OUTSIDE: "in no group", EMPTY: "declares no evals any more"}
_Group: TypeAlias = tuple[str, str | None, str | None]
"""A suite, one of its cases, or one of its evaluators."""


def of_checks(absent: Iterable[Absent], *, head: Report) -> Iterator[Loosened]:
    """A removed suite, case or evaluator is one entry, whatever went with it."""
    groups: defaultdict[_Group, list[ReportCheck]] = defaultdict(list)
    left: dict[str, str] = {}
    for one in absent:
        if one.removed:
            groups[_group(one)].append(one.check)
        if one.change.reason in _LEFT:
            left[one.check.suite] = _LEFT[one.change.reason]
    names = {(check.suite, check.name) for check in head.checks}
    for (suite, case, name), checks in groups.items():
        way = _way(suite, case, name, checks, left=(suite, name) in names)
        way = replace(way, now=left.get(suite, way.now))
        touched = [(check.id, check.outcome == "fail") for check in checks]
        yield loosened(way, suite=suite, touched=touched)


def of_traces(edited: Iterable[Edited]) -> Iterator[Loosened]:
    """A trace that is gone can't fail any more."""
    for one in edited:
        if one.kind is EvidenceKind.TRACE and one.status == "deleted":
            way = Way(kind=Loosening.TRACE, what=f"trace `{one.path}`", was="there", now=_REMOVED)
            yield loosened(way, suite=None, touched=())


def _group(one: Absent) -> _Group:
    if one.suite_gone:
        return one.check.suite, None, None
    if one.case_gone:
        return one.check.suite, one.check.case, None
    return one.check.suite, None, one.check.name


def _way(
    suite: str, case: str | None, name: str | None, checks: list[ReportCheck], *, left: bool
) -> Way:
    was = counted(len(checks), "check")
    if case is not None:
        what = f"case `{checks[0].label}`"
        return Way(kind=Loosening.CHECK, what=what, was=was, now=_REMOVED)
    if name is None:
        return Way(kind=Loosening.SUITE, what=f"suite `{suite}`", was=was, now=_REMOVED)
    was = f"on {counted(len({check.case for check in checks}), 'case')}"
    kind = Loosening.CHECK if left else Loosening.EVALUATOR
    return Way(kind=kind, what=f"`{name}`", was=was, now=_REMOVED)
