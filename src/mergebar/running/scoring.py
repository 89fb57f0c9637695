"""One answered turn and one check in; the result of that run of the check out."""

import math
from collections.abc import Callable

from mergebar.model.conversations import Answer, ErrorClass, Exchange, Failure, total_usage
from mergebar.model.documents import Turn
from mergebar.model.evaluations import AskJudge, Evaluator, Evidence, Score
from mergebar.model.plans import PlannedCheck
from mergebar.model.results import Outcome, RunResult


def evidence(
    turn: Turn,
    answer: Answer,
    history: tuple[Exchange, ...],
    *,
    redact: Callable[[str], str] = str,
) -> Evidence:
    """What an evaluator sees of a turn."""
    return Evidence(
        prompt=turn.prompt,
        response=answer.response,
        history=history,
        expected_response=turn.expected_response,
        context=turn.context,
        citations=answer.citations,
        diagnostics=answer.diagnostics,
        redact=redact,
    )


async def score(
    check: PlannedCheck,
    seen: Evidence,
    *,
    evaluator: Evaluator,
    ask: AskJudge,
    clock: Callable[[], float],
) -> RunResult:
    """Let the evaluator say; a failure of it is a result too."""
    started = clock()
    found = await evaluator.evaluate(
        seen, options=check.evaluator.options, threshold=check.evaluator.threshold, ask=ask
    )
    duration = clock() - started
    if isinstance(found, Failure):
        return unmeasured(found, duration_s=duration)
    if not math.isfinite(found.score):
        return unmeasured(_no_number(check), duration_s=duration)
    return _measured(found, duration_s=duration)


def unmeasured(
    failure: Failure, *, agent_failed: bool = False, duration_s: float = 0.0
) -> RunResult:
    """A run that came to nothing, by the agent's fault or by another's."""
    return RunResult(
        outcome=Outcome.ERROR,
        reason=failure.message,
        error=failure,
        agent_failed=agent_failed,
        duration_s=duration_s,
    )


def _measured(found: Score, *, duration_s: float) -> RunResult:
    return RunResult(
        outcome=Outcome.PASS if found.passed else Outcome.FAIL,
        score=found.score,
        threshold=found.threshold,
        reason=found.reason,
        votes=tuple(vote.score for vote in found.votes),
        record=found.record,
        usage=total_usage(vote.usage for vote in found.votes),
        duration_s=duration_s,
        cached=bool(found.votes) and all(vote.cached for vote in found.votes),
    )


def _no_number(check: PlannedCheck) -> Failure:
    return Failure(
        error_class=ErrorClass.EVALUATOR,
        message=f"`{check.name}` gave a score that is no finite number",
        code="invalidEvaluatorResult",
    )
