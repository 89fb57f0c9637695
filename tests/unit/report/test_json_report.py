"""report.json, written and read back; and bytes that no mergebar wrote."""

import copy
import dataclasses
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import gating
from mergebar.errors import ExitCode
from mergebar.model.configuration import GatePolicy
from mergebar.model.decisions import Reason
from mergebar.model.problems import Problem
from mergebar.model.reports import Report, ReportWarning
from mergebar.report import json_report
from support import comparisons, hostile, reports

FULL = dataclasses.replace(
    reports.report(
        reports.check(),
        comparisons.check("measured", parts=comparisons.measured(judged=True)),
        reports.check(name="ExactMatch", outcome="fail", threshold=None, flaky=True),
        reports.errored(case="other"),
        reports.check(case="third", outcome="skipped", skip="withheld"),
        of=reports.decision(
            "failed", "1 check blocks", Reason(rule="r", message="m", checks=("a",))
        ),
        suites=[reports.suite(problems=[reports.problem(level="warning")])],
        warnings=[ReportWarning(message="look", path="mergebar.yml", line=2)],
        problems=[reports.problem(path=None, line=None)],
    ),
    comparison=comparisons.full(),
)


def _load(value: object) -> Report | Problem:
    return json_report.load(json.dumps(value).encode())


def test_a_report_is_the_same_after_writing_and_reading() -> None:
    assert json_report.load(json_report.dump(FULL)) == FULL


def test_the_bytes_are_stable_and_end_with_a_line() -> None:
    data = json_report.dump(FULL)
    assert data == json_report.dump(copy.deepcopy(FULL))
    assert data.endswith(b"}\n")
    assert list(json.loads(data))[:4] == ["schema", "mergebar", "run", "decision"]


def test_the_exit_code_that_the_gate_decides_is_written_as_a_number() -> None:
    decided = gating.decide(gating.Facts(checks=(), suites=(), policy=GatePolicy()))
    assert decided.exit_code is ExitCode.PASSED

    written = json.loads(json_report.dump(dataclasses.replace(FULL, decision=decided)))

    assert written["decision"]["exit_code"] == 0
    assert isinstance(_load(written), Report)


def test_a_number_that_is_none_is_never_written() -> None:
    broken = dataclasses.replace(FULL, totals=dataclasses.replace(FULL.totals, pass_rate=math.nan))
    with pytest.raises(ValueError, match="JSON compliant"):
        json_report.dump(broken)


def test_keys_of_a_newer_version_are_ignored() -> None:
    value = json.loads(json_report.dump(FULL))
    value["novelty"] = {"x": 1}
    value["checks"][0]["novelty"] = 2
    assert _load(value) == FULL


def test_a_report_from_before_a_later_field_is_read() -> None:
    value = json.loads(json_report.dump(FULL))
    del value["problems"], value["checks"][0]["quotes"], value["checks"][0]["measured"]
    loaded = _load(value)
    assert isinstance(loaded, Report)
    assert loaded.problems == ()
    assert loaded.checks[0].quotes is True


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the report is empty"),
        (b"{", "the report is cut off"),
        (b"\xff\xfe{\x00}\x00", "the file is UTF-16 (little endian)"),
        (b"[]", "not an object"),
        (b"null", "not an object"),
        (b"{}", "says nothing"),
        (b'{"schema": "mergebar.report/9"}', "mergebar.report/9"),
        (b'{"schema": "mergebar.report/1"}', "doesn't follow"),
        (b'{"schema": NaN}', "NaN"),
        (b'{"schema": 1e999}', "1e999"),
        (b'{"schema":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "not JSON"),
    ],
)
def test_other_bytes_are_a_problem_that_says_why(data: bytes, said: str) -> None:
    problem = json_report.load(data, path="got/report.json")
    assert isinstance(problem, Problem)
    assert said in problem.message
    assert problem.path == "got/report.json"


def test_one_that_is_too_large_is_refused_with_what_can_be_done() -> None:
    problem = json_report.load(b" " * (2 * 1024**2 + 1), limit=2 * 1024**2)
    assert isinstance(problem, Problem)
    assert problem.message == (
        "larger than 2 MiB: let several gates share the suites, each with its own configuration "
        "and `check-name`"
    )


@given(data=st.binary(max_size=80))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    assert isinstance(json_report.load(data), Problem)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | hostile.texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def _places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(place for key, one in inner for place in _places(one, (*path, key)))]


WIRE = json.loads(json_report.dump(FULL))


@given(place=st.sampled_from([place for place in _places(WIRE) if place]), planted=VALUES)
def test_a_planted_value_is_refused_or_read_and_never_crashes(
    place: tuple[str | int, ...], planted: object
) -> None:
    value = copy.deepcopy(WIRE)
    node = value
    for step in place[:-1]:
        node = node[step]
    node[place[-1]] = planted
    loaded = _load(value)
    if isinstance(loaded, Report):
        assert isinstance(json_report.load(json_report.dump(loaded)), Report)
    else:
        assert len(loaded.message) < 600
