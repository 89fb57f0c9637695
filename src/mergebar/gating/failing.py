"""Which failing checks block, which rates are below a floor, and which failures are let pass."""

from collections.abc import Iterator

from mergebar.gating import wording
from mergebar.gating.facts import Facts, is_gating_failure
from mergebar.gating.findings import Finding, about
from mergebar.gating.rates import pass_rate
from mergebar.model.documents import Severity
from mergebar.model.results import CheckResult, Outcome


def blocking(facts: Facts) -> tuple[CheckResult, ...]:
    """The failing checks that block each by itself."""
    return tuple(
        result
        for result in facts.checks
        if is_gating_failure(result)
        and facts.floor(result) is None
        and not _known_and_allowed(result, facts)
        and not _new_and_warned(result, facts)
    )


def below_floor(facts: Facts) -> Iterator[tuple[int, float, float]]:
    """The rated groups that failed: index, pass rate and floor."""
    for group, rate, floor in _rated(facts):
        if rate < floor:
            yield group, rate, floor


def failures(facts: Facts) -> Iterator[Finding]:
    results = blocking(facts)
    if results:
        count = wording.counted(len(results), "gating check")
        yield about(results, f"{count} failed")


def rates(facts: Facts) -> Iterator[Finding]:
    for group, rate, floor in below_floor(facts):
        shown = f"{wording.rate(rate)} < {floor:g}"
        yield about(
            _failures_of(group, facts),
            f"the pass rate of document group {group + 1} is below its floor: {shown}",
        )


def drop(facts: Facts) -> Iterator[Finding]:
    if facts.drop is not None:
        yield Finding(message=facts.drop)


def _rated(facts: Facts) -> Iterator[tuple[int, float, float]]:
    """The rated groups in which a check failed here: index, pass rate and floor."""
    for group, floor in enumerate(facts.groups):
        results = [result for result in facts.checks if result.check.group == group]
        rate = pass_rate(results)
        if floor is not None and rate is not None and _failures_of(group, facts):
            yield group, rate, floor


def _failures_of(group: int, facts: Facts) -> list[CheckResult]:
    return [
        result
        for result in facts.checks
        if result.check.group == group
        and is_gating_failure(result)
        and facts.floor(result) is not None
    ]


def _known_and_allowed(result: CheckResult, facts: Facts) -> bool:
    return (
        not facts.policy.known_failures_block
        and not result.check.must_pass
        and result.check.id in facts.known
    )


def _new_and_warned(result: CheckResult, facts: Facts) -> bool:
    return (
        not facts.policy.new_failures_block and not result.check.must_pass and facts.is_new(result)
    )


def below_severity(facts: Facts) -> Iterator[Finding]:
    bar = facts.policy.severity
    for severity in Severity:
        results = [
            result
            for result in facts.checks
            if result.outcome is Outcome.FAIL
            and not result.carried
            and not result.check.gating
            and result.check.severity is severity
        ]
        if results:
            yield about(results, f"{_dont_block(results)}: severity `{severity}` is below `{bar}`")


def allowed(facts: Facts) -> Iterator[Finding]:
    unrated = [
        result
        for result in facts.checks
        if is_gating_failure(result) and facts.floor(result) is None
    ]
    known = [result for result in unrated if _known_and_allowed(result, facts)]
    new = [
        result
        for result in unrated
        if _new_and_warned(result, facts) and not _known_and_allowed(result, facts)
    ]
    if known:
        yield about(
            known, f"{_dont_block(known)}: known failures, and `gate.known_failures` is `allow`"
        )
    if new:
        yield about(
            new, f"{_dont_block(new)}: no baseline knows them, and `gate.new_failures` is `warn`"
        )


def above_floor(facts: Facts) -> Iterator[Finding]:
    for group, rate, floor in _rated(facts):
        if rate >= floor:
            results = _failures_of(group, facts)
            shown = f"{wording.rate(rate)}, and its floor is {floor:g}"
            yield about(
                results,
                f"{_dont_block(results)}: the pass rate of document group {group + 1} is {shown}",
            )


def carried(facts: Facts) -> Iterator[Finding]:
    results = [one for one in facts.checks if one.carried and one.outcome is Outcome.FAIL]
    if results:
        yield about(results, f"{_dont_block(results)}: this change doesn't affect them")


def _dont_block(results: list[CheckResult]) -> str:
    count = wording.counted(len(results), "failing check")
    return f"{count} {'does' if len(results) == 1 else 'do'} not block"
