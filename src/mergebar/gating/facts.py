"""Everything that a decision rests on, and the words that its rules use about a check."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mergebar.model.comparisons import Comparison
from mergebar.model.configuration import GatePolicy
from mergebar.model.conversations import ErrorClass
from mergebar.model.plans import CheckKind, PlannedCheck, PlannedSuite, Skip
from mergebar.model.problems import Problem, is_invalid
from mergebar.model.results import CheckResult, Outcome

MEASURED = frozenset({Outcome.PASS, Outcome.FAIL, Outcome.NEEDS_REVIEW})


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a decision rests on.

    `groups` holds `min_pass_rate` for each document group, in the order of the configuration.
    `config_problems` are all problems of no suite. `known` are the checks that failed in a
    comparable baseline, `new` those that no baseline knows: `None` says that there is no baseline,
    so that all are. `drop` says by how much the pass rate fell, where that is more than `max_drop`
    and more than chance. `loosened` says how much the change lowers the bar, `None` where it
    doesn't; `comparison` has the words for all this, and may be `None`.
    """

    checks: tuple[CheckResult, ...]
    suites: tuple[PlannedSuite, ...]
    policy: GatePolicy
    groups: tuple[float | None, ...] = ()
    config_problems: tuple[Problem, ...] = ()
    complete: bool = True
    known: frozenset[str] = frozenset()
    new: frozenset[str] | None = None
    drop: str | None = None
    loosened: str | None = None
    comparison: Comparison | None = None
    note: str | None = None

    def floor(self, result: CheckResult) -> float | None:
        """The floor of the check's group where the check is rated, else `None`."""
        return floor(result.check, self.groups)

    def is_new(self, result: CheckResult) -> bool:
        """Whether no baseline knows the check."""
        return self.new is None or result.check.id in self.new

    @property
    def affected(self) -> tuple[PlannedSuite, ...]:
        """The affected suites that can be measured at all."""
        return tuple(
            suite for suite in self.suites if suite.affected and not is_invalid(suite.problems)
        )

    @property
    def planned(self) -> tuple[CheckResult, ...]:
        """Those that somebody wanted measured here: all but the carried and the declined.

        What another session made up for isn't among them either.
        """
        settled = verdicts(self.checks)
        return tuple(
            result
            for result in self.checks
            if not result.carried
            and not is_declined(result)
            and not is_made_up_for(result, settled)
        )

    @property
    def unmeasured(self) -> tuple[CheckResult, ...]:
        """Those of them that were not."""
        return tuple(filter(is_unmeasured, self.planned))

    @property
    def measured(self) -> tuple[CheckResult, ...]:
        """Those that were measured here."""
        return tuple(filter(is_measured, self.checks))


def floor(check: PlannedCheck, groups: Sequence[float | None]) -> float | None:
    """What the group of a check has to reach, where that is what counts and not the check alone."""
    if check.must_pass or check.group is None or check.group >= len(groups):
        return None
    return groups[check.group]


def verdicts(checks: Iterable[CheckResult]) -> frozenset[tuple[str, str]]:
    """The evals, by suite and key, that some session gave a verdict."""
    return frozenset(
        (result.check.suite, result.check.name)
        for result in checks
        if result.check.kind is CheckKind.GRADER and result.outcome in MEASURED
    )


def is_made_up_for(result: CheckResult, settled: frozenset[tuple[str, str]]) -> bool:
    """Whether an eval couldn't be measured on this session, and was on another.

    A session that can't be understood is never made up for: somebody has to look at it.
    """
    if result.check.kind is not CheckKind.GRADER or not is_unmeasured(result):
        return False
    if result.error is not None and result.error.error_class is ErrorClass.BAD_RESPONSE:
        return False
    return (result.check.suite, result.check.name) in settled


def is_measured(result: CheckResult) -> bool:
    """Measured by this run; what is carried over was measured by another one."""
    return not result.carried and result.outcome in MEASURED


def is_declined(result: CheckResult) -> bool:
    """Skipped by its author or by a flag."""
    return result.outcome is Outcome.SKIPPED and result.skip is Skip.DECLINED


def is_unmeasured(result: CheckResult) -> bool:
    """An error, or withheld."""
    return not result.carried and result.outcome not in MEASURED and not is_declined(result)


def is_gating_failure(result: CheckResult) -> bool:
    """Failed here, and counts: a carried failure is in the rates and blocks nothing by itself."""
    return result.outcome is Outcome.FAIL and result.check.gating and not result.carried
