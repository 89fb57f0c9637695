"""Markers: what is ours and what is newer can be read from the first line, and only from there."""

from hypothesis import given
from hypothesis import strategies as st

from mergebar.edge.github import markers
from mergebar.report import comment
from support.reports import report

LINE = "<!-- mergebar:v1 key=mergebar run=10 attempt=2 sha=abc -->"
KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


def test_a_marker_says_which_gate_and_which_run() -> None:
    found = markers.read(f"{LINE}\n## passed")
    assert found == markers.Marker(line=LINE, key="mergebar", run=10, attempt=2, sha="abc")


def test_a_marker_alone_is_a_marker() -> None:
    assert markers.read(LINE) is not None


def test_a_marker_with_windows_line_ends_is_read() -> None:
    found = markers.read(f"{LINE}\r\n## passed")
    assert found is not None
    assert found.line == LINE


def test_a_quoted_marker_is_somebodys_text() -> None:
    for body in (f"> {LINE}\n", f" {LINE}\n", f"\n{LINE}\n", f"look: {LINE}", f"```\n{LINE}\n```"):
        assert markers.read(body) is None


def test_a_line_that_goes_on_is_no_marker() -> None:
    assert markers.read(f"{LINE} and more") is None


def test_a_marker_without_a_key_is_none() -> None:
    assert markers.read("<!-- mergebar:v1 run=1 attempt=1 sha=abc -->") is None


def test_another_version_is_not_ours() -> None:
    assert markers.read(LINE.replace("v1", "v2")) is None


def test_a_field_of_a_later_version_is_passed_over() -> None:
    found = markers.read(LINE.replace(" -->", " colour=red -->"))
    assert found is not None
    assert found.order == (10, 2)


def test_numbers_that_are_none_are_the_oldest() -> None:
    found = markers.read("<!-- mergebar:v1 key=k run=x attempt= sha=none -->")
    assert found is not None
    assert found.order == (0, 0)
    assert found.sha is None


def test_a_later_attempt_is_newer_and_a_later_run_newer_still() -> None:
    orders = []
    for run, attempt in ((9, 8), (10, 1), (10, 2)):
        found = markers.read(f"<!-- mergebar:v1 key=k run={run} attempt={attempt} sha=a -->")
        assert found is not None
        orders.append(found.order)
    assert orders == sorted(orders)


@given(key=KEYS)
def test_whatever_the_gate_is_called_its_marker_is_read_again(key: str) -> None:
    line = comment.marker(report(), key=key)
    found = markers.read(f"{line}\nbody")
    assert found is not None
    assert found.key == key
    assert found.line == line


@given(body=st.text(max_size=200))
def test_no_text_crashes_the_reader(body: str) -> None:
    found = markers.read(body)
    assert found is None or body.startswith("<!-- mergebar:v1 ")


@given(before=st.text(min_size=1, max_size=20), after=st.text(max_size=20))
def test_nothing_before_the_marker_is_passed_over(before: str, after: str) -> None:
    assert markers.read(f"{before}{LINE}\n{after}") is None
