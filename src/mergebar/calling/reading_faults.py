"""What pydantic found wrong with machine-made text in, one sentence out."""

from collections.abc import Mapping

from pydantic import ValidationError

_SHOWN = 3
_SENTENCES: Mapping[str, str] = {
    "missing": "is missing",
    "unexpected_keyword_argument": "is not a known key",
    "extra_forbidden": "is not a known key",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "dict_type": "must be an object",
    "dataclass_type": "must be an object",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "greater_than_equal": "must not be below {ge}",
    "less_than_equal": "must not be above {le}",
    "literal_error": "must be {expected}",
}


def sentence(error: ValidationError) -> str:
    """The first few faults, each with the place in the object."""
    faults = error.errors(include_url=False, include_input=False)
    said = []
    for fault in faults[:_SHOWN]:
        text = _SENTENCES.get(fault["type"], fault["msg"])
        said.append(f"`{_place(fault['loc'])}` {text.format_map(fault.get('ctx', {}))}")
    if len(faults) > _SHOWN:
        said.append(f"and {len(faults) - _SHOWN} more")
    return ", ".join(said)


def _place(loc: tuple[int | str, ...]) -> str:
    place = ""
    for step in loc:
        place += f"[{step}]" if isinstance(step, int) else f".{step}"
    return place.removeprefix(".") or "."
