"""Text for stdout and stderr: any text in, text out that can't steer a terminal or a CI runner.

A runner reads both streams for commands: `::name::` at the start of a line, `##[name]` anywhere.
"""

import re

from mergebar.untrusted import characters

_COMMAND = re.compile(r"^([^\S\n]*:)(?=:)", re.MULTILINE)


def guard(text: str) -> str:
    """Finished output, with our own colours in it, that issues no workflow command."""
    return _COMMAND.sub(r"\1 ", text).replace("##[", "## [")


def line(text: str, *, limit: int | None = None) -> str:
    """Text on one line, with nothing in it that moves a cursor, colours or hides."""
    return guard(characters.line(text, limit=limit))


def lines(text: str) -> str:
    """The same with its line breaks."""
    return guard(characters.reveal(text))


def json_text(text: str) -> str:
    """JSON for stdout: equal as JSON, without anything that a runner takes for a command."""
    return text.replace("##[", "#\\u0023[")
