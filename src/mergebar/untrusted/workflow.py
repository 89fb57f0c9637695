"""Workflow commands: an annotation in, one line for a GitHub runner out, forged by nobody."""

from mergebar.model.problems import Level
from mergebar.untrusted import characters

MESSAGE_LIMIT = 4096

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def command(
    level: Level,
    message: str,
    *,
    path: str | None = None,
    line: int | None = None,
    column: int | None = None,
    title: str | None = None,
) -> str:
    """`::error file=…,line=…::message`; a column counts only beside a line, a line beside a file.

    The message is cut at 4,096 characters, as the runner would.
    """
    properties: dict[str, str] = {}
    if path:
        properties["file"] = path
        if line is not None:
            properties["line"] = str(line)
            if column is not None:
                properties["col"] = str(column)
    if title:
        properties["title"] = title
    written = ",".join(
        f"{name}={characters.line(value).translate(_PROPERTY)}"
        for name, value in properties.items()
    )
    data = characters.reveal(message, limit=MESSAGE_LIMIT).translate(_DATA)
    return f"::{level}{' ' if written else ''}{written}::{data}"
