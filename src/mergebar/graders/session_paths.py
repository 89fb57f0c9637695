"""A path as a session recorded it and a glob of an eval in, whether they match out.

The dialect is that of evals (spec, section 4.2), not of configurations: case never matters, and a
pattern may begin at any folder unless a slash begins it. No regular expression is involved.
"""

from collections.abc import Sequence

from mergebar.sessions import paths


def relative(path: str, cwd: str | None) -> str:
    """The path below the folder that the session worked in, posix; outside of it, as it was."""
    return paths.relative(path, cwd) or paths.posix(path)


def matches(glob: str, path: str, *, cwd: str | None) -> bool:
    """Whether the glob matches the recorded path."""
    below = paths.relative(path, cwd)
    pattern = glob.replace("\\", "/")
    rooted = pattern.startswith("/") and cwd is not None
    if rooted and below is None:
        return False
    wanted = _segments(pattern + ("**" if pattern.endswith("/") else ""))
    if not wanted:
        return False
    return _match(wanted if rooted else ["**", *wanted], _segments(below or paths.posix(path)))


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
