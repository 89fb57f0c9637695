"""The front matter of a `.mdc` rule that is no YAML in, what its host makes of it out."""

import re

from mergebar.model.text import Json

_KEYS = ("description", "globs", "alwaysApply")
_LINE = re.compile(rf"({'|'.join(_KEYS)})\s*:(.*)")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "": None}


def read(text: str) -> dict[str, Json]:
    """The three keys that the host knows, read line by line: `globs: **/*.ts` is legal there."""
    found: dict[str, Json] = {}
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is not None:
            written = match[2].strip().strip("\"'")
            found[match[1]] = _WORDS.get(written, written)
    return found
