"""Cases with all their checks in; what of them is affected, and so runs, out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from mergebar.model.plans import PlannedCase, PlannedCheck, Withholding


def affected(cases: Iterable[PlannedCase]) -> tuple[PlannedCase, ...]:
    """What is left of each case, without those of which nothing is."""
    return tuple(_affected(cases))


def _affected(cases: Iterable[PlannedCase]) -> Iterator[PlannedCase]:
    for case in cases:
        kept = tuple(check for check in case.checks if check.cause)
        if len(kept) == len(case.checks):
            yield case
        elif kept:
            yield replace(case, checks=kept, skip=case.skip or shared_skip(kept))


def unaffected(cases: Iterable[PlannedCase]) -> Iterator[PlannedCase]:
    """The other part: what may be carried."""
    for case in cases:
        left = tuple(check for check in case.checks if not check.cause)
        if left:
            yield case if len(left) == len(case.checks) else replace(case, checks=left)


def caused(cases: Iterable[PlannedCase], causes: Mapping[str, str]) -> tuple[PlannedCase, ...]:
    """The same cases, in which the checks with these ids are affected too."""
    return tuple(
        replace(case, checks=tuple(_caused(check, causes) for check in case.checks))
        if any(check.id in causes for check in case.checks)
        else case
        for case in cases
    )


def _caused(check: PlannedCheck, causes: Mapping[str, str]) -> PlannedCheck:
    cause = causes.get(check.id)
    return check if cause is None or check.cause else replace(check, cause=cause)


def shared_skip(checks: tuple[PlannedCheck, ...]) -> Withholding | None:
    """With every check skipped, there is nothing to ask the agent for."""
    if checks and all(check.skip is not None for check in checks):
        return checks[0].skip
    return None
