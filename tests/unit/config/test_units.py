"""Durations and sizes."""

import pytest

from mergebar.config import units


@pytest.mark.parametrize(
    ("text", "expected"),
    [("120s", 120.0), ("15m", 900.0), ("1.5h", 5400.0), ("250ms", 0.25), ("0s", 0.0)],
)
def test_a_duration_is_in_seconds(text: str, expected: float) -> None:
    assert units.seconds(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1MB", 1_000_000),
        ("1MiB", 1_048_576),
        ("500B", 500),
        ("1.001MB", 1_001_000),
        ("2GB", 2_000_000_000),
        ("64KiB", 65_536),
    ],
)
def test_a_size_is_in_bytes(text: str, expected: int) -> None:
    assert units.size(text) == expected


@pytest.mark.parametrize(
    "text", ["", "120", "s", "-1s", "1 s", "1S", "1d", "1e3s", "٣s", "1s\n", "9" * 400 + "s"]
)
def test_what_is_no_amount_has_no_value(text: str) -> None:
    assert units.seconds(text) is None
    assert units.size(text) is None
