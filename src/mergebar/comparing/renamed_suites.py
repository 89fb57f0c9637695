"""Two reports in; suites that may be one under two names, in words, out.

Renames are what git says they are; whoever compares two files has nobody to ask.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from mergebar.model.reports import Report, ReportCheck

_SHOWN = 3
_ENOUGH = 0.5

_Measure: TypeAlias = tuple[str, int | None, str, str]


def remarks(base: Report, head: Report, *, renames: Mapping[str, str]) -> tuple[str, ...]:
    """Nothing where the suites are the same, or where one report has none.

    `renames` are known already: they lead from old paths to new ones.
    """
    old = {renames.get(check.suite, check.suite) for check in base.checks}
    new = {check.suite for check in head.checks}
    if not old or not new:
        return ()
    gone, come = _suites(base, renames, but=new), _suites(head, {}, but=old)
    found = list(_likely(gone, come))
    others = len(found) - _SHOWN
    more = [f"{others} more {'suite' if others == 1 else 'suites'} may be renamed"]
    if not found and old.isdisjoint(new):
        return ("the reports have no suite in common: are they of one repository?",)
    return (*found[:_SHOWN], *(more if others > 0 else ()))


def _suites(
    report: Report, renames: Mapping[str, str], *, but: AbstractSet[str]
) -> Mapping[str, set[_Measure]]:
    """What each suite measures, by its path."""
    found: defaultdict[str, set[_Measure]] = defaultdict(set)
    for check in report.checks:
        path = renames.get(check.suite, check.suite)
        if path not in but:
            found[path].add(_measure(check))
    return {path: found[path] for path in sorted(found)}


def _measure(check: ReportCheck) -> _Measure:
    return check.case, check.turn, check.name, check.definition


def _likely(old: Mapping[str, set[_Measure]], new: Mapping[str, set[_Measure]]) -> Iterator[str]:
    """Each vanished suite with the new one that measures most of the same."""
    places: defaultdict[_Measure, list[str]] = defaultdict(list)
    for path, measures in new.items():
        for one in measures:
            # What is measured in many places tells none of them from the others.
            if len(places[one]) < _SHOWN:
                places[one].append(path)
    for path, measures in old.items():
        shared = Counter(there for one in measures for there in places.get(one, ()))
        for there, count in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:1]:
            if count >= _ENOUGH * len(measures):
                yield (
                    f"`{path}` may be `{there}` now: {count} of its {len(measures)} checks measure "
                    "the same there. Two files say nothing of renames: `mergebar run` asks git"
                )
