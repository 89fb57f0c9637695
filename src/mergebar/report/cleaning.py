"""A report's values in, the same values without secrets and without what no JSON may hold, out."""

import dataclasses
import math
import re
from collections.abc import Mapping
from enum import Enum
from typing import TypeVar, cast

from mergebar.untrusted.redaction import Redactor

_Value = TypeVar("_Value")
_SURROGATE = re.compile("[\ud800-\udfff]")


def text(value: str, redactor: Redactor) -> str:
    """No secret, and no lone surrogate, which no encoder takes."""
    return _SURROGATE.sub("\ufffd", redactor.redact(value))


def finite(value: float | None) -> float | None:
    """A number, or `None` for what isn't one."""
    return value if value is not None and math.isfinite(value) else None


def clean(value: _Value, redactor: Redactor) -> _Value:
    """All texts of a tree of dataclasses, tuples and JSON are redacted: none can be forgotten."""
    return cast("_Value", _clean(value, redactor))


def _clean(value: object, redactor: Redactor) -> object:
    if isinstance(value, str) and not isinstance(value, Enum):
        return text(value, redactor)
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, tuple | list):
        return type(value)(_clean(one, redactor) for one in value)
    if isinstance(value, Mapping):
        return {text(str(key), redactor): _clean(one, redactor) for key, one in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        changed = {one.name: _clean(getattr(value, one.name), redactor) for one in fields}
        return dataclasses.replace(value, **changed)
    return value
