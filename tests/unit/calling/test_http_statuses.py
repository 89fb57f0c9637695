"""What an HTTP status means for a measurement."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.calling import http_statuses
from mergebar.model.conversations import ErrorClass

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("status", "error_class", "judge", "agent"),
    [
        (101, ErrorClass.BAD_RESPONSE, False, False),
        (302, ErrorClass.CONFIG, False, False),
        (400, ErrorClass.CONFIG, False, False),
        (401, ErrorClass.AUTH, False, False),
        (402, ErrorClass.AUTH, False, False),
        (403, ErrorClass.AUTH, False, False),
        (404, ErrorClass.CONFIG, False, False),
        (407, ErrorClass.AUTH, False, False),
        (408, ErrorClass.TIMEOUT, True, False),
        (409, ErrorClass.UNAVAILABLE, True, False),
        (422, ErrorClass.CONFIG, False, False),
        (429, ErrorClass.THROTTLED, True, True),
        (500, ErrorClass.UNAVAILABLE, True, False),
        (502, ErrorClass.UNAVAILABLE, True, True),
        (503, ErrorClass.UNAVAILABLE, True, True),
        (504, ErrorClass.TIMEOUT, True, True),
    ],
)
def test_each_status_has_a_class_and_passes_or_not(
    status: int, error_class: ErrorClass, *, judge: bool, agent: bool
) -> None:
    assert http_statuses.error_class(status) is error_class
    assert http_statuses.is_passing(status) is judge
    assert http_statuses.is_passing_for_agents(status) is agent


def test_an_account_without_credit_does_not_pass() -> None:
    assert not http_statuses.is_passing(429, "insufficient_quota")
    assert not http_statuses.is_passing_for_agents(429, "insufficient_quota")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "7"}, 7.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT"}, 30.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:10 GMT"}, 0.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 -0000"}, 30.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50"}, 30.0),
        (
            {
                "retry-after": "Wed, 01 Jan 2020 00:00:30 GMT",
                "date": "Wed, 01 Jan 2020 00:00:00 GMT",
            },
            30.0,
        ),
    ],
)
def test_the_wait_is_read_from_seconds_milliseconds_or_a_date(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert http_statuses.retry_after(headers, now=NOW) == seconds


def test_a_date_without_a_zone_is_not_that_of_this_machine() -> None:
    code = (
        "from mergebar.calling import http_statuses\n"
        "print(http_statuses.retry_after("
        "{'retry-after': 'Tue, 14 Nov 2023 22:13:50 -0000'}, now=1_700_000_000.0))"
    )

    said = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TZ": "Asia/Kolkata"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert said.strip() == "30.0"


@given(st.text(), st.text())
def test_no_header_crashes_it(value: str, date: str) -> None:
    seconds = http_statuses.retry_after({"retry-after": value, "date": date}, now=NOW)

    assert seconds is None or seconds >= 0
