"""Remarks on lines: which ones, how loud, in what order, and never more than GitHub takes."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar.model.configuration import Responses
from mergebar.model.problems import Level
from mergebar.model.publishing import Annotation, AnnotationLevel
from mergebar.model.reports import ReportCheck, ReportLocation, ReportWarning
from mergebar.report import annotations
from support import compared_states, hostile, reports, states

EVERYWHERE = Responses.EVERYWHERE


def remarks(*checks: ReportCheck, **given: object) -> tuple[Annotation, ...]:
    return annotations.annotate(reports.report(*checks, **given), EVERYWHERE)  # type: ignore[arg-type]


def test_a_failing_check_stands_on_its_line_with_score_and_reason() -> None:
    (one,) = remarks(reports.check(outcome="fail", turn=1, must_pass=True))

    assert one == Annotation(
        path=reports.SUITE,
        start_line=41,
        end_line=41,
        start_column=7,
        end_column=7,
        level=AnnotationLevel.FAILURE,
        title="Relevance failed (must pass)",
        message="How do I reset it?, turn 2\nscore 2 < 3\nnames another product",
    )


def test_what_is_below_the_gate_says_its_own_level_and_errors_come_first() -> None:
    found = remarks(
        reports.check("Note", "fail", severity="notice"),
        reports.check("Tone", "fail", severity="warning"),
        reports.check("Fact", "fail"),
        reports.check("Fine", "pass"),
        reports.check("Off", "skipped", skip="declined", reason="declined by `--no-judge`"),
        reports.check("Odd", "needs-review"),
    )

    assert [(one.title, one.level.value) for one in found] == [
        ("Fact failed", "failure"),
        ("Tone failed", "warning"),
        ("Odd waits for a review", "warning"),
        ("Note failed", "notice"),
    ]


def test_what_became_of_a_check_and_what_is_loosened_stand_on_their_lines() -> None:
    found = annotations.annotate(states.STATES["compared-failed"], EVERYWHERE)

    failed = {one.title: one.message for one in found if one.level is AnnotationLevel.FAILURE}
    assert failed["Relevance failed (regressed, must pass)"] == (
        "How do I reset it?\nscore 4 → 2 < 3\nnames another product"
    )
    assert failed["ExactMatch failed (new)"].splitlines()[1] == "score 2 < 3"
    assert failed["ExactMatch failed (still failing)"].splitlines()[1] == "score 2 → 2 < 3"
    (looser,) = [one for one in found if one.title == "Loosened by this change"]
    assert (looser.path, looser.start_line, looser.level) == (
        reports.SUITE,
        41,
        AnnotationLevel.WARNING,
    )
    assert looser.message == (
        "threshold of `ExactMatch`: 4 → 3 (1 check; 1 of them failing on the base)"
    )


def test_a_carried_failure_is_only_noticed() -> None:
    carried = dataclasses.replace(reports.check(outcome="fail"), carried=True)

    (one,) = remarks(carried)

    assert (one.level, one.title) == (AnnotationLevel.NOTICE, "Relevance failed (carried)")


def test_a_reason_follows_the_policy_for_responses() -> None:
    check = reports.check(outcome="fail", reason="it says BERLIN", quotes=True)
    report = reports.report(check)

    messages = {
        policy: annotations.annotate(report, policy)[0].message.splitlines()[-1]
        for policy in Responses
    }

    assert messages == {
        Responses.NONE: "the reason is not shown",
        Responses.ARTIFACT: "the reason is in `report.json`",
        Responses.EVERYWHERE: "it says BERLIN",
    }


def test_five_hundred_checks_that_were_throttled_are_one_remark_per_suite() -> None:
    checks = [
        reports.errored(suite=f"evals/{suite}.json", case=f"c{case}", line=case + 1)
        for case in range(250)
        for suite in ("a", "b")
    ]
    of = reports.decision("could-not-evaluate", "500 of 500 checks not measured: throttled")

    found = remarks(*checks, of=of)

    assert [
        (one.path, one.start_line, one.title, one.message, one.level.value) for one in found
    ] == [
        (
            "evals/a.json",
            1,
            "250 checks not measured: throttled",
            "429 Too Many Requests",
            "failure",
        ),
        (
            "evals/b.json",
            1,
            "250 checks not measured: throttled",
            "429 Too Many Requests",
            "failure",
        ),
    ]


def test_what_was_not_measured_only_warns_where_it_decides_nothing() -> None:
    found = remarks(reports.errored(), reports.check("Fact", "fail"), of=reports.decision("failed"))

    assert [one.level.value for one in found] == ["failure", "warning"]


def test_all_failing_checks_are_there() -> None:
    checks = [reports.check(outcome="fail", case=f"c{n}", line=n + 1) for n in range(120)]

    assert [one.start_line for one in remarks(*checks)] == list(range(1, 121))


def test_problems_stand_at_their_places_and_are_said_once() -> None:
    broken = reports.problem(path="mergebar.yml", line=9)
    edited = reports.problem("`gate` is edited", level="warning", path="mergebar.yml", line=None)
    nowhere = reports.problem("no base", path=None, line=None)
    old = reports.suite(
        "evals/old.json", affected=False, problems=[reports.problem("old", path="evals/old.json")]
    )
    report = reports.report(
        problems=[broken, edited, nowhere],
        suites=[old],
        warnings=[ReportWarning(message="`gate` is edited", path="mergebar.yml")],
        of=reports.decision("invalid"),
    )

    found = annotations.annotate(report, EVERYWHERE)

    assert [(one.path, one.start_line, one.start_column, one.level.value) for one in found] == [
        ("mergebar.yml", 9, 7, "failure"),
        ("mergebar.yml", 1, None, "warning"),
        ("evals/old.json", 41, 7, "warning"),
    ]


@pytest.mark.parametrize("path", ["/etc/passwd", "../outside.json", "", ".", "a\nb.json"])
def test_what_is_not_in_the_repository_is_left_to_the_summary(path: str) -> None:
    check = dataclasses.replace(
        reports.check(outcome="fail"), location=ReportLocation(path=path, line=3, column=1)
    )

    assert remarks(check) == ()


def test_a_check_without_a_line_is_put_at_the_first_one() -> None:
    check = dataclasses.replace(
        reports.check(outcome="fail"),
        location=ReportLocation(path="evals/a.json", line=None, column=None),
    )

    (one,) = remarks(check)

    assert (one.start_line, one.end_line, one.start_column) == (1, 1, None)


def test_a_prompt_of_70000_characters_fits() -> None:
    (one,) = remarks(
        reports.check("E" * 500, "fail", label="é" * 70_000, reason="\N{SNAKE}" * 70_000)
    )

    assert len(one.message.encode()) <= annotations.MESSAGE_BYTES
    assert len(one.title) <= 255


TEXTS = st.one_of(st.sampled_from(hostile.TEXTS), st.text())


@settings(deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_no_text_leaves_its_fields_or_issues_a_command(name: str, label: str, reason: str) -> None:
    report = reports.report(
        reports.check(name, "fail", label=label, reason=reason),
        reports.errored(message=reason, case="other", line=3),
    )

    found = annotations.annotate(report, EVERYWHERE)

    for one in found:
        assert one.message
        assert "\n" not in one.title
        assert len(one.title) <= annotations.TITLE
    for line in annotations.commands(found):
        assert len(line.splitlines()) == 1
        assert line.count("::error") + line.count("::warning") >= 1
        assert line.startswith(("::error file=", "::warning file="))
        assert "##[" not in line


def test_ten_commands_of_a_level_are_shown_and_the_rest_is_counted() -> None:
    checks = [
        reports.check(outcome="fail", case=f"{severity}{n}", severity=severity, line=n + 1)
        for severity in ("notice", "error", "warning")
        for n in range(12)
    ]

    lines = annotations.commands(remarks(*checks), said={Level.WARNING: 9, Level.NOTICE: 20})

    assert [line.split(" ")[0] for line in lines] == ["::error"] * 10 + ["::warning", "and"]
    assert lines[0].startswith(
        "::error file=evals/support.json,line=1,col=7,title=Relevance failed::"
    )
    assert lines[-1] == (
        "and 2 more errors, 11 more warnings, 12 more notices: "
        "`report.json` and the job summary have them all"
    )


def test_nothing_wrong_gives_no_line() -> None:
    assert annotations.commands(remarks(reports.check())) == ()


@pytest.mark.parametrize("name", states.STATES)
def test_every_state_but_a_pass_points_at_a_line(name: str) -> None:
    report = states.STATES[name]

    found = annotations.annotate(report, Responses.ARTIFACT)

    assert bool(found) is (
        name not in {"passed", "nothing-affected", *compared_states.WITHOUT_A_LINE}
    )
    assert all(one.start_line >= 1 and one.end_line == one.start_line for one in found)
