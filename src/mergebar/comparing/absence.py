"""Checks that only the baseline has in; whether and why each is gone, out."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from mergebar.comparing import changing
from mergebar.comparing.edited_prompts import EditedPrompts
from mergebar.comparing.pairing import Pairing
from mergebar.model.comparisons import ChangeKind, CheckChange
from mergebar.model.reports import Report, ReportCheck, ReportProblem

OUTSIDE = "its suite is in no group any more"
EMPTY = "its suite declares no evals any more"
_WITHOUT_EVALS = "artifact/without-evals"


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """A check that isn't in this report. Its case or its whole suite may have gone with it."""

    check: ReportCheck
    change: CheckChange
    suite_gone: bool = False
    case_gone: bool = False

    @property
    def removed(self) -> bool:
        """Whether it is really gone, and not just without a verdict here."""
        return self.change.change is ChangeKind.REMOVED


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """What happened to files: `renames` lead from old paths to new ones.

    `filtered`: this run was asked for less than everything, so that what isn't here proves nothing.
    `known`: it is known which files were deleted, and so that all others are still there.
    """

    renames: Mapping[str, str]
    deleted: Collection[str] = ()
    filtered: bool = False
    known: bool = False


def absent(
    found: Pairing[ReportCheck, ReportCheck], *, head: Report, moves: Moves
) -> Iterator[Absent]:
    """One value per check that is gone; a check that this run just didn't look at has none."""
    if not found.gone or _is_invalid(head.problems):
        return
    kept = _kept(found, moves.renames)
    edited = EditedPrompts.between(found, renames=moves.renames)
    suites = _Suites(head, moves=moves)
    for check in found.gone:
        path = moves.renames.get(check.suite, check.suite)
        if suites.is_invalid(path):
            yield _told(check, ChangeKind.NOT_COMPARABLE, f"`{path}` is invalid here")
        elif suites.is_gone(path):
            yield _told(check, ChangeKind.REMOVED, suites.why_gone(path), suite=True)
        elif suites.was_asked(path):
            alone = (check.suite, check.case) in kept
            reason = f"`{check.name}` is gone from its case" if alone else _gone(check, edited)
            yield _told(check, ChangeKind.REMOVED, reason, case=not alone)


def _kept(
    found: Pairing[ReportCheck, ReportCheck], renames: Mapping[str, str]
) -> set[tuple[str, str]]:
    """The cases of the base that are still there, whatever is checked of them now."""
    here = {(check.suite, check.case) for check in found.new}
    here |= {(head.suite, head.case) for _, head in found.matched}
    return {(base.suite, base.case) for base, _ in found.matched} | {
        (check.suite, check.case)
        for check in found.gone
        if (renames.get(check.suite, check.suite), check.case) in here
    }


def _gone(check: ReportCheck, edited: EditedPrompts) -> str:
    like = edited.find(check)
    return f"its case is gone; the new case `{like}` looks like it" if like else "its case is gone"


def _told(
    check: ReportCheck, change: ChangeKind, reason: str, *, suite: bool = False, case: bool = False
) -> Absent:
    return Absent(
        check=check,
        change=changing.gone(check, change=change, reason=reason),
        suite_gone=suite,
        case_gone=case,
    )


class _Suites:
    """What this report says of its suites."""

    __slots__ = ("_by_path", "_empty", "_moves", "_with_checks")

    def __init__(self, head: Report, *, moves: Moves) -> None:
        self._by_path = {suite.path: suite for suite in head.suites}
        self._with_checks = {check.suite for check in head.checks}
        self._empty = {one.path for one in head.problems if one.rule == _WITHOUT_EVALS}
        self._moves = moves

    def is_invalid(self, path: str) -> bool:
        suite = self._by_path.get(path)
        return suite is not None and _is_invalid(suite.problems)

    def is_gone(self, path: str) -> bool:
        """What is found here is there, whatever git says of the path: a link may lead to it."""
        if path in self._by_path:
            return False
        return path in self._moves.deleted or not self._moves.filtered

    def why_gone(self, path: str) -> str:
        if path in self._moves.deleted or not self._moves.known:
            return "its suite is gone"
        return EMPTY if path in self._empty else OUTSIDE

    def was_asked(self, path: str) -> bool:
        """Not left out by a filter, and not unaffected with nothing to carry."""
        suite = self._by_path.get(path)
        if suite is None or self._moves.filtered:
            return False
        return suite.affected or path in self._with_checks


def _is_invalid(problems: Iterable[ReportProblem]) -> bool:
    return any(problem.level == "error" for problem in problems)
