"""The declared `schemaVersion` in, the minor whose rules apply out."""

import re
from dataclasses import dataclass

from mergebar.model.text import Json
from mergebar.reading.sentences import quoted
from mergebar.suites.findings import Finding, error, warning

BASE = 7
"""The language of every document up to this minor: one schema describes them all."""
NEWEST = 11
"""The newest minor whose schema is known."""

_VERSION = re.compile(r"1\.([0-9]+)\.[0-9]+")
_OTHER_MAJOR = re.compile(r"([0-9]+)\.[0-9]+\.[0-9]+")
_KNOWN_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """`declared` is the text as written, `None` where there is none; `minor` is what it means.

    `language` is the minor whose schema the document has to follow.
    """

    declared: str | None
    minor: int
    language: int


UNDECLARED = Version(declared=None, minor=NEWEST, language=NEWEST)


def read(value: Json, found: list[Finding]) -> Version:
    """A version that can't be read is an error, and the newest rules are used for the rest."""
    text = value if isinstance(value, str) else None
    match = _VERSION.fullmatch(text) if text is not None else None
    if match is None:
        found.append(error("schema/version", _complaint(value), ("schemaVersion",)))
        return Version(declared=text, minor=NEWEST, language=NEWEST)
    # More digits than any version will have: Python refuses to convert thousands of them.
    digits = match.group(1).lstrip("0")
    minor = int(digits or "0") if len(digits) <= _KNOWN_DIGITS else 10**_KNOWN_DIGITS
    if minor > NEWEST:
        message = (
            f"schemaVersion {quoted(match.group())} is newer than this mergebar knows: it was "
            f"checked against 1.{NEWEST}.0, and what came later was not; update mergebar"
        )
        found.append(warning("document/newer-minor", message, ("schemaVersion",)))
    return Version(declared=text, minor=minor, language=max(BASE, min(minor, NEWEST)))


def _complaint(value: Json) -> str:
    remedy = f'write one from "1.0.0" to "1.{NEWEST}.0"'
    if not isinstance(value, str):
        return f"schemaVersion must be a string of three numbers: {remedy}"
    other = _OTHER_MAJOR.fullmatch(value)
    if other is not None:
        major = quoted(other.group(1))
        return f"schemaVersion has major version {major}, and only 1 is known: {remedy}"
    return f"schemaVersion {quoted(value)} is not a version of three numbers: {remedy}"
