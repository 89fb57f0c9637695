"""The hash of the assertion that a command was written for in, whether it is still that one out."""

import hashlib
import re

from mergebar.reading.sentences import quoted

_WRITTEN = re.compile(r"(?:sha256-)?([0-9a-f]{64})", re.IGNORECASE)


def bare(written: str) -> str | None:
    """The hex digits in lower case; `None` for what is no sha256."""
    match = _WRITTEN.fullmatch(written)
    return match[1].lower() if match else None


def of(assertion: str) -> str:
    """The sha256 of an assertion as parsed: a block's last line break is part of it."""
    return hashlib.sha256(assertion.encode()).hexdigest()


def fault(written: str, assertion: str | None) -> str | None:
    """A sentence, or `None` where the hash is that of the assertion."""
    if assertion is None:
        return "there is no `assertion` that the hash could be of: add it, or remove the hash"
    hexadecimal = bare(written)
    if hexadecimal is None:
        return f"{quoted(written)} is no sha256: write `sha256-` and its 64 hex digits"
    if hexadecimal != of(assertion):
        return (
            "the assertion has changed since the command was written: check the command, and write "
            f"`sha256-{of(assertion)}`"
        )
    return None
