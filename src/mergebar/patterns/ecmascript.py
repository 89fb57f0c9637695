"""Regular expressions as ECMAScript has them: a pattern and a text in, the match or the fault out.

The engine backtracks and holds the interpreter while it does, so that a hostile pattern stops the
whole process: search only where somebody else can end that process.
"""

from collections.abc import Iterator

from regress import Regex, RegressError

LONGEST = 8_192
"""Characters of a pattern: the engine's parser runs out of stack on very long alternations."""

_IGNORED = "gy"
_MEANT = "imsu"
_REFUSED = {
    "d": "it only asks for positions, which nothing reads",
    "v": "write the pattern for `u`",
}


def fault(pattern: str, flags: str = "") -> str | None:
    """Why this isn't a regular expression, as the end of a sentence; `None` where it is one."""
    wrong = next(_wrong_flags(flags), None)
    if wrong is not None:
        return wrong
    if len(pattern) > LONGEST:
        return f"has {len(pattern):,} characters, and at most {LONGEST:,} are allowed"
    try:
        _compiled(pattern, flags)
    except RegressError as error:
        return f"is no ECMAScript regular expression: {str(error)[:1].lower()}{str(error)[1:]}"
    return None


def search(pattern: str, flags: str, text: str) -> bool:
    """Whether the pattern matches anywhere in the text. Takes as long as the pattern wants.

    Raises ValueError where `fault` finds one.
    """
    wrong = fault(pattern, flags)
    if wrong is not None:
        raise ValueError(wrong)
    return _compiled(pattern, flags).find(_whole(text)) is not None


def _compiled(pattern: str, flags: str) -> Regex:
    return Regex(_whole(pattern), "".join(flag for flag in flags if flag in _MEANT))


def _wrong_flags(flags: str) -> Iterator[str]:
    for place, flag in enumerate(flags):
        if flag in _REFUSED:
            yield f"has the flag `{flag}`, which isn't supported: {_REFUSED[flag]}"
        elif flag not in _MEANT + _IGNORED:
            known = ", ".join(f"`{one}`" for one in _MEANT + _IGNORED)
            yield f"has the flag {flag!a}, which doesn't exist; known are {known}"
        elif flag in flags[:place]:
            yield f"has the flag `{flag}` twice"


def _whole(text: str) -> str:
    """Half a surrogate pair is no text to the engine."""
    return text.encode("utf-8", "replace").decode("utf-8")
