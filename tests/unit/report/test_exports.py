"""JUnit, SARIF and CSV: what other tools read, and what no text of a report may do to it."""

import csv as standard_csv
import dataclasses
import io
import json
import re
import typing
import urllib.parse
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar.model.configuration import Responses
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.problems import Level, Problem
from mergebar.model.reports import Report
from mergebar.report import csv, findings, junit, problem_findings
from mergebar.report.problems import CheckedSuite
from support import hostile, hostile_reports, reports, states

Object: typing.TypeAlias = dict[str, typing.Any]
FAILED = states.STATES["compared-failed"]


def _junit(report: Report) -> ET.Element:
    return ET.fromstring(junit.draw(report))  # noqa: S314 - we wrote it


def _sarif(report: Report) -> Object:
    value: Object = json.loads(findings.draw(report))
    return value


def _csv(report: Report, responses: Responses = Responses.ARTIFACT) -> list[dict[str, str]]:
    return list(standard_csv.DictReader(io.StringIO(csv.draw(report, responses), newline="")))


# --- JUnit


@pytest.mark.parametrize("name", states.STATES)
def test_junit_is_red_exactly_where_the_decision_is_no_pass(name: str) -> None:
    report = states.STATES[name]
    root = _junit(report)

    broken = root.findall(".//failure") + root.findall(".//error")
    assert bool(broken) is (report.decision.outcome is not DecisionOutcome.PASSED)


@pytest.mark.parametrize("name", states.STATES)
def test_the_counts_of_junit_are_those_of_its_cases(name: str) -> None:
    root = _junit(states.STATES[name])

    for suite in (root, *root.findall("testsuite")):
        cases = suite.findall(".//testcase")
        assert int(suite.get("tests", "")) == len(cases)
        for count, element in (
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ):
            assert int(suite.get(count, "")) == len(suite.findall(f".//{element}")), count
    assert len(root.findall(".//testcase")) == len(states.STATES[name].checks) + 1


def test_a_case_of_junit_says_where_it_is_and_why_it_fails() -> None:
    [case] = [
        one
        for one in _junit(FAILED).iter("testcase")
        if one.get("name", "").startswith("How do I reset")
    ]

    assert case.get("classname") == case.get("file") == reports.SUITE
    assert (case.get("name"), case.get("line")) == ("How do I reset it? · Relevance", "41")
    [failure] = case.findall("failure")
    assert (failure.get("message"), failure.text) == ("Relevance: 2 < 3", "names another product")
    said = {one.get("name"): one.get("value") for one in case.iter("property")}
    assert (said["change"], said["marks"]) == ("regressed", "must pass")


def test_a_failure_that_doesnt_block_is_skipped_with_the_reason() -> None:
    skipped = [one.get("message") for one in _junit(FAILED).iter("skipped")]

    assert skipped == [
        "fails, and doesn't block: known failures, and `gate.known_failures` is `allow`",
        "fails, and doesn't block: this change doesn't affect them",
    ]


@settings(deadline=None)
@given(st.lists(hostile.texts, min_size=1, max_size=5))
def test_no_text_breaks_junit(texts: list[str]) -> None:
    report = hostile_reports.report(texts)
    assert len(_junit(report).findall(".//testcase")) == len(report.checks) + 1


# --- SARIF


def _assert_sarif(log: Object) -> None:
    """The rules of SARIF 2.1.0 and of GitHub's reader, as far as they are about what we write."""
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    driver = run["tool"]["driver"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(set(rules)) == len(rules)
    assert re.fullmatch(r"[^/]+/", run["automationDetails"]["id"])
    prints = [one["partialFingerprints"]["mergebar/v1"] for one in run["results"]]
    assert len(set(prints)) == len(prints)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        levels = {"fail": {"error", "warning", "note"}, "review": {"none"}}
        assert result["level"] in levels[result["kind"]]
        _assert_text(result["message"]["text"])
        [location] = result["locations"]
        place = location["physicalLocation"]
        uri = place["artifactLocation"]["uri"]
        assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        assert not urllib.parse.urlsplit(uri).scheme
        assert re.fullmatch(r"(?!/)[A-Za-z0-9/%._~-]+", uri), uri
        assert all(number >= 1 for number in place["region"].values())
        assert set(place["region"]) <= {"startLine", "startColumn"}
    for one in run["invocations"][0]["toolConfigurationNotifications"]:
        assert one["level"] in {"error", "warning", "note"}
        _assert_text(one["message"]["text"])


def _assert_text(text: str) -> None:
    """No placeholder, and no link."""
    assert text
    assert not re.search(r"(?<!\{)\{(?:\{\{)*\d+\}", text)
    assert not re.search(r"(?<!\\)[\[\]]", text)


@pytest.mark.parametrize("name", states.STATES)
def test_every_state_is_sound_sarif(name: str) -> None:
    _assert_sarif(_sarif(states.STATES[name]))


@settings(deadline=None)
@given(st.lists(hostile.texts, min_size=1, max_size=5))
def test_no_text_breaks_sarif(texts: list[str]) -> None:
    _assert_sarif(_sarif(hostile_reports.report(texts)))


def test_sarif_has_what_fails_carried_or_not_and_says_what_became_of_it() -> None:
    [run] = _sarif(FAILED)["runs"]

    by_change = {
        one["properties"].get("change"): one
        for one in run["results"]
        if one["ruleId"].startswith("check/")
    }
    assert set(by_change) == {"regressed", "new", "still-failing", "carried"}
    assert by_change["regressed"]["message"]["text"] == (
        "Relevance on “How do I reset it?”: score 4 → 2 < 3 (must pass)\nnames another product"
    )
    assert {one["ruleId"] for one in run["results"]} >= {
        "unmeasured/throttled",
        "loosened/threshold",
    }


def test_a_finding_is_the_same_one_when_its_line_moves_and_its_score_changes() -> None:
    def prints(report: Report) -> list[str]:
        results = _sarif(report)["runs"][0]["results"]
        return [one["partialFingerprints"]["mergebar/v1"] for one in results]

    here = reports.report(reports.check(outcome="fail"))
    moved = reports.report(reports.check(outcome="fail", line=99, score=1, reason="otherwise"))
    other = reports.report(reports.check(outcome="fail", case="another"))
    assert prints(here) == prints(moved) != prints(other)


def test_a_problem_without_a_place_is_a_notification_of_the_run() -> None:
    problem = reports.problem("no agent is configured", path=None, line=None, rule="config/agent")
    [run] = _sarif(reports.report(problems=[problem]))["runs"]

    assert run["results"] == []
    [said] = run["invocations"][0]["toolConfigurationNotifications"]
    assert (said["level"], said["descriptor"]["id"]) == ("error", "config/agent")


def test_the_problems_of_check_make_the_same_log() -> None:
    here = Problem(
        level=Level.ERROR, rule="schema/required", message="`{0}` [x](y)", path="e/ä b.json", line=3
    )
    nowhere = Problem(level=Level.NOTICE, rule="document/none-found", message="nothing")
    suite = CheckedSuite(path="e/ä b.json", kind="document", problems=(here, here))
    log = json.loads(problem_findings.draw((suite,), (nowhere,), version="1"))

    _assert_sarif(log)
    first, second = log["runs"][0]["results"]
    assert first["message"]["text"] == "`{{0}}` \\[x\\](y)"
    assert (
        first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "e/%C3%A4%20b.json"
    )
    assert first["partialFingerprints"] != second["partialFingerprints"]


# --- CSV


def test_csv_has_a_row_for_every_check_of_either_side() -> None:
    rows = _csv(FAILED)

    assert [row["id"] for row in rows[:-1]] == [check.id for check in FAILED.checks]
    assert (rows[-1]["change"], rows[-1]["label"], rows[-1]["base_outcome"]) == (
        "removed",
        "Is it still sold?",
        "fail",
    )
    assert {row["id"] for row in rows if row["blocks"] == "true"} == set(
        FAILED.decision.reasons[0].checks
    )
    assert all(None not in row and len(row) == len(csv.COLUMNS) for row in rows)


@settings(deadline=None)
@given(st.lists(hostile.texts, min_size=1, max_size=5))
def test_no_text_of_csv_is_a_formula(texts: list[str]) -> None:
    report = hostile_reports.report(texts)
    rows = _csv(report)

    assert len(rows) > len(report.checks)
    for row in rows:
        for name, field in row.items():
            number = name in {"score", "threshold", "weight", "line", "column", "turn"}
            for line in field.split("\n"):
                assert number or not re.match(r"\s*[=+\-@＝＋－＠|%]", line), (name, line)  # noqa: RUF001 - look-alikes are the point


# --- what may be told where


@pytest.mark.parametrize("responses", list(Responses))
def test_reasons_that_may_quote_go_where_they_may(responses: Responses) -> None:
    quoting = reports.check("Relevance", "fail", reason="QUOTED", quotes=True)
    report = reports.report(quoting)

    everywhere = responses is Responses.EVERYWHERE
    assert ("QUOTED" in junit.draw(report, responses)) is everywhere
    assert ("QUOTED" in findings.draw(report, responses)) is everywhere
    assert ("QUOTED" in csv.draw(report, responses)) is (responses is not Responses.NONE)


def test_what_another_session_settles_is_nothing_for_a_code_scanner() -> None:
    graded = dataclasses.replace(reports.check("asks"), kind="grader")
    silent = dataclasses.replace(
        graded, case="b", outcome="skipped", skip="withheld", reason="never invoked"
    )
    assert "never invoked" not in findings.draw(reports.report(graded, silent))
    assert "never invoked" in findings.draw(reports.report(silent))
