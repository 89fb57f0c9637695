"""A JSON value and the steps to a place in it in, the value there out."""

from typing import TypeAlias

from mergebar.model.text import Json

Pointer: TypeAlias = tuple[str | int, ...]
"""Keys of objects and indices of lists, from the outside in."""


def at(value: Json, pointer: Pointer) -> Json:
    """What stands there; `None` where the steps lead nowhere, too."""
    for step in pointer:
        value = child(value, step)
    return value


def child(value: Json, step: str | int) -> Json:
    """What a key or an index leads to; `None` where there is no such thing."""
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None
