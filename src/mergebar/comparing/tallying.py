"""Comparable pairs in; rates, intervals and a plain verdict, per evaluator and in total, out.

Rates are over checks, with the weights of the head on both sides. Inference is over cases, however
often each was put to the agent.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from mergebar.comparing import statistics
from mergebar.comparing.changing import Pair
from mergebar.comparing.columns import Cases, Columns, gather
from mergebar.comparing.wording import points
from mergebar.model.comparisons import Interval, Scores, Standing, Tally
from mergebar.model.plans import CheckKind
from mergebar.reading.sentences import counted

ARTIFACTS = "evals of artifacts"
_DIGITS = 12
_SHOWN = 9
_VISIBLE = 0.0005


def evaluators(pairs: Iterable[Pair]) -> tuple[Tally, ...]:
    """One row per evaluator, by name, over all its pairs, whether they gate or not.

    The evals of artifacts have names of their own, each a single check: they share one row.
    """
    by_name: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        name = ARTIFACTS if pair.head.kind == CheckKind.GRADER else pair.head.name
        by_name[name].append(pair)
    return tuple(_tally(name, by_name[name]) for name in sorted(by_name))


def total(pairs: Iterable[Pair]) -> Tally:
    """All that gates."""
    return _tally(None, [pair for pair in pairs if pair.head.gating])


def rates(pairs: Iterable[Pair]) -> tuple[float, float] | None:
    """The weighted pass rates of base and head; `None` where nothing has a weight."""
    shares = _shares(pairs, size=1)
    return None if shares is None else (_rate(shares.base), _rate(shares.head))


def _tally(name: str | None, pairs: Sequence[Pair]) -> Tally:
    columns = gather(pairs)
    count = columns.count()
    p = statistics.mcnemar_two_sided(count.regressed, count.improved)
    shares = _shares(pairs, size=statistics.effective_size(columns.weights))
    base, head = (_rate(shares.base), _rate(shares.head)) if shares else (None, None)
    verdict = _verdict(count, p)
    return Tally(
        name=name,
        base=base,
        head=head,
        delta=None if base is None or head is None else round(head - base, _DIGITS),
        checks=len(pairs),
        n=count.n,
        carried=count.carried,
        regressed=count.regressed,
        improved=count.improved,
        p=p if count.n else None,
        interval=_shown(statistics.paired_interval(shares)) if shares and count.n else None,
        base_interval=_interval(base, shares),
        head_interval=_interval(head, shares),
        scores=None if name is None else _scores(columns),
        detectable=statistics.minimum_detectable_difference(count.n),
        verdict=verdict,
        note=_note(count, p, verdict) + _contrast(verdict, base, head),
    )


def _shares(pairs: Iterable[Pair], *, size: float) -> statistics.Pairs | None:
    """How the weight is distributed over the four ways to come out."""
    weights: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for pair in pairs:
        weights[pair.base.outcome, pair.head.outcome].append(pair.head.weight)
    sums = {outcomes: math.fsum(some) for outcomes, some in weights.items()}
    whole = math.fsum(sums.values())
    if whole <= 0:
        return None
    return statistics.Pairs(
        both=sums.get(("pass", "pass"), 0) / whole,
        worse=sums.get(("pass", "fail"), 0) / whole,
        better=sums.get(("fail", "pass"), 0) / whole,
        neither=sums.get(("fail", "fail"), 0) / whole,
        size=size,
    )


def _rate(share: float) -> float:
    """Rounded to 12 digits: the scale of the weights can't tip a comparison."""
    return min(1.0, round(share, _DIGITS))


def _interval(rate: float | None, shares: statistics.Pairs | None) -> Interval | None:
    return None if rate is None or shares is None else _shown(statistics.wilson(rate, shares.size))


def _shown(interval: Interval) -> Interval:
    """Rounded to 9 digits: the last ones of a sum depend on the order of what is summed."""
    return Interval(low=round(interval.low, _SHOWN), high=round(interval.high, _SHOWN))


def _verdict(count: Cases, p: float) -> Standing:
    if count.n < statistics.fewest_changes():
        return Standing.TOO_FEW
    if p >= statistics.ALPHA:
        return Standing.WITHIN_NOISE
    return Standing.REGRESSED if count.regressed > count.improved else Standing.IMPROVED


def _note(count: Cases, p: float, verdict: Standing) -> str:
    if not count.n:
        return "all of it is carried" if count.carried else "nothing was measured on both sides"
    if verdict is Standing.TOO_FEW:
        return f"{counted(count.n, 'case')} can't show any difference"
    changed = f"{count.regressed} of {count.n} cases regressed, {count.improved} improved"
    if verdict is not Standing.WITHIN_NOISE:
        return f"{changed} (p = {p:.2g})"
    least = statistics.minimum_detectable_difference(count.n) or 1
    return f"{changed}; {count.n} cases can't show less than {points(least)}"


def _contrast(verdict: Standing, base: float | None, head: float | None) -> str:
    """What to know where the verdict and the difference point elsewhere."""
    signs = {Standing.REGRESSED: -1, Standing.IMPROVED: 1}
    if verdict not in signs or base is None or head is None:
        return ""
    if (head - base) * signs[verdict] >= _VISIBLE:
        return ""
    return "; the verdict counts cases, and Δ weighs checks: what weighs much hides the rest"


def _scores(columns: Columns) -> Scores | None:
    """Means over the cases that were scored on both sides and measured here."""
    rows = [
        row for row, weight in enumerate(columns.scored) if columns.measured[row] and weight > 0
    ]
    if not rows:
        return None
    weight = math.fsum(columns.scored[row] for row in rows)
    base = math.fsum(columns.base_scores[row] for row in rows) / weight
    head = math.fsum(columns.head_scores[row] for row in rows) / weight
    return Scores(
        base=round(base, _SHOWN),
        head=round(head, _SHOWN),
        delta=round(head - base, _SHOWN),
        n=len(rows),
        interval=_bootstrapped(columns, rows),
    )


def _bootstrapped(columns: Columns, rows: Sequence[int]) -> Interval | None:
    """Too few cases to tell anything are too few to draw from."""
    if len(rows) < statistics.fewest_changes():
        return None
    weights = [columns.scored[row] for row in rows]
    differences = [
        round((columns.head_scores[row] - columns.base_scores[row]) / columns.scored[row], _SHOWN)
        for row in rows
    ]
    return _shown(statistics.bootstrap(differences, weights))
