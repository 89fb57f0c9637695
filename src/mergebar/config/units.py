"""Durations and sizes as people write them in, seconds and bytes out."""

import re

_AMOUNT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([A-Za-z]+)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_BYTES = {
    "B": 1,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KiB": 1024,
    "MiB": 1024**2,
    "GiB": 1024**3,
}


def seconds(text: str) -> float | None:
    """`120s`, `1.5m`, `250ms`, `1h`; `None` for anything else."""
    found = _AMOUNT.fullmatch(text)
    if found is None or found[2] not in _SECONDS:
        return None
    return float(found[1]) * _SECONDS[found[2]]


def size(text: str) -> int | None:
    """`1MB` is a million bytes, `1MiB` 1,048,576; `None` for anything else."""
    found = _AMOUNT.fullmatch(text)
    if found is None or found[2] not in _BYTES:
        return None
    return round(float(found[1]) * _BYTES[found[2]])
