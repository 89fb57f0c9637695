"""A report with its comparison in; what became of its checks, sorted for readers, out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mergebar.model.comparisons import ChangeKind, CheckChange, Comparison, Tally
from mergebar.model.reports import Report, ReportCheck

_WITHOUT = frozenset({"error", "skipped", "needs-review"})
_FIRST = (
    ChangeKind.REGRESSED,
    ChangeKind.NEW,
    ChangeKind.NOT_COMPARABLE,
    ChangeKind.STILL_FAILING,
)
_RANKS = {kind: rank for rank, kind in enumerate(_FIRST)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A check and what became of it; `check` is `None` where only the baseline has it."""

    change: CheckChange
    check: ReportCheck | None

    @property
    def name(self) -> str:
        """The evaluator, or the key of the eval."""
        return self.check.name if self.check else self.change.check.rpartition("::")[2]

    @property
    def suite(self) -> str:
        return self.check.suite if self.check else self.change.check.partition("::")[0]

    @property
    def label(self) -> str:
        return self.check.label if self.check else self.change.label or self.change.check


@dataclass(frozen=True, slots=True, kw_only=True)
class Incomparable:
    """Checks that can't be compared, for one reason."""

    reason: str
    checks: tuple[Changed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What is carried of one suite."""

    suite: str
    checks: int
    passed: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """All changes; `by_check` finds that of a check of this report, by its id.

    `new` are the checks that no baseline knows, however they came out. What can't be compared
    because it has no result here is in `unmeasured`, and all else that can't in `not_comparable`.
    """

    comparison: Comparison
    by_check: Mapping[str, CheckChange]
    regressed: tuple[Changed, ...]
    improved: tuple[Changed, ...]
    new: tuple[Changed, ...]
    still_failing: tuple[Changed, ...]
    still_passing: int
    removed: tuple[Changed, ...]
    not_comparable: tuple[Incomparable, ...]
    unmeasured: tuple[Incomparable, ...]
    carried: int

    def summed(self) -> str:
        """How many checks there are of each kind, in one line."""
        counts = (
            (len(self.regressed), "regressed"),
            (len(self.improved), "improved"),
            (len(self.new), "new"),
            (len(self.removed), "removed"),
            (len(self.still_failing), "still failing"),
            (self.still_passing, "still passing"),
            (_count(self.not_comparable), "not comparable"),
            (_count(self.unmeasured), "without a result"),
            (self.carried, "carried"),
        )
        said = [f"{number:,} {word}" for number, word in counts if number]
        return ", ".join(said) or "nothing to compare"

    def rank(self, check: ReportCheck) -> int:
        """What a reader of failures wants to see first."""
        change = self.by_check.get(check.id)
        return _RANKS.get(change.change, len(_RANKS)) if change else len(_RANKS)


def differ(report: Report) -> Difference | None:
    """Sort the changes, within each part in the order of the report; `None` without a baseline."""
    compared = report.comparison
    if compared is None or compared.baseline is None:
        return None
    checks = {check.id: check for check in report.checks}
    by_kind: dict[ChangeKind, list[Changed]] = {kind: [] for kind in ChangeKind}
    for change in compared.changes:
        gone = change.change is ChangeKind.REMOVED
        check = None if gone else checks.get(change.check)
        by_kind[change.change].append(Changed(change=change, check=check))
    apart = by_kind[ChangeKind.NOT_COMPARABLE]
    return Difference(
        comparison=compared,
        by_check={
            one.check: one for one in compared.changes if one.change is not ChangeKind.REMOVED
        },
        regressed=tuple(by_kind[ChangeKind.REGRESSED]),
        improved=tuple(by_kind[ChangeKind.IMPROVED]),
        new=tuple(by_kind[ChangeKind.NEW]),
        still_failing=tuple(by_kind[ChangeKind.STILL_FAILING]),
        still_passing=len(by_kind[ChangeKind.STILL_PASSING]),
        removed=tuple(by_kind[ChangeKind.REMOVED]),
        not_comparable=_incomparable(one for one in apart if not _is_without(one)),
        unmeasured=_incomparable(filter(_is_without, apart)),
        carried=len(by_kind[ChangeKind.CARRIED]),
    )


def _incomparable(changed: Iterable[Changed]) -> tuple[Incomparable, ...]:
    """The most frequent reason first."""
    grouped: dict[str, list[Changed]] = {}
    for one in changed:
        grouped.setdefault(one.change.reason, []).append(one)
    found = (Incomparable(reason=why, checks=tuple(those)) for why, those in grouped.items())
    return tuple(sorted(found, key=lambda one: -len(one.checks)))


def _is_without(one: Changed) -> bool:
    return one.check is not None and one.check.outcome in _WITHOUT


def _count(found: Iterable[Incomparable]) -> int:
    return sum(len(one.checks) for one in found)


def measured(tallies: Iterable[Tally]) -> tuple[Tally, ...]:
    """Without those that are carried as a whole: of them there is nothing to compare."""
    return tuple(one for one in tallies if one.n)


def carried(checks: Iterable[ReportCheck]) -> tuple[Carried, ...]:
    """Counts of what is carried, by suite."""
    grouped: dict[str, list[str]] = {}
    for check in checks:
        if check.carried:
            grouped.setdefault(check.suite, []).append(check.outcome)
    return tuple(
        Carried(
            suite=suite,
            checks=len(outcomes),
            passed=outcomes.count("pass"),
            failed=outcomes.count("fail"),
        )
        for suite, outcomes in grouped.items()
    )
