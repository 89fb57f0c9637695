"""Reports of which every text is somebody else's."""

import dataclasses
import itertools
from collections.abc import Callable, Sequence

from mergebar.model.comparisons import (
    Baseline,
    ChangeKind,
    CheckChange,
    Comparison,
    Edited,
    EvidenceKind,
    Loosened,
    Loosening,
    Mark,
    Renamed,
)
from mergebar.model.decisions import Decision, DecisionOutcome, Reason
from mergebar.model.reports import Report, ReportCheck, ReportError, ReportJudge, ReportWarning
from support import comparisons, reports


def report(texts: list[str]) -> Report:
    """A report with a text of the list wherever a text can be; the first check blocks."""
    several = itertools.cycle(texts)

    def said() -> str:
        return next(several)

    checks = [
        reports.check(
            said(), outcome, suite=said(), case=said(), label=said(), reason=said(), skip=skip,
            error=ReportError(error_class="timeout", message=said()) if outcome == "error" else None,
        )
        for outcome, skip in (("fail", None), ("pass", None), ("error", None), ("skipped", "declined"), ("skipped", "withheld"), ("needs-review", None))
        for _ in range(2)
    ]  # fmt: skip
    plain = reports.report(
        *checks,
        of=Decision(
            outcome=DecisionOutcome.FAILED,
            exit_code=1,
            headline=said(),
            reasons=(
                Reason(rule="check-failed", message=said(), checks=(checks[0].id,)),
                Reason(rule="unmeasured", message=said()),
                Reason(rule="below-severity", message=said(), checks=(checks[1].id,)),
            ),
        ),
        suites=[
            reports.suite(said(), reason=said(), problems=[reports.problem(said(), path=said())]),
            reports.suite(
                said(),
                affected=False,
                reason=said(),
                problems=[reports.problem(said(), level="notice", path=said())],
            ),
        ],
        warnings=[
            ReportWarning(message=said(), path=said(), line=1),
            ReportWarning(message=said()),
        ],
        problems=[reports.problem(said(), path=said())],
        info=reports.run(
            commit=said(),
            head_commit=said(),
            id=said(),
            judge=ReportJudge(provider=said(), model=said(), parameters={}),
        ),
    )
    return dataclasses.replace(plain, mergebar_version=said(), comparison=_compared(checks, said))


def _compared(checks: Sequence[ReportCheck], said: Callable[[], str]) -> Comparison:
    """A comparison of these checks, with a text wherever one can be."""
    kinds = itertools.cycle(ChangeKind)
    ids = [*(one.id for one in checks), said(), said()]
    return Comparison(
        baseline=Baseline(commit=said(), age_s=60, source=said()),
        changes=tuple(
            CheckChange(
                check=name,
                change=next(kinds),
                comparable=True,
                reason=said(),
                label=said(),
                was=said(),
                base_outcome="fail",
                marks=tuple(Mark),
            )
            for name in ids
        ),
        loosened=tuple(
            Loosened(
                kind=Loosening.CHECK,
                suite=suite,
                what=said(),
                was=said(),
                now=said(),
                checks=("a",),
            )
            for suite in (None, said())
        ),
        edited=tuple(
            Edited(kind=EvidenceKind.TRACE, path=said(), status=status)
            for status in ("deleted", said())
        ),
        evaluators=(comparisons.tally(said()), comparisons.tally(said())),
        total=comparisons.tally(),
        renamed=(Renamed(was=said(), now=said()),),
        notes=(said(), said()),
    )
