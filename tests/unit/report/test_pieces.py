"""Large reports are read in pieces: with the verdict, and the values, of reading them whole."""

import copy
import dataclasses
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.model.problems import Problem
from mergebar.model.reports import Report
from mergebar.report import json_report, pieces
from support import comparisons, hostile, reports

Change = Callable[[Any], Any]


def _checks(count: int) -> list[Any]:
    parts = comparisons.measured(judged=True, options={"threshold": "9" * 12})
    return [
        comparisons.check(f"case-{number}", parts=parts, label="q " * 60, reason="r " * 2_000)
        for number in range(count)
    ]


def _compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def _spread(value: object) -> bytes:
    """A layout that isn't cut."""
    return json.dumps(value, indent=1).encode()


SMALL = dataclasses.replace(
    reports.report(*_checks(2), reports.errored(case="other")), comparison=comparisons.full()
)
LARGE = dataclasses.replace(reports.report(*_checks(400)), comparison=comparisons.full())
DATA = _compact(json.loads(json_report.dump(LARGE)))
VALUE = json.loads(json_report.dump(SMALL))


def test_a_large_report_is_cut_and_comes_back_as_it_was() -> None:
    cut = pieces.cut(DATA)
    assert cut is not None
    assert len(list(cut)) > 1
    assert json_report.load(DATA) == LARGE


def test_the_layout_that_is_cut_is_the_one_that_large_reports_are_written_in() -> None:
    many = [reports.check(case=f"case-{number}") for number in range(2_001)]
    assert pieces.cut(json_report.dump(reports.report(*many))) is not None


def test_a_report_that_a_person_may_read_is_read_whole() -> None:
    assert pieces.cut(json_report.dump(SMALL)) is None


def test_other_versions_are_read_in_pieces_as_they_are_read_whole() -> None:
    value = copy.deepcopy(VALUE)
    del value["checks"][0]["quotes"], value["checks"][1]["measured"], value["problems"]
    value["checks"][0]["novelty"] = [{"id": 1}, {"id": 2}]
    value["checks"][1]["score"] = 4
    value["checks"][1]["turn"] = 0.0
    loaded = json_report.load(_compact(value))
    assert isinstance(loaded, Report)
    assert loaded == json_report.load(_spread(value))
    assert type(loaded.checks[1].score) is float
    assert type(loaded.checks[1].turn) is int


def _places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner: list[tuple[Any, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [path, *(place for key, one in inner for place in _places(one, (*path, key)))]


PLACES = [place for place in _places(VALUE) if place]
PLANTED = st.sampled_from(
    [None, True, 0, -1, 1.5, 10**30, "", "error", "\ud800", [], [0], ["x"], {}, {"id": "x"}]
)


@given(place=st.sampled_from(PLACES), planted=PLANTED | hostile.texts, gone=st.booleans())
def test_what_is_refused_whole_is_refused_in_pieces(
    place: tuple[Any, ...], planted: object, *, gone: bool
) -> None:
    value = copy.deepcopy(VALUE)
    node = value
    for step in place[:-1]:
        node = node[step]
    if gone:
        del node[place[-1]]
    else:
        node[place[-1]] = planted
    try:
        compact = _compact(value)
    except UnicodeEncodeError:
        compact = json.dumps(value, separators=(",", ":")).encode()
    assert json_report.load(compact) == json_report.load(_spread(value))


DAMAGE: dict[str, Change] = {
    "cut off": lambda data: data[:-40],
    "cut off in a check": lambda data: data[: len(data) // 2],
    "a comma too many between two checks": lambda data: data.replace(b',{"id":', b',,{"id":', 1),
    "no comma between two checks": lambda data: data.replace(b',{"id":', b' {"id":', 1),
    "a comma after the last check": lambda data: data.replace(
        b'],"comparison":', b',],"comparison":'
    ),
    "half a check": lambda data: data.replace(b'"suite":', b"", 1),
    "a bracket too many": lambda data: data.replace(b'],"comparison":', b']],"comparison":'),
    "the checks closed early": lambda data: data.replace(b',{"id":', b'],"x":[{"id":', 1),
    "other checks after them": lambda data: data.rstrip()[:-1] + b',"checks":[]}',
    "the mark after them": lambda data: (
        data.rstrip()[:-1] + b',"checks":["%s"]}' % pieces.MARK.encode()
    ),
    "checks of a key before them": lambda data: b'{"x":{"checks":[{"id":0}]},' + data[1:],
    "not UTF-8": lambda data: data.replace(b'"label":"', b'"label":"\xff', 1),
    "a check twice": lambda data: data.replace(b"case-1", b"case-0"),
    "another schema": lambda data: data.replace(b"mergebar.report/1", b"mergebar.report/9"),
    "something after the end": lambda data: data + b"x",
}
HARMLESS = {"checks of a key before them", "other checks after them", "the checks closed early"}


@pytest.mark.parametrize("damage", sorted(DAMAGE))
def test_damage_is_found_in_pieces_as_it_is_found_in_the_whole(damage: str) -> None:
    data = DAMAGE[damage](DATA)
    assert data != DATA
    # Space after the first bracket changes nothing but that the layout is another one.
    whole = data.replace(b'"checks":[{', b'"checks":[ {')
    assert pieces.cut(whole) is None
    found, expected = json_report.load(data), json_report.load(whole)
    if damage in HARMLESS:
        assert isinstance(found, Report)
        assert found == expected
    else:
        assert isinstance(found, Problem)
        assert isinstance(expected, Problem)
        assert (found.rule, _words(found)) == (expected.rule, _words(expected))


def _words(problem: Problem) -> str:
    """The message without the place in the bytes, where there is one space more."""
    return re.sub(r"[0-9]+", "0", problem.message)
