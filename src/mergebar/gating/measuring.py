"""What was not measured that should have been, what waits for a person, and what was declined."""

from collections.abc import Iterator

from mergebar.gating import wording
from mergebar.gating.facts import Facts, is_declined, is_unmeasured
from mergebar.gating.findings import Finding, about
from mergebar.model.conversations import ErrorClass
from mergebar.model.plans import PlannedSuite, Skip
from mergebar.model.results import CheckResult, Outcome

MINUTES = "`budget.minutes`"
"""How the message of what they left unmeasured names them."""


def unmeasured_suites(facts: Facts) -> tuple[PlannedSuite, ...]:
    """The affected suites of which nothing was measured, though not everything was declined.

    Where all the rest is carried, nothing was left to measure.
    """
    measured = {result.check.suite for result in facts.measured}
    wanted = {result.check.suite for result in facts.planned}
    settled = {result.check.suite for result in facts.checks} - wanted
    return tuple(
        suite
        for suite in facts.affected
        if suite.path not in measured and suite.path not in settled
    )


def interrupted(facts: Facts) -> Iterator[Finding]:
    """By somebody: what the minutes of the budget ended is the budget's to say."""
    if not facts.complete and out_of_time(facts) is None:
        measured = len(facts.measured)
        total = wording.counted(len(_wanted(facts)), "check")
        yield Finding(message=f"the run was interrupted with {measured} of {total} measured")


def _wanted(facts: Facts) -> frozenset[str]:
    """Also the checks that nobody came to, and that so have no result."""
    planned = (
        check.id
        for suite in facts.affected
        for case in suite.cases
        for check in case.checks
        if check.skip is None or check.skip.kind is not Skip.DECLINED
    )
    known = {result.check.id for result in facts.checks}
    return frozenset(
        {one for one in planned if one not in known} | {result.check.id for result in facts.planned}
    )


def out_of_time(facts: Facts) -> str | None:
    """What the minutes of the budget say, where those ended the run."""
    if facts.complete:
        return None
    spent = (
        result.error.message
        for result in facts.checks
        if result.error is not None and result.error.error_class is ErrorClass.BUDGET
    )
    return next((said for said in spent if MINUTES in said), None)


def suites(facts: Facts) -> Iterator[Finding]:
    names = sorted(suite.path for suite in unmeasured_suites(facts))
    if names:
        count = wording.counted(len(names), "affected suite")
        yield Finding(message=f"nothing was measured of {count}: {wording.listed(names)}")


def must_pass(facts: Facts) -> Iterator[Finding]:
    results = [result for result in facts.unmeasured if result.check.must_pass]
    if results:
        count = wording.counted(len(results), "check")
        yield about(results, f"{count} that must pass not measured: {wording.causes(results)}")


def budget(facts: Facts) -> Iterator[Finding]:
    results = [
        result
        for result in facts.checks
        if result.error is not None and result.error.error_class is ErrorClass.BUDGET
    ]
    if results:
        causes = {result.error.message for result in results if result.error is not None}
        said = f": {next(iter(causes))}" if len(causes) == 1 else ""
        count = wording.counted(len(results), "check")
        yield about(results, f"the budget ran out before {count}{said}")


def share(facts: Facts) -> Iterator[Finding]:
    results, share = _unmeasured_share(facts)
    if share > facts.policy.unmeasured:
        allowed = f"`gate.unmeasured` allows {facts.policy.unmeasured:g} of them"
        yield about(results, f"{_share_of_gating(results, facts)}; {allowed}")


def tolerated(facts: Facts) -> Iterator[Finding]:
    results, share = _unmeasured_share(facts)
    if results and share <= facts.policy.unmeasured:
        allowed = f"within the {facts.policy.unmeasured:g} that `gate.unmeasured` allows"
        yield about(results, f"{_share_of_gating(results, facts)}, {allowed}")
    others = [result for result in facts.unmeasured if not result.check.gating]
    if others:
        count = wording.counted(len(others), "check")
        yield about(others, f"{count} that can't block not measured ({wording.causes(others)})")


def _unmeasured_share(facts: Facts) -> tuple[list[CheckResult], float]:
    gating = [result for result in facts.planned if result.check.gating]
    results = [result for result in gating if is_unmeasured(result)]
    return results, len(results) / len(gating) if gating else 0.0


def _share_of_gating(results: list[CheckResult], facts: Facts) -> str:
    total = sum(1 for result in facts.planned if result.check.gating)
    count = wording.counted(total, "gating check")
    return f"{len(results)} of {count} not measured ({wording.causes(results)})"


def outstanding(facts: Facts) -> list[CheckResult]:
    """The gating checks of this run that wait for a person."""
    return [
        result
        for result in facts.measured
        if result.outcome is Outcome.NEEDS_REVIEW and result.check.gating
    ]


def reviews(facts: Facts) -> Iterator[Finding]:
    results = outstanding(facts)
    if results and facts.policy.reviews_block:
        verb = "waits" if len(results) == 1 else "wait"
        count = wording.counted(len(results), "gating check")
        yield about(results, f"{count} {verb} for a review")


def loosened(facts: Facts) -> Iterator[Finding]:
    if facts.loosened is not None and facts.policy.loosened_review:
        touched = facts.comparison.loosened if facts.comparison is not None else ()
        checks = {check for one in touched for check in one.checks}
        message = f"{facts.loosened}, and `gate.loosened` is `review`"
        yield Finding(message=message, checks=tuple(sorted(checks)))


def declined(facts: Facts) -> Iterator[Finding]:
    results = [result for result in facts.checks if is_declined(result)]
    if results:
        yield about(results, f"{wording.counted(len(results), 'check')} declined")
