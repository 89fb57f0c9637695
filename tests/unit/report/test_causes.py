"""What wasn't measured, sorted by who failed and how; what to do about what blocks."""

import dataclasses

import pytest

from mergebar.model.decisions import Reason
from mergebar.model.reports import Report, ReportCheck
from mergebar.report import comment, terminal
from mergebar.report.presenting import Presentation
from mergebar.report.remedies import remedy
from mergebar.report.selecting import select
from mergebar.report.terminal import Style
from support import reports

JUDGE = "the judge's reply is no verdict, asked twice"
AGENT = "agent `desk` sent a reply without an answer"


def unmeasured(*messages: str, error_class: str = "bad-response") -> Report:
    checks = [
        reports.errored(error_class, message, case=f"case {index}")
        for index, message in enumerate(messages)
    ]
    return reports.report(*checks, of=reports.decision("could-not-evaluate", "not measured"))


def told(report: Report) -> list[tuple[str, str, int]]:
    causes = select(report).unmeasured
    return [(one.name, one.example.reason, len(one.checks)) for one in causes]


def test_an_agent_and_a_judge_that_fail_alike_are_two_causes() -> None:
    report = unmeasured(JUDGE, AGENT, AGENT)
    assert told(report) == [("bad-response", AGENT, 2), ("bad-response", JUDGE, 1)]
    for drawn in (terminal.draw(report, Style(width=120)), comment.draw(report, Presentation())):
        assert AGENT.replace("`", "") in drawn.replace("`", "")
        assert "no verdict, asked twice" in drawn


def test_messages_that_differ_in_numbers_are_one_cause() -> None:
    report = unmeasured("turn 2 was not put: turn 1 failed", "turn 3 was not put: turn 2 failed")
    assert [number for _, _, number in told(report)] == [2]


def test_what_a_refusal_kept_from_being_asked_is_one_cause_with_it() -> None:
    refused = "the judge refused the key: check `judge.api_key` (HTTP 401)"
    kept = f"not asked: the judge refused an earlier call ({refused})"
    assert [number for _, _, number in told(unmeasured(kept, refused, kept, AGENT))] == [3, 1]


def test_of_many_messages_of_a_class_the_rare_ones_are_told_as_one() -> None:
    words = [chr(97 + index) * 3 for index in range(20)]
    report = unmeasured(*words, *words[:2])
    counts = [number for _, _, number in told(report)]
    assert (sum(counts), sorted(counts)) == (22, [1, 2, 2, 17])


def test_the_title_counts_a_class_once() -> None:
    report = dataclasses.replace(
        unmeasured(JUDGE, AGENT, AGENT), decision=reports.decision("failed", "a rate fell")
    )
    assert "3 not measured: 3 bad-response" in comment.draw(report, Presentation())


def blocked(*checks: ReportCheck) -> Report:
    ids = tuple(check.id for check in checks)
    reason = Reason(rule="check-failed", message="m", checks=ids)
    return reports.report(*checks, of=reports.decision("failed", "checks block", reason))


EVALUATED = reports.check(outcome="fail")
GRADED = dataclasses.replace(reports.check("asks-first", "fail", case="a.jsonl"), kind="grader")


@pytest.mark.parametrize(
    ("checks", "recorded"), [((EVALUATED,), 0), ((GRADED,), 1), ((EVALUATED, GRADED), 1)]
)
def test_a_recorded_session_that_fails_has_to_be_recorded_again(
    checks: tuple[ReportCheck, ...], recorded: int
) -> None:
    report = blocked(*checks)
    found = remedy(report, select(report))
    assert found is not None
    assert found.command is not None
    assert found.sentence.count("recorded again") == recorded
