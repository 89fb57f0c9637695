"""An outcome and the facts in; the line that stands first in every report out.

It says the number that matters; who draws it puts the outcome in front.
"""

from collections.abc import Iterator, Sequence

from mergebar.gating import wording
from mergebar.gating.facts import Facts, is_declined
from mergebar.gating.failing import below_floor, blocking
from mergebar.gating.measuring import out_of_time, outstanding, unmeasured_suites
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.plans import NO_JUDGE, Skip
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.model.results import CheckResult

_BASELINE, _REPORT = "config/baseline", "report/"


def headline(outcome: DecisionOutcome, facts: Facts) -> str:
    """The headline of this outcome, which the facts must bear out."""
    said = " · ".join([_HEADLINES[outcome](facts), *_besides(outcome, facts)])
    return f"{said} ({facts.note})" if facts.note else said


def _besides(outcome: DecisionOutcome, facts: Facts) -> Iterator[str]:
    """What has to be known of any outcome before it is believed."""
    measured = facts.measured
    if outcome is DecisionOutcome.PASSED and measured:
        yield from _toothless(facts)
    stale = sum(1 for result in measured if result.stale)
    if stale:
        yield f"{stale} graded on stale sessions"
    if measured and (left := len(_left_out(facts))):
        yield f"{wording.counted(left, 'stale session')} withheld"
    replayed = sum(1 for result in measured if result.replayed)
    if replayed:
        yield f"{replayed} replayed"
    said_already = outcome is DecisionOutcome.NEEDS_REVIEW and facts.policy.loosened_review
    if facts.loosened is not None and not said_already:
        yield facts.loosened


def _left_out(facts: Facts) -> frozenset[str]:
    """The recorded sessions that are older than what they would be graded for."""
    return frozenset(
        result.check.case
        for result in facts.checks
        if result.check.stale and result.skip is Skip.WITHHELD and not result.carried
    )


def _toothless(facts: Facts) -> Iterator[str]:
    """A pass that nothing could have prevented is worth less than it looks."""
    if any(result.check.gating for result in facts.measured):
        return
    gates_elsewhere = any(result.check.gating for result in facts.checks)
    yield "nothing that was measured gates" if gates_elsewhere else "no check gates"


def _invalid(facts: Facts) -> str:
    errors = [one for one in facts.config_problems if one.level is Level.ERROR]
    parts = [_cannot_start(errors)] if errors else []
    names = sorted(
        suite.path for suite in facts.suites if suite.affected and is_invalid(suite.problems)
    )
    if names:
        count = wording.counted(len(names), "affected suite")
        parts.append(
            f"{count} {'is' if len(names) == 1 else 'are'} invalid: {wording.listed(names)}"
        )
    return "; ".join(parts)


def _cannot_start(errors: Sequence[Problem]) -> str:
    """Where a place is known it is the configuration, or the report that was named to compare with.

    Else what was asked for can't be done.
    """
    count = wording.counted(len(errors), "problem")
    if all(one.rule == _BASELINE or one.rule.startswith(_REPORT) for one in errors):
        return f"the baseline can't be used: {count}"
    if all(one.path is not None for one in errors):
        return f"the configuration is invalid: {count}"
    return f"this can't run as it was asked for: {count}"


def _failed(facts: Facts) -> str:
    parts = []
    results = blocking(facts)
    if results:
        count = wording.counted(len(results), "check")
        verb = "blocks" if len(results) == 1 else "block"
        kinds = wording.changes(results, facts.comparison)
        parts.append(f"{count} {verb} ({kinds})" if kinds else f"{count} {verb}")
    groups = sum(1 for _ in below_floor(facts))
    if groups:
        parts.append(f"{wording.counted(groups, 'rated group')} below the floor")
    if facts.drop is not None:
        parts.append(facts.drop)
    return ", ".join(parts)


def _could_not_evaluate(facts: Facts) -> str:
    unmeasured = facts.unmeasured
    if not unmeasured:
        return _without_checks(facts)
    total = wording.counted(len(facts.planned), "check")
    cause = wording.causes(unmeasured) if facts.complete else _cut_short(facts)
    return f"{len(unmeasured)} of {total} not measured: {cause}"


def _cut_short(facts: Facts) -> str:
    return out_of_time(facts) or "interrupted"


def _without_checks(facts: Facts) -> str:
    if not facts.complete:
        return _cut_short(facts)
    names = sorted(suite.path for suite in unmeasured_suites(facts))
    return f"nothing to measure in {wording.listed(names)}"


def _needs_review(facts: Facts) -> str:
    parts = []
    count = len(outstanding(facts))
    if count and facts.policy.reviews_block:
        parts.append(
            f"{wording.counted(count, 'check')} {'needs' if count == 1 else 'need'} review"
        )
    if facts.loosened is not None and facts.policy.loosened_review:
        parts.append(facts.loosened)
    return " · ".join(parts)


def _passed(facts: Facts) -> str:
    carried = sum(1 for result in facts.checks if result.carried)
    said = _measured(facts)
    if not carried:
        return said
    source = wording.baseline(facts.comparison)
    return f"{said}, {carried:,} carried from {source}"


def _measured(facts: Facts) -> str:
    measured = len(facts.measured)
    if measured:
        return f"{wording.counted(measured, 'check')} measured"
    declined = [one for one in facts.checks if is_declined(one) and not one.carried]
    if declined:
        return f"nothing measured: {_why_declined(declined)}"
    return "nothing affected"


def _why_declined(declined: Sequence[CheckResult]) -> str:
    """An option isn't the authors' doing."""
    by_option = sum(1 for one in declined if one.reason == NO_JUDGE)
    if by_option == len(declined):
        return NO_JUDGE
    authors = "skipped by its authors"
    return f"{authors}, and {by_option} {NO_JUDGE}" if by_option else authors


_HEADLINES = {
    DecisionOutcome.INVALID: _invalid,
    DecisionOutcome.FAILED: _failed,
    DecisionOutcome.COULD_NOT_EVALUATE: _could_not_evaluate,
    DecisionOutcome.NEEDS_REVIEW: _needs_review,
    DecisionOutcome.PASSED: _passed,
}
