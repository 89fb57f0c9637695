"""Statuses of turns, items and threads (spec, section 4)."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import statuses
from mergebar.model.conversations import Answer, ErrorClass, Failure
from mergebar.model.results import Outcome, RunResult
from mergebar.statuses import Status, TurnStatus

ANSWER = Answer(response="Hold the button for eight seconds.")
PASS, FAIL, ERROR, SKIPPED = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.SKIPPED


def results(*outcomes: Outcome) -> list[RunResult]:
    return [RunResult(outcome=outcome) for outcome in outcomes]


def failure(error_class: ErrorClass, code: str | None = None) -> Failure:
    return Failure(error_class=error_class, message="HTTP 503", code=code)


@pytest.mark.parametrize(
    ("outcomes", "status", "message"),
    [
        ([PASS, PASS], Status.PASS, None),
        ([FAIL, FAIL], Status.FAIL, None),
        ([PASS, FAIL], Status.FAIL, None),
        ([FAIL, ERROR], Status.PARTIAL, "1 of 2"),
        ([PASS, ERROR], Status.PARTIAL, "1 of 2"),
        ([ERROR, ERROR], Status.PARTIAL, "2 of 2"),
        ([PASS, FAIL, ERROR], Status.PARTIAL, "1 of 3"),
        ([PASS, SKIPPED], Status.PASS, None),
        ([ERROR, SKIPPED, SKIPPED], Status.PARTIAL, "1 of 1"),
    ],
)
def test_an_answered_turn_takes_the_gravest_of_what_its_evaluators_said(
    outcomes: list[Outcome], status: Status, message: str | None
) -> None:
    turn = statuses.of_turn(ANSWER, results(*outcomes), minor=7)

    assert turn is not None
    assert turn.status is status
    assert turn.error == (
        None
        if message is None
        else {
            "code": "evaluatorsFailed",
            "message": f"Agent response obtained. {message} evaluators failed to run.",
        }
    )


@pytest.mark.parametrize("outcomes", [[], [SKIPPED]])
def test_an_answered_turn_without_an_attempted_evaluator_has_no_status(
    outcomes: list[Outcome],
) -> None:
    assert statuses.of_turn(ANSWER, results(*outcomes), minor=7) is None


def test_a_turn_that_the_agent_failed_is_an_error_whatever_the_evaluators_said() -> None:
    turn = statuses.of_turn(failure(ErrorClass.UNAVAILABLE), results(PASS, PASS), minor=7)

    assert turn == TurnStatus(
        status=Status.ERROR,
        error={"code": "agentRequestFailed", "message": "Agent request failed: HTTP 503"},
    )


def test_a_turn_after_a_failed_one_was_not_attempted() -> None:
    assert statuses.of_turn(None, results(ERROR), minor=7) == TurnStatus(
        status=Status.ERROR,
        error={"code": "turnSkipped", "message": "Turn not attempted: preceding turn failed"},
    )


@pytest.mark.parametrize(
    ("error_class", "code"),
    [
        (ErrorClass.AUTH, "agentAuthenticationError"),
        (ErrorClass.THROTTLED, "agentRateLimited"),
        (ErrorClass.TIMEOUT, "agentTimeout"),
        (ErrorClass.BAD_RESPONSE, "agentResponseUnparseable"),
        (ErrorClass.UNAVAILABLE, "agentRequestFailed"),
        (ErrorClass.REFUSED, "agentRequestFailed"),
        (ErrorClass.BUDGET, "agentRequestFailed"),
        (ErrorClass.EVALUATOR, "agentRequestFailed"),
        (ErrorClass.CONFIG, "agentRequestFailed"),
    ],
)
def test_an_agents_failure_has_its_own_code_from_minor_9_on(
    error_class: ErrorClass, code: str
) -> None:
    assert statuses.agent_code(failure(error_class), minor=9) == code
    assert statuses.agent_code(failure(error_class), minor=8) == "agentRequestFailed"


@pytest.mark.parametrize(
    ("error_class", "code"),
    [
        (ErrorClass.AUTH, "judgeAuthenticationError"),
        (ErrorClass.THROTTLED, "judgeRateLimited"),
        (ErrorClass.TIMEOUT, "judgeTimeout"),
        (ErrorClass.BAD_RESPONSE, "judgeOutputUnparseable"),
        (ErrorClass.CONFIG, "evaluatorConfigurationError"),
        (ErrorClass.UNAVAILABLE, "evaluatorError"),
        (ErrorClass.REFUSED, "evaluatorError"),
        (ErrorClass.BUDGET, "evaluatorError"),
        (ErrorClass.EVALUATOR, "evaluatorError"),
    ],
)
def test_an_evaluators_failure_has_a_code_from_minor_9_on(
    error_class: ErrorClass, code: str
) -> None:
    assert statuses.errored_score(failure(error_class), minor=9) == {
        "result": "error",
        "error": "Evaluator failed: HTTP 503",
        "code": code,
    }
    assert statuses.errored_score(failure(error_class), minor=8) == {
        "result": "error",
        "error": "Evaluator failed: HTTP 503",
    }


def test_a_code_that_the_failure_names_goes_before_its_class_where_the_minor_knows_it() -> None:
    empty = failure(ErrorClass.BAD_RESPONSE, "emptyAgentResponse")
    tools = failure(ErrorClass.REFUSED, "toolCallNotAllowed")

    assert statuses.evaluator_code(empty, minor=9) == "emptyAgentResponse"
    assert statuses.agent_code(tools, minor=11) == "toolCallNotAllowed"
    assert statuses.agent_code(tools, minor=9) == "agentRequestFailed"


def test_a_code_that_no_schema_lists_is_never_written() -> None:
    odd = failure(ErrorClass.EVALUATOR, "somethingElse")

    assert statuses.evaluator_code(odd, minor=11) == "evaluatorError"
    assert statuses.agent_code(odd, minor=11) == "agentRequestFailed"


@given(st.lists(st.sampled_from(Status), min_size=1, max_size=20))
def test_the_counters_of_a_summary_add_up_and_the_gravest_status_is_the_threads(
    turns: list[Status],
) -> None:
    summary = statuses.of_thread([TurnStatus(status=status) for status in turns])

    assert summary is not None
    counters = (
        summary.turns_passed,
        summary.turns_failed,
        summary.turns_partial,
        summary.turns_errored,
    )
    assert sum(counters) == summary.turns_total == len(turns)
    assert summary.overall_status is min(turns, key=statuses.GRAVEST_FIRST.index)


def test_a_thread_of_which_nothing_was_attempted_has_no_summary() -> None:
    assert statuses.of_thread([None, None]) is None


def _recomputed(turn: dict[str, object], *, skipped: bool) -> TurnStatus | None:
    scores = turn["scores"]
    assert isinstance(scores, dict)
    answer: Answer | Failure | None = Answer(response=str(turn["response"]))
    if not turn["response"]:
        answer = None if skipped else failure(ErrorClass.UNAVAILABLE)
    return statuses.of_turn(
        answer, results(*(Outcome(score["result"]) for score in scores.values())), minor=4
    )


def test_the_published_scenarios_get_the_statuses_that_they_state(shared: Path) -> None:
    document = json.loads(
        next(shared.rglob("examples/valid/scenarios-with-mixed-errors.json")).read_text("utf-8")
    )

    for item in document["items"]:
        computed, failed = [], False
        for turn in item.get("turns", [item]):
            status = _recomputed(turn, skipped=failed)
            assert status is not None
            failed = failed or status.status is Status.ERROR
            computed.append(status)
            assert status.status.value == turn["status"]
            assert (status.error or {}).get("code") == turn.get("error", {}).get("code")
            if status.status is Status.PARTIAL:
                assert (status.error or {}).get("message") == turn["error"]["message"]
        if "turns" in item:
            summary = statuses.of_thread(computed)
            assert summary is not None
            assert summary.record() == item["summary"]
