"""Checks of a report in; one line of counts for each evaluator, which adds up, out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mergebar.model.plans import CheckKind
from mergebar.model.reports import ReportCheck
from mergebar.report.counting import Fate, Fates

ARTIFACTS = "evals of artifacts"
"""The one row that the evals of artifacts share: each has a name of its own."""
_ALWAYS = (Fate.PASSED, Fate.FAILED, Fate.UNMEASURED)
_HEADS = {Fate.ELSEWHERE: "other sessions"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The counts of one evaluator, or of all. Unlike the gate's rate, its own knows no weights."""

    name: str
    counts: Mapping[Fate, int]

    @property
    def checks(self) -> int:
        """All of them: the sum of its columns."""
        return sum(self.counts.values())

    @property
    def rate(self) -> float | None:
        """Passes among passes and fails; `None` where there are neither."""
        passed, failed = (self.counts.get(fate, 0) for fate in (Fate.PASSED, Fate.FAILED))
        return passed / (passed + failed) if passed + failed else None

    def numbers(self, columns: Iterable[Fate]) -> tuple[int, ...]:
        """How many checks there are, and of each of these."""
        return (self.checks, *(self.counts.get(fate, 0) for fate in columns))


def draw(checks: Iterable[ReportCheck], fates: Fates) -> tuple[Line, ...]:
    """By name."""
    grouped: dict[str, Counter[Fate]] = {}
    for check in checks:
        name = ARTIFACTS if check.kind == CheckKind.GRADER else check.name
        grouped.setdefault(name, Counter())[fates.of(check)] += 1
    return tuple(Line(name=name, counts=grouped[name]) for name in sorted(grouped))


def columns(lines: Sequence[Line]) -> tuple[Fate, ...]:
    """What there is to count: the three that everybody looks for, and what else occurs."""
    found = {fate for line in lines for fate, number in line.counts.items() if number}
    return (*_ALWAYS, *(fate for fate in Fate if fate in found and fate not in _ALWAYS))


def heads(columns: Iterable[Fate]) -> tuple[str, ...]:
    """What stands above these columns."""
    return tuple(_HEADS.get(fate, fate.value) for fate in columns)


def summed(lines: Iterable[Line]) -> Line:
    """The line of all of them."""
    counts: Counter[Fate] = Counter()
    for line in lines:
        counts.update(line.counts)
    return Line(name="all", counts=counts)
