"""A report's values in, the same values without secrets and without what no JSON may hold, out."""

import dataclasses
import math
import operator
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, TypeVar, cast

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
    return cast("_Value", _Cleaner(redactor).clean(value))


class _Cleaner:
    """Looks at each text once, however often a report repeats it; what is clean stays itself."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._texts: dict[str, str] = {}
        self._fields: dict[type, tuple[str, ...]] = {}

    def clean(self, value: object) -> object:
        if isinstance(value, str):
            return value if isinstance(value, Enum) else self._text(value)
        if isinstance(value, float):
            return finite(value)
        if isinstance(value, tuple | list):
            parts = [self.clean(one) for one in value]
            return value if _are_same(parts, value) else type(value)(parts)
        if isinstance(value, Mapping):
            return {self._text(str(key)): self.clean(one) for key, one in value.items()}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._dataclass(value)
        return value

    def _dataclass(self, value: Any) -> object:
        kind = type(value)
        names = self._fields.get(kind)
        if names is None:
            names = self._fields[kind] = tuple(one.name for one in dataclasses.fields(kind))
        before = [getattr(value, name) for name in names]
        after = [self.clean(one) for one in before]
        if _are_same(after, before):
            return value
        return dataclasses.replace(value, **dict(zip(names, after, strict=True)))

    def _text(self, value: str) -> str:
        found = self._texts.get(value)
        if found is None:
            cleaned = text(value, self._redactor)
            found = self._texts[value] = value if cleaned == value else cleaned
        return found


def _are_same(after: Sequence[object], before: Sequence[object]) -> bool:
    return all(map(operator.is_, after, before))
