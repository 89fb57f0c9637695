"""The bytes of a YAML file of chat messages in, its layout and its messages out."""

from mergebar.model.text import Json
from mergebar.reading import yaml_text
from mergebar.traces import value_marks
from mergebar.traces.value_marks import Layout

_WORDS = (b"messages:", b"role:")


def read(data: bytes) -> tuple[Layout, list[Json]] | None:
    """The messages in order; `None` for whatever else YAML may hold, which is any text."""
    if not all(word in data for word in _WORDS):
        return None
    parsed = yaml_text.parse(data, path="", prefix="trace")
    if isinstance(parsed, tuple):
        return None
    layout = value_marks.layout(parsed.value)
    if layout is None:
        return None
    value = parsed.value
    for step in layout.pointer:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
    return (layout, value) if isinstance(value, list) else None
