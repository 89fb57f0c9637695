"""A text that an evaluator needs in, whether there is anything in it to be read out."""

import unicodedata

from mergebar.model.text import Json

_INVISIBLE = {"Cc", "Cf"}


def is_blank(text: Json) -> bool:
    """Nothing to be seen: whitespace, control and format characters only, or no text at all."""
    return not isinstance(text, str) or all(
        char.isspace() or unicodedata.category(char) in _INVISIBLE for char in text
    )
