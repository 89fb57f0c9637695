"""A report in; what its picture shows, evaluator by evaluator, on both sides, out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mergebar.model.comparisons import Interval, Tally
from mergebar.model.plans import CheckKind
from mergebar.model.reports import Report, ReportCheck
from mergebar.report.evaluator_lines import ARTIFACTS, Line

_NOT_COMPARABLE = "not comparable"
_SCALES = ((0.0, 1.0), (1.0, 5.0), (0.0, 5.0), (0.0, 10.0), (0.0, 100.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The ends of an axis."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Where on the axis, from 0 to 1; what lies outside is put at its end."""
        share = (value - self.low) / (self.high - self.low)
        return min(1.0, max(0.0, share))


PERCENT = Scale(low=0.0, high=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """One number on both sides; `base` is `None` where nothing can be compared."""

    scale: Scale
    head: float
    base: float | None = None
    head_interval: Interval | None = None
    base_interval: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One evaluator: its pass rate and its mean score, and what the difference amounts to."""

    name: str
    rate: Sides | None
    score: Sides | None
    verdict: str
    note: str


def rows(report: Report, lines: Sequence[Line]) -> tuple[Row, ...]:
    """What can be compared is shown over what is comparable; all else as this run has it."""
    scores = _scores(report.checks)
    compared = report.comparison.evaluators if report.comparison else ()
    tallies = {one.name or "": one for one in compared}
    names = sorted({*tallies, *(line.name for line in lines)})
    by_name = {line.name: line for line in lines}
    missing = _NOT_COMPARABLE if tallies else ""
    return tuple(
        _of_tally(tallies[name], scores.get(name, ()))
        if name in tallies
        else _of_line(by_name[name], scores.get(name, ()), verdict=missing)
        for name in names
    )


def _scores(checks: Iterable[ReportCheck]) -> Mapping[str, list[float]]:
    """All scores that were given, and thresholds, which lie on the same scale."""
    found: dict[str, list[float]] = {}
    for check in checks:
        if check.score is not None:
            name = ARTIFACTS if check.kind == CheckKind.GRADER else check.name
            found.setdefault(name, []).append(check.score)
    return found


def _of_tally(tally: Tally, scores: Sequence[float]) -> Row:
    rate = None
    if tally.head is not None:
        rate = Sides(
            scale=PERCENT,
            head=tally.head,
            base=tally.base,
            head_interval=tally.head_interval,
            base_interval=tally.base_interval,
        )
    score = None
    if tally.scores is not None:
        scale = _scale([*scores, tally.scores.base, tally.scores.head])
        score = Sides(scale=scale, head=tally.scores.head, base=tally.scores.base)
    name = tally.name or ""
    return Row(name=name, rate=rate, score=score, verdict=tally.verdict.value, note=tally.note)


def _of_line(line: Line, scores: Sequence[float], *, verdict: str) -> Row:
    rate = None if line.rate is None else Sides(scale=PERCENT, head=line.rate)
    score = None
    if scores:
        score = Sides(scale=_scale(scores), head=sum(scores) / len(scores))
    return Row(name=line.name, rate=rate, score=score, verdict=verdict, note="")


def _scale(values: Sequence[float]) -> Scale:
    """The narrowest usual scale that has them all: what an evaluator could give isn't known."""
    low, high = min(values), max(values)
    for bottom, top in _SCALES:
        if bottom <= low and high <= top:
            return Scale(low=bottom, high=top)
    return Scale(low=min(low, 0.0), high=max(high, low + 1))
