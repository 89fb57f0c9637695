"""Counts and causes in; the phrases that reasons and headlines are made of out."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from mergebar.model.comparisons import ChangeKind, Comparison
from mergebar.model.problems import Problem
from mergebar.model.results import CheckResult
from mergebar.reading.sentences import counted as counted
from mergebar.reading.sentences import duration

_NAMED = 3
_CAUSES = 2
_COMMIT = 7
_CHANGES = {
    ChangeKind.REGRESSED: "regressed",
    ChangeKind.NEW: "new",
    ChangeKind.STILL_FAILING: "still failing",
    ChangeKind.NOT_COMPARABLE: "not comparable",
}


def listed(names: Sequence[str]) -> str:
    """The first names in backticks, and how many more there are."""
    shown = ", ".join(f"`{name}`" for name in names[:_NAMED])
    rest = len(names) - _NAMED
    return f"{shown} and {rest} more" if rest > 0 else shown


def causes(unmeasured: Iterable[CheckResult]) -> str:
    """Why checks were not measured, the most frequent cause first."""
    counts = Counter(_cause(result) for result in unmeasured)
    ranked = sorted(counts, key=lambda cause: (-counts[cause], cause))
    return ", ".join(ranked[:_CAUSES]) + (", …" if len(ranked) > _CAUSES else "")


def _cause(result: CheckResult) -> str:
    return result.reason if result.error is None else result.error.error_class.value


def rate(value: float) -> str:
    """Four decimals, rounded down: a rate below its floor never looks as if it reached it."""
    return f"{math.floor(value * 10_000) / 10_000:.4f}"


def placed(problem: Problem) -> str:
    """A problem with its place in front."""
    where = ":".join(
        str(part) for part in (problem.path, problem.line, problem.column) if part is not None
    )
    return f"{where}: {problem.message}" if where else problem.message


def changes(failures: Iterable[CheckResult], comparison: Comparison | None) -> str:
    """How many of the failures regressed, how many are new …; empty without a baseline."""
    if comparison is None or comparison.baseline is None:
        return ""
    kinds = {one.check: one.change for one in comparison.changes}
    counts = Counter(kinds.get(result.check.id) for result in failures)
    return ", ".join(f"{counts[kind]} {word}" for kind, word in _CHANGES.items() if counts[kind])


def baseline(comparison: Comparison | None) -> str:
    """The baseline by its commit and its age, as far as they are known."""
    found = comparison.baseline if comparison is not None else None
    if found is None or found.commit is None:
        return "the baseline"
    age = "" if found.age_s is None else f" ({duration(found.age_s) or 'just now'})"
    return f"`{found.commit[:_COMMIT]}`{age}"
