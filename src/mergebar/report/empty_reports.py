"""Why there is no verdict in, the report that says so out: nothing was planned, nothing measured.

It stands where a run has reports of its own: what an earlier run left there must not pass for them.
"""

from mergebar import __version__
from mergebar.model.decisions import Decision, DecisionOutcome, Reason
from mergebar.model.reports import NO_CHECKS, Report, ReportCalls, ReportRunInfo

_UNFINISHED = (
    "no verdict: the run hasn't come to its end. It is still running, or was killed; run it again"
)
_NO_CALLS = ReportCalls(
    agent_calls=0,
    judge_calls=0,
    cache_hits=0,
    input_tokens=None,
    output_tokens=None,
    cost_usd=None,
)


def unfinished(*, now: str, trusted: bool) -> Report:
    """For a run that has begun: whoever is killed can't write another one any more."""
    outcome = DecisionOutcome.COULD_NOT_EVALUATE
    return _report(_decided(outcome, 3, "unfinished", _UNFINISHED), now=now, trusted=trusted)


def refused(message: str, *, now: str, trusted: bool) -> Report:
    """For a run that was refused before anything was planned."""
    return _report(
        _decided(DecisionOutcome.INVALID, 2, "invalid", message), now=now, trusted=trusted
    )


def _decided(outcome: DecisionOutcome, exit_code: int, rule: str, message: str) -> Decision:
    """A decision whose only reason is its headline."""
    return Decision(
        outcome=outcome,
        exit_code=exit_code,
        headline=message,
        reasons=(Reason(rule=rule, message=message, checks=()),),
    )


def _report(decision: Decision, *, now: str, trusted: bool) -> Report:
    return Report(
        mergebar_version=__version__,
        run=ReportRunInfo(
            id=None,
            attempt=None,
            started_at=now,
            finished_at=now,
            event=None,
            commit=None,
            head_commit=None,
            base_commit=None,
            trusted=trusted,
            complete=False,
            policy="head",
            config_digest="",
            judge=None,
            mode="enforce",
            scope="all",
        ),
        decision=decision,
        totals=NO_CHECKS,
        suites=(),
        checks=(),
        comparison=None,
        usage=_NO_CALLS,
    )
