"""The options of an eval in, one of them as the type that it has to have out.

What `check` would have refused is `None` here.
"""

from mergebar.model.text import Json, JsonObject


def text(options: JsonObject, name: str) -> str | None:
    """An option that is a text."""
    value = options.get(name)
    return value if isinstance(value, str) else None


def count(options: JsonObject, name: str) -> int | None:
    """An option that is a whole number; `3.0` is one."""
    value = _number(options.get(name))
    return None if value is None or not float(value).is_integer() else int(value)


def amount(options: JsonObject, name: str) -> float | None:
    """An option that is a number."""
    value = _number(options.get(name))
    return None if value is None else float(value)


def flag(options: JsonObject, name: str) -> bool:
    """An option that is `true`; unsaid is `false`."""
    return options.get(name) is True


def _number(value: Json) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value
