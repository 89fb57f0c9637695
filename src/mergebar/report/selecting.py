"""A report in; what is worth showing of it, in the order in which it is read, out."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from mergebar.model.comparisons import ChangeKind, CheckChange
from mergebar.model.reports import Report, ReportCheck, ReportProblem, ReportSuite, ReportWarning
from mergebar.report import differing, evaluator_lines
from mergebar.report.counting import Fate, Fates
from mergebar.report.differing import Carried, Difference
from mergebar.report.evaluator_lines import Line

_MESSAGES = 3
_NUMBER = re.compile(r"\d+")
_EARLIER = re.compile(r"not asked: .+? refused an earlier call \((.*)\)", re.DOTALL)
_REGRESSED, _NEW, _KNOWN = "regressed check", "new failure", "known failure"
_OTHER = "failing check"
BLOCKING_RULES = frozenset({"check-failed", "rate-below-floor"})
_LISTED_ELSEWHERE = frozenset({
    "check-failed", "below-severity", "failure-allowed", "rate-above-floor", "declined",
    "config-invalid", "suite-invalid", "unaffected-invalid", "reviews-outstanding",
    "carried-failures", "loosened",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Let:
    """A failing check that doesn't block, and why not."""

    check: ReportCheck
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Failing checks that don't block, of which one thing is to be said in so many words."""

    one: str
    many: str
    let: tuple[Let, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Checks without a measurement, for one reason: an error's class, or what was missing.

    `example` is the check whose message stands for all; who failed by other words, an agent or a
    judge, is another cause.
    """

    name: str
    checks: tuple[ReportCheck, ...]

    @property
    def example(self) -> ReportCheck:
        return self.checks[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The report, sorted by what its reader has to do about it.

    What is carried is in `carried` alone, but for failures and `elsewhere`: evals without a verdict
    on a session that got one on another. `difference` is `None` where there is no baseline.
    """

    grounds: tuple[str, ...]
    invalid: tuple[ReportProblem, ...]
    other_problems: tuple[ReportProblem, ...]
    warnings: tuple[ReportWarning, ...]
    blocking: tuple[ReportCheck, ...]
    passages: tuple[Passage, ...]
    reviews: tuple[ReportCheck, ...]
    unmeasured: tuple[Cause, ...]
    declined: tuple[Cause, ...]
    elsewhere: tuple[Cause, ...]
    passed: tuple[ReportCheck, ...]
    flaky: tuple[ReportCheck, ...]
    carried: tuple[Carried, ...]
    difference: Difference | None
    lines: tuple[Line, ...]
    ran: tuple[ReportSuite, ...]
    unaffected: tuple[ReportSuite, ...]


def select(report: Report) -> Selection:
    """Sort a report for its readers; within each part, in the order of the report."""
    blocking_ids = {
        name
        for reason in report.decision.reasons
        if reason.rule in BLOCKING_RULES
        for name in reason.checks
    }
    difference = differing.differ(report)
    here = [check for check in report.checks if not check.carried]
    failed = [check for check in report.checks if check.outcome == "fail"]
    without = [check for check in here if check.outcome in {"error", "skipped"}]
    fates = Fates(report.checks)
    errors, others = _problems(report)
    return Selection(
        grounds=_grounds(report),
        invalid=errors,
        other_problems=others,
        warnings=_warnings(report.warnings, (*errors, *others)),
        blocking=_ranked([check for check in failed if check.id in blocking_ids], difference),
        passages=_passages(
            _let(report, [check for check in failed if check.id not in blocking_ids]), difference
        ),
        reviews=tuple(check for check in here if check.outcome == "needs-review"),
        unmeasured=_causes(check for check in without if fates.of(check) is Fate.UNMEASURED),
        declined=_causes(check for check in without if fates.of(check) is Fate.DECLINED),
        elsewhere=_causes(one for one in report.checks if fates.of(one) is Fate.ELSEWHERE),
        passed=tuple(check for check in here if check.outcome == "pass"),
        flaky=tuple(check for check in here if check.flaky),
        carried=differing.carried(report.checks),
        difference=difference,
        lines=evaluator_lines.draw(report.checks, fates),
        ran=tuple(suite for suite in report.suites if suite.affected),
        unaffected=tuple(suite for suite in report.suites if not suite.affected),
    )


def _ranked(
    checks: Iterable[ReportCheck], difference: Difference | None
) -> tuple[ReportCheck, ...]:
    """What got worse before what was bad already: where there is no room, the last are left out."""
    return tuple(sorted(checks, key=difference.rank)) if difference else tuple(checks)


def _passages(let: Iterable[Let], difference: Difference | None) -> tuple[Passage, ...]:
    """What got worse, what is new, what was known, and all else, as far as there is some."""
    kinds: dict[str, list[Let]] = {name: [] for name in (_REGRESSED, _NEW, _KNOWN, _OTHER)}
    for one in let:
        change = difference.by_check.get(one.check.id) if difference else None
        kinds[_kind(change)].append(one)
    return tuple(
        Passage(one=f"{name} doesn't block", many=f"{name}s don't block", let=tuple(found))
        for name, found in kinds.items()
        if found
    )


def _kind(change: CheckChange | None) -> str:
    if change is None:
        return _OTHER
    if change.known:
        return _KNOWN
    return {ChangeKind.REGRESSED: _REGRESSED, ChangeKind.NEW: _NEW}.get(change.change, _OTHER)


def _grounds(report: Report) -> tuple[str, ...]:
    """What the decision rests on and no table shows."""
    return tuple(
        reason.message
        for reason in report.decision.reasons
        if reason.rule not in _LISTED_ELSEWHERE and reason.message != report.decision.headline
    )


def _problems(
    report: Report,
) -> tuple[tuple[ReportProblem, ...], tuple[ReportProblem, ...]]:
    """Those that make the run invalid, and all others: of an unaffected suite at most warnings."""
    binding = [*report.problems]
    binding += [one for suite in report.suites if suite.affected for one in suite.problems]
    loose = [
        replace(one, level="warning") if one.level == "error" else one
        for suite in report.suites
        if not suite.affected
        for one in suite.problems
    ]
    errors = tuple(one for one in binding if one.level == "error")
    others = [*(one for one in binding if one.level != "error"), *loose]
    ranks = {"error": 0, "warning": 1}
    return errors, tuple(sorted(others, key=lambda one: ranks.get(one.level, 2)))


def _warnings(
    warnings: Iterable[ReportWarning], problems: Iterable[ReportProblem]
) -> tuple[ReportWarning, ...]:
    """A problem of no suite is a warning of the report too, and is said once."""
    said = {(one.path, one.message) for one in problems}
    return tuple(one for one in warnings if (one.path, one.message) not in said)


def _let(report: Report, failed: Iterable[ReportCheck]) -> tuple[Let, ...]:
    """Why each doesn't block: the gate says it after the colon of its reason."""
    why = {
        name: reason.message.partition(": ")[2] or reason.message
        for reason in report.decision.reasons
        for name in reason.checks
    }
    return tuple(
        Let(check=check, why=why.get(check.id, f"severity `{check.severity}`")) for check in failed
    )


def _causes(checks: Iterable[ReportCheck]) -> tuple[Cause, ...]:
    """The most frequent first. What is rare among many messages of one class is told as one."""
    grouped: dict[tuple[str, str], list[ReportCheck]] = {}
    for check in checks:
        grouped.setdefault(_cause(check), []).append(check)
    messages: Counter[str] = Counter()
    causes: dict[tuple[str, str], list[ReportCheck]] = {}
    for (name, message), found in sorted(grouped.items(), key=lambda one: -len(one[1])):
        messages[name] += 1
        key = (name, message if messages[name] <= _MESSAGES else "")
        causes.setdefault(key, []).extend(found)
    told = (Cause(name=name, checks=tuple(found)) for (name, _), found in causes.items())
    return tuple(sorted(told, key=lambda cause: -len(cause.checks)))


def _cause(check: ReportCheck) -> tuple[str, str]:
    """A skip goes by its reason, an error by its class and by what its message says but numbers.

    What a refusal kept from being asked goes with that refusal.
    """
    if check.error is None:
        return check.reason or "no reason given", ""
    earlier = _EARLIER.fullmatch(check.error.message)
    return check.error.error_class, _NUMBER.sub("", earlier[1] if earlier else check.error.message)
