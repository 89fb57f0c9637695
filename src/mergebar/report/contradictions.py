"""A stored report in; what in it can't be true together, as sentences, out.

Statuses in an input file are recomputed (product contract, section 8): an outcome from the scores
and the repeats, the totals from the checks, the decision as far as it follows from both.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from mergebar.model.comparisons import ChangeKind
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.reports import Report, ReportCheck, ReportRun

_GRADED = frozenset({"pass", "fail"})
_NEAR = 1e-6
_GREEN = frozenset({DecisionOutcome.PASSED, DecisionOutcome.NEEDS_REVIEW})


def find(report: Report) -> tuple[str, ...]:
    """Each contradiction once, the first check standing for all that have it too."""
    return (*_outcomes(report.checks), *_totals(report), *_decision(report))


def outcome(check: ReportCheck) -> str | None:
    """Pass or fail as the repeats and scores say it; `None` where they can't."""
    told = [_of_run(run, check.threshold) for run in check.runs]
    graded = [one for one in told if one in _GRADED]
    if len(graded) < len(told):
        return None
    if graded:
        return "pass" if graded.count("pass") * 2 > len(graded) else "fail"
    if check.score is None or check.threshold is None:
        return None
    return "pass" if _meets(check.score, check.threshold) else "fail"


def _of_run(run: ReportRun, threshold: float | None) -> str:
    if run.outcome not in _GRADED or run.score is None or threshold is None:
        return run.outcome
    return "pass" if _meets(run.score, threshold) else "fail"


def _meets(score: float, threshold: float) -> bool:
    return score >= threshold or math.isclose(score, threshold, rel_tol=1e-9, abs_tol=1e-9)


def _outcomes(checks: Sequence[ReportCheck]) -> Iterator[str]:
    wrong = [
        check
        for check in checks
        if check.outcome in _GRADED and outcome(check) not in {None, check.outcome}
    ]
    if wrong:
        first = wrong[0]
        more = f", and so do {len(wrong) - 1:,} more checks" if len(wrong) > 1 else ""
        yield (f"`{first.id}` says `{first.outcome}`, and its scores say `{outcome(first)}`{more}")


def _totals(report: Report) -> Iterator[str]:
    totals = report.totals
    counts = Counter(check.outcome for check in report.checks)
    pairs = (
        ("checks", totals.checks, len(report.checks)),
        ("passed", totals.passed, counts["pass"]),
        ("failed", totals.failed, counts["fail"]),
        ("errors", totals.errors, counts["error"]),
        ("needs_review", totals.needs_review, counts["needs-review"]),
        ("skipped", totals.skipped, counts["skipped"]),
        ("carried", totals.carried, sum(check.carried for check in report.checks)),
    )
    for name, said, counted in pairs:
        if said != counted:
            yield f"`totals.{name}` says {said:,}, and there are {counted:,}"
    rate = _rate(report.checks)
    if (totals.pass_rate is None) is not (rate is None) or (
        rate is not None and abs((totals.pass_rate or 0) - rate) > _NEAR
    ):
        yield f"`totals.pass_rate` says {_shown(totals.pass_rate)}, and the checks {_shown(rate)}"


def _rate(checks: Sequence[ReportCheck]) -> float | None:
    """The weighted share of passes, over what gates and was graded."""
    graded = [check for check in checks if check.gating and check.outcome in _GRADED]
    heaviest = max((check.weight for check in graded), default=0)
    if heaviest <= 0:
        return None
    # Shares of the heaviest: no weight is so large that a sum of them would overflow.
    whole = math.fsum(check.weight / heaviest for check in graded)
    passed = (check.weight / heaviest for check in graded if check.outcome == "pass")
    return math.fsum(passed) / whole


def _shown(rate: float | None) -> str:
    return "null" if rate is None else f"{rate:.4f}"


def _decision(report: Report) -> Iterator[str]:
    said = report.decision.outcome
    failing = [one for one in report.checks if one.outcome == "fail" and not one.carried]
    must = [check for check in failing if check.must_pass]
    if said in _GREEN and must:
        yield f"the decision is `{said}`, and `{must[0].id}` must pass and fails"
    if said in _GREEN and (unexcused := _unexcused(report, failing)):
        yield f"the decision is `{said}`, and `{unexcused[0].id}` fails, gates and wasn't known to"
    if said in _GREEN and not report.run.complete:
        yield f"the decision is `{said}`, and the run wasn't complete"
    if said is DecisionOutcome.FAILED and not failing:
        yield "the decision is `failed`, and no check that was measured fails"


def _unexcused(report: Report, failing: Sequence[ReportCheck]) -> Sequence[ReportCheck]:
    """What blocks under every policy: with a baseline, what is neither known to fail nor new."""
    if report.comparison is None or report.comparison.baseline is None:
        return ()
    excused = {
        one.check for one in report.comparison.changes if one.known or one.change is ChangeKind.NEW
    }
    return [
        check
        for check in failing
        if check.gating and check.rated is False and not check.must_pass
        if check.id not in excused
    ]
