r"""A regular expression of ECMAScript in, what is certainly wrong with it out.

Python's own dialect is close enough to tell broken ones; what only one of the two knows passes.
"""

import re
import warnings

_TRANSLATED = (
    (re.compile(r"\(\?<([A-Za-z_$][\w$]*)>"), r"(?P<\1>"),
    (re.compile(r"\\k<([A-Za-z_$][\w$]*)>"), r"(?P=\1)"),
    (re.compile(r"\\u\{[0-9A-Fa-f]+\}|\\[pP]\{[^}]*\}|\\c[A-Za-z]|\\/|\\-"), "x"),
    (re.compile(r"\[\^\]"), r"[\\s\\S]"),
)
_FLAGS = "gimsuy"
_PYTHONS_OWN = ("look-behind", "bad escape", "global flags", "bad character range \\")
"""What Python refuses and ECMAScript allows."""


def fault(pattern: str) -> str | None:
    """A sentence, or `None`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of what it may read otherwise one day
            re.compile(_translated(pattern))
    except re.error as error:
        if error.msg.startswith(_PYTHONS_OWN):
            return None
        return f"is no regular expression: {error.msg}"
    except (RecursionError, OverflowError, MemoryError):
        return "is too complex: simplify it"
    return None


def flags_fault(flags: str) -> str | None:
    """What is wrong with the flags of a pattern."""
    unknown = sorted(set(flags) - set(_FLAGS))
    if unknown:
        return f"has the flag `{unknown[0]}`, which is none of `{_FLAGS}`"
    twice = sorted({flag for flag in flags if flags.count(flag) > 1})
    return f"has the flag `{twice[0]}` twice: remove one" if twice else None


def _translated(pattern: str) -> str:
    for sought, replacement in _TRANSLATED:
        pattern = sought.sub(replacement, pattern)
    return pattern
