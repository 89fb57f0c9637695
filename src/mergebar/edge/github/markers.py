"""The first line of our comments: which gate wrote it, and in which run."""

import re
import urllib.parse
from dataclasses import dataclass

_LINE = re.compile(r"<!-- mergebar:v1((?: [a-z]+=[^\s<>]{0,2000}){1,20}) -->[ \t]*(?:\r?\n|\Z)")
_NUMBER = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """`line` is as it was written. `sha` is the head that was reported on, `None` if unknown."""

    line: str
    key: str
    run: int
    attempt: int
    sha: str | None

    @property
    def order(self) -> tuple[int, int]:
        """What is newer is greater."""
        return (self.run, self.attempt)


def read(body: str) -> Marker | None:
    """The marker that a comment begins with. Quoted further down, it is somebody's text."""
    found = _LINE.match(body)
    if found is None:
        return None
    fields = dict(field.split("=", 1) for field in found[1].split())
    if "key" not in fields:
        return None
    sha = fields.get("sha", "none")
    return Marker(
        line=found[0].strip(),
        key=urllib.parse.unquote(fields["key"]),
        run=_number(fields.get("run", "")),
        attempt=_number(fields.get("attempt", "")),
        sha=None if sha == "none" else urllib.parse.unquote(sha),
    )


def _number(text: str) -> int:
    return int(text) if _NUMBER.fullmatch(text) else 0
