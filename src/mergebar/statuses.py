"""What came of a turn in; its status, as a document with results states it, out (spec, section 4).

It names what happened and decides nothing: the gate looks at checks, never at these.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mergebar.model.conversations import Answer, ErrorClass, Failure
from mergebar.model.results import Outcome, RunResult
from mergebar.model.text import Json, JsonObject


class Status(StrEnum):
    """What a document with results says of an item, a turn or a thread."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    PARTIAL = "partial"
    ERROR = "error"


GRAVEST_FIRST = (Status.ERROR, Status.PARTIAL, Status.FAIL, Status.PASS)

TURN_CODES: Mapping[str, int] = {
    "agentRequestFailed": 4,
    "turnSkipped": 4,
    "evaluatorsFailed": 4,
    "agentAuthenticationError": 9,
    "agentRateLimited": 9,
    "agentTimeout": 9,
    "agentResponseUnparseable": 9,
    "evaluationCrashed": 9,
    "toolCallNotAllowed": 11,
}
"""The codes of an item or a turn, and the minor of schema version 1 that brought each."""

EVALUATOR_CODES: Mapping[str, int] = {
    "emptyAgentResponse": 9,
    "judgeOutputUnparseable": 9,
    "judgeAuthenticationError": 9,
    "judgeRateLimited": 9,
    "judgeTimeout": 9,
    "evaluatorConfigurationError": 9,
    "evaluatorLoadError": 9,
    "invalidEvaluatorResult": 9,
    "evaluatorError": 9,
    "toolCallEvidenceIndeterminate": 11,
}
"""The codes of a score that is an error, likewise; before minor 9 such a score has no code."""

_AGENT_CODE = {
    ErrorClass.AUTH: "agentAuthenticationError",
    ErrorClass.THROTTLED: "agentRateLimited",
    ErrorClass.TIMEOUT: "agentTimeout",
    ErrorClass.BAD_RESPONSE: "agentResponseUnparseable",
}
_EVALUATOR_CODE = {
    ErrorClass.AUTH: "judgeAuthenticationError",
    ErrorClass.THROTTLED: "judgeRateLimited",
    ErrorClass.TIMEOUT: "judgeTimeout",
    ErrorClass.BAD_RESPONSE: "judgeOutputUnparseable",
    ErrorClass.CONFIG: "evaluatorConfigurationError",
}
_STATUS = {Outcome.PASS: Status.PASS, Outcome.FAIL: Status.FAIL, Outcome.ERROR: Status.PARTIAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStatus:
    """The status of an item or a turn. `error` is its `{code, message}`; `None` for none."""

    status: Status
    error: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadSummary:
    """The `summary` of a thread: the four counters add up to `turns_total`."""

    turns_total: int
    turns_passed: int
    turns_failed: int
    turns_partial: int
    turns_errored: int
    overall_status: Status

    def record(self) -> dict[str, Json]:
        """As the document writes it."""
        return {
            "turns_total": self.turns_total,
            "turns_passed": self.turns_passed,
            "turns_failed": self.turns_failed,
            "turns_partial": self.turns_partial,
            "turns_errored": self.turns_errored,
            "overall_status": self.overall_status.value,
        }


def of_turn(
    answer: Answer | Failure | None, results: Iterable[RunResult], *, minor: int
) -> TurnStatus | None:
    """The status of one put turn; `answer` is `None` where an earlier turn ended the thread.

    `None` where the agent answered and no evaluator was attempted: a pass would be vacuous.
    """
    if answer is None:
        return _error("turnSkipped", "Turn not attempted: preceding turn failed")
    if isinstance(answer, Failure):
        return _error(agent_code(answer, minor=minor), f"Agent request failed: {answer.message}")
    return _of_answered([result.outcome for result in results if result.outcome in _STATUS])


def of_thread(turns: Iterable[TurnStatus | None]) -> ThreadSummary | None:
    """The summary over the turns that have a status; `None` where none has."""
    counts = Counter(turn.status for turn in turns if turn is not None)
    if not counts:
        return None
    return ThreadSummary(
        turns_total=counts.total(),
        turns_passed=counts[Status.PASS],
        turns_failed=counts[Status.FAIL],
        turns_partial=counts[Status.PARTIAL],
        turns_errored=counts[Status.ERROR],
        overall_status=next(status for status in GRAVEST_FIRST if counts[status]),
    )


def errored_score(failure: Failure, *, minor: int) -> dict[str, Json]:
    """The entry of `scores` for an evaluator that couldn't say; its code from minor 9 on."""
    record: dict[str, Json] = {"result": "error", "error": f"Evaluator failed: {failure.message}"}
    code = evaluator_code(failure, minor=minor)
    return record if code is None else {**record, "code": code}


def agent_code(failure: Failure, *, minor: int) -> str:
    """What a document of this minor calls an agent's failure."""
    code = failure.code or _AGENT_CODE.get(failure.error_class)
    return code if code and _exists(code, TURN_CODES, minor) else "agentRequestFailed"


def evaluator_code(failure: Failure, *, minor: int) -> str | None:
    """An evaluator's failure, as a document of this minor calls it; `None` before minor 9."""
    code = failure.code or _EVALUATOR_CODE.get(failure.error_class)
    if code and _exists(code, EVALUATOR_CODES, minor):
        return code
    return "evaluatorError" if _exists("evaluatorError", EVALUATOR_CODES, minor) else None


def _exists(code: str, codes: Mapping[str, int], minor: int) -> bool:
    return code in codes and codes[code] <= minor


def _error(code: str, message: str) -> TurnStatus:
    return TurnStatus(status=Status.ERROR, error={"code": code, "message": message})


def _of_answered(outcomes: Sequence[Outcome]) -> TurnStatus | None:
    if not outcomes:
        return None
    seen = {_STATUS[outcome] for outcome in outcomes}
    status = next(status for status in GRAVEST_FIRST if status in seen)
    if status is not Status.PARTIAL:
        return TurnStatus(status=status)
    errors = outcomes.count(Outcome.ERROR)
    message = f"Agent response obtained. {errors} of {len(outcomes)} evaluators failed to run."
    return TurnStatus(status=status, error={"code": "evaluatorsFailed", "message": message})
