"""The value of one option in, what it has to be instead out."""

import math
from collections.abc import Callable

from mergebar.catalogue.graders import OptionKind, OptionSpec
from mergebar.model.text import Json
from mergebar.patterns import ecmascript
from mergebar.reading import accepting
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import listed, quoted, shown
from mergebar.suites.artifacts import paths


def fault(spec: OptionSpec, value: Json, *, flags: Json = None, rooted: bool = False) -> str | None:
    """A sentence, or `None`. `flags` are those of a pattern.

    `rooted`: a glob may begin with the slash of the repository's root.
    """
    if spec.kind is OptionKind.PATTERN:
        return _pattern(spec.name, value, flags)
    if spec.kind is OptionKind.GLOB:
        return _glob(spec, value, rooted=rooted)
    if spec.kind is OptionKind.CHOICE:
        return _choice(spec, value)
    return _BY_KIND[spec.kind](spec.name, value)


def _text(name: str, value: Json) -> str | None:
    if not isinstance(value, str):
        return f"`{name}` must be a string, and is {shown(value)}"
    return None if value.strip() else f"`{name}` must not be empty"


def _choice(spec: OptionSpec, value: Json) -> str | None:
    if value in spec.choices and isinstance(value, str):
        return None
    near = nearest(value, spec.choices) if isinstance(value, str) else None
    hint = f"; did you mean {quoted(near)}?" if near else ""
    return f"`{spec.name}` must be one of {listed(spec.choices)}, and is {shown(value)}{hint}"


def _count(name: str, value: Json) -> str | None:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole:
        return f"`{name}` must be a whole number, and is {shown(value)}"
    return _not_negative(name, value)


def _amount(name: str, value: Json) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return f"`{name}` must be a number, and is {shown(value)}"
    return _not_negative(name, value)


def _not_negative(name: str, value: Json) -> str | None:
    if isinstance(value, int | float) and value < 0:
        return f"`{name}` must be at least 0, and is {shown(value)}"
    return None


def _flag(name: str, value: Json) -> str | None:
    if isinstance(value, bool):
        return None
    hint = "; remove the quotes" if value in {"true", "false"} and isinstance(value, str) else ""
    return f"`{name}` must be `true` or `false`, and is {shown(value)}{hint}"


def _pattern(name: str, value: Json, flags: Json) -> str | None:
    """With its flags, if those are right by themselves."""
    if not isinstance(value, str) or not value:
        return _text(name, value)
    meant = flags if isinstance(flags, str) and ecmascript.fault("", flags) is None else ""
    reason = ecmascript.fault(value, meant)
    return f"`{name}` {reason}" if reason else None


def _pattern_flags(name: str, value: Json) -> str | None:
    if not isinstance(value, str):
        return _text(name, value)
    reason = ecmascript.fault("", value)
    return f"`{name}` {reason}" if reason else None


def _glob(spec: OptionSpec, value: Json, *, rooted: bool) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return _text(spec.name, value)
    reason = paths.fault(value, rooted=rooted)
    return f"`{spec.name}`: {reason}" if reason else None


def _schema(name: str, value: Json) -> str | None:
    reason = accepting.fault(value)
    return f"`{name}` {reason}" if reason else None


_BY_KIND: dict[OptionKind, Callable[[str, Json], str | None]] = {
    OptionKind.NAME: _text,
    OptionKind.COUNT: _count,
    OptionKind.AMOUNT: _amount,
    OptionKind.FLAG: _flag,
    OptionKind.PATTERN_FLAGS: _pattern_flags,
    OptionKind.SCHEMA: _schema,
}
