"""An eval on two sides in; the bounds of its grader that got wider, was → now, out.

Only where the direction is certain: nothing else that the grader is told may differ.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mergebar.catalogue import graders
from mergebar.catalogue.graders import Bound
from mergebar.comparing.wording import number
from mergebar.model.comparisons import Loosening
from mergebar.model.definitions import Measured
from mergebar.model.reports import ReportCheck
from mergebar.model.text import Json

_UNSET = "unset"
_LEAST = 1
"""`tool-usage` without `min` wants one call: as much as this is no floor to lose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way in which one check is held to less."""

    kind: Loosening
    what: str
    was: str
    now: str


def ways(base: ReportCheck, head: ReportCheck) -> Iterator[Way]:
    """A higher ceiling, a lower floor, or none any more."""
    old, new = base.measured, head.measured
    if old is None or new is None or not _differ_in_bounds(old, new):
        return
    before, after = _bounds(old), _bounds(new)
    for name, was in sorted(before.items()):
        now = after.get(name)
        if _is_wider(graders.BOUNDS[name], was, now):
            shown = _UNSET if now is None else number(now)
            what = f"`{name}` of `{head.name}`"
            yield Way(kind=Loosening.THRESHOLD, what=what, was=number(was), now=shown)


def _is_wider(bound: Bound, was: float, now: float | None) -> bool:
    if bound is Bound.CEILING:
        return now is None or now > was
    return was > _LEAST if now is None else now < was


def _differ_in_bounds(old: Measured, new: Measured) -> bool:
    """Reports of earlier versions have digests for bounds, which then are among the rest."""
    return old.prompt == new.prompt and old.options != new.options and _rest(old) == _rest(new)


def _bounds(measured: Measured) -> Mapping[str, float]:
    return {
        name: value
        for name, value in measured.options.items()
        if name in graders.BOUNDS and isinstance(value, int | float)
    }


def _rest(measured: Measured) -> Mapping[str, Json]:
    bounds = _bounds(measured)
    return {name: value for name, value in measured.options.items() if name not in bounds}
