"""A path as a session recorded it and a glob of an eval in, whether they match out.

The dialect is that of evals (spec, section 4.2), not of configurations: case never matters, and a
pattern may begin at any folder unless a slash begins it. No regular expression is involved.
"""

import posixpath
import re
from collections.abc import Sequence

_DRIVE = re.compile(r"[A-Za-z]:/")


def relative(path: str, cwd: str | None) -> str:
    """The path below the folder that the session worked in, posix; outside of it, as it was."""
    plain = _plain(path)
    if cwd is None:
        return plain
    folder = _plain(cwd).rstrip("/")
    if plain.casefold() == folder.casefold():
        return "."
    if plain.casefold().startswith(f"{folder.casefold()}/"):
        return plain[len(folder) + 1 :]
    return plain


def is_absolute(path: str) -> bool:
    """Whether a path names a place of a machine."""
    return path.startswith("/") or _DRIVE.match(path) is not None


def matches(glob: str, path: str, *, cwd: str | None) -> bool:
    """Whether the glob matches the recorded path."""
    shown = relative(path, cwd)
    pattern = glob.replace("\\", "/")
    rooted = pattern.startswith("/") and cwd is not None
    if rooted and is_absolute(shown):
        return False
    wanted = _segments(pattern + ("**" if pattern.endswith("/") else ""))
    if not wanted:
        return False
    return _match(wanted if rooted else ["**", *wanted], _segments(shown))


def _plain(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/")) if path else "."


def _segments(text: str) -> list[str]:
    """Folded, without empty ones and dots, and with one `**` for several."""
    kept: list[str] = []
    for segment in text.casefold().split("/"):
        if segment in {"", "."} or (segment == "**" and kept[-1:] == ["**"]):
            continue
        kept.append(segment)
    return kept


def _match(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """All of the pattern against all of the path; every pair of places is looked at once."""
    reached = [place == 0 for place in range(len(path) + 1)]
    for segment in pattern:
        if segment == "**":
            first = next((place for place, ok in enumerate(reached) if ok), len(reached))
            reached = [place >= first for place in range(len(reached))]
        else:
            reached = [False] + [
                ok and _within(segment, own) for ok, own in zip(reached, path, strict=False)
            ]
    return reached[-1]


def _within(pattern: str, text: str) -> bool:
    """One segment: `*` is any run of characters, `?` is one."""
    at = place = 0
    star, resume = -1, 0
    while place < len(text):
        if at < len(pattern) and pattern[at] == "*":
            star, resume, at = at, place, at + 1
        elif at < len(pattern) and pattern[at] in {"?", text[place]}:
            at, place = at + 1, place + 1
        elif star >= 0:
            resume += 1
            at, place = star + 1, resume
        else:
            return False
    return all(char == "*" for char in pattern[at:])
