"""Something that waits for a person in, the entry to paste into mergebar.reviews.yml out."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from mergebar.reviews.values import FILE

_PLAIN = re.compile(r"[A-Za-z.][A-Za-z0-9_.]*[/-][A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*")
_SHORT, _MIDDLE = 0xFF, 0xFFFF
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
HEADER = "version: 1\nreviews:\n"
"""What the file begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A check that waits; `look` says what to look at."""

    suite: str
    eval: str
    session: str
    digest: str
    look: str = ""


def entry(waiting: Waiting) -> str:
    """One item of `reviews`. The verdict and the name are left to the reviewer."""
    return "\n".join(
        [
            f"  - suite: {_scalar(waiting.suite)}",
            f"    eval: {_scalar(waiting.eval)}",
            f"    session: {_scalar(waiting.session)}",
            f"    digest: {_scalar(waiting.digest)}",
            "    verdict: # pass or fail",
            "    by: # who looked",
            "    note: # why",
            "",
        ]
    )


def instructions(waiting: Iterable[Waiting], *, exists: bool) -> str:
    """What to append to the file, or all of it where there is none yet."""
    entries = "".join(entry(one) for one in waiting)
    return entries if exists else HEADER + entries


def sentence(waiting: Waiting) -> str:
    """What a reviewer has to do, in one line."""
    look = f"look at {waiting.look}; " if waiting.look else ""
    return f"{look}then add the entry to `{FILE}`"


def _scalar(text: str) -> str:
    """As YAML reads it back, whatever it holds."""
    if _PLAIN.fullmatch(text):
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in {'"', "\\"}:
        return f"\\{char}"
    if unicodedata.category(char) not in _HIDDEN and char != "\ufeff":
        return char
    point = ord(char)
    if point <= _SHORT:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= _MIDDLE else f"\\U{point:08x}"
