"""Paired and absent checks in; each way in which they lower the bar, was → now, out.

Product contract, section 7, Loosened. What is alike in one suite is said once, for all its checks.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from mergebar.comparing import bounding, comparability
from mergebar.comparing.bounding import Way as Way
from mergebar.comparing.changing import Pair
from mergebar.comparing.wording import number
from mergebar.model.comparisons import Loosened, Loosening
from mergebar.model.documents import Severity
from mergebar.model.plans import Skip
from mergebar.model.reports import ReportCheck, ReportJudge

_Touched: TypeAlias = tuple[str, bool]
"""The id of a check, and whether it fails in the baseline."""


def of_checks(pairs: Iterable[Pair]) -> Iterator[Loosened]:
    """What the two sides say of one check, put together by suite."""
    found: defaultdict[tuple[str, Way], list[_Touched]] = defaultdict(list)
    for pair in pairs:
        for way in _ways(pair.base, pair.head):
            found[pair.head.suite, way].append((pair.head.id, pair.base.outcome == "fail"))
    for (suite, way), touched in found.items():
        yield loosened(way, suite=suite, touched=touched)


def of_judge(
    pairs: Iterable[Pair], *, base: ReportJudge | None, head: ReportJudge | None
) -> Iterator[Loosened]:
    """Another judge; what mergebar itself says to one, nobody here has lowered."""
    if base is None or head is None:
        return
    differences = tuple(
        one for one in comparability.judges(base, head) if one.what != comparability.PROMPT
    )
    if not differences:
        return
    touched = [
        (pair.head.id, pair.base.outcome == "fail")
        for pair in pairs
        if pair.head.measured is None or pair.head.measured.judged
    ]
    for one in differences:
        way = Way(kind=Loosening.JUDGE, what=one.what, was=one.was, now=one.now)
        yield loosened(way, suite=None, touched=touched)


def loosened(way: Way, *, suite: str | None, touched: Iterable[_Touched]) -> Loosened:
    """One entry for all the checks that it touches, in the order of their ids."""
    ordered = sorted(touched)
    return Loosened(
        kind=way.kind,
        suite=suite,
        what=way.what,
        was=way.was,
        now=way.now,
        checks=tuple(check for check, _ in ordered),
        failing=tuple(check for check, fails in ordered if fails),
    )


def _ways(base: ReportCheck, head: ReportCheck) -> Iterator[Way]:
    if base.threshold != head.threshold:
        yield from _threshold(base, head)
    if base.severity != head.severity:
        yield from _severity(base, head)
    if head.weight < base.weight:
        what = f"weight of `{head.name}`"
        was, now = number(base.weight), number(head.weight)
        yield Way(kind=Loosening.WEIGHT, what=what, was=was, now=now)
    if base.must_pass and not head.must_pass:
        what = f"`{head.name}`"
        yield Way(kind=Loosening.MUST_PASS, what=what, was="must pass", now="may fail")
    if head.skip == Skip.DECLINED and base.skip != Skip.DECLINED:
        now = f"skipped ({head.reason})" if head.reason else "skipped"
        yield Way(kind=Loosening.SKIP, what=f"`{head.name}`", was="measured", now=now)
    if base.measured is not head.measured:
        yield from _counts(base, head)
        yield from bounding.ways(base, head)


def _threshold(base: ReportCheck, head: ReportCheck) -> Iterator[Way]:
    if base.threshold is None or head.threshold is None or head.threshold > base.threshold:
        return
    was, now = number(base.threshold), number(head.threshold)
    yield Way(kind=Loosening.THRESHOLD, what=f"threshold of `{head.name}`", was=was, now=now)


def _severity(base: ReportCheck, head: ReportCheck) -> Iterator[Way]:
    if Severity(head.severity).rank < Severity(base.severity).rank:
        what = f"severity of `{head.name}`"
        yield Way(kind=Loosening.SEVERITY, what=what, was=base.severity, now=head.severity)


def _counts(base: ReportCheck, head: ReportCheck) -> Iterator[Way]:
    """Fewer runs or votes, or more votes that can turn a failure."""
    old, new = base.measured, head.measured
    if old is None or new is None:
        return
    name = f"`{head.name}`"
    if new.runs < old.runs:
        yield _count(Loosening.RUNS, f"runs of {name}", old.runs, new.runs)
    if new.votes < old.votes:
        yield _count(Loosening.VOTES, f"votes on {name}", old.votes, new.votes)
    was, now = old.confirm_failures, new.confirm_failures
    if now > was:
        yield _count(Loosening.VOTES, f"votes that confirm a failure of {name}", was, now)


def _count(kind: Loosening, what: str, was: int, now: int) -> Way:
    return Way(kind=kind, what=what, was=str(was), now=str(now))
