r"""Globs in the style of gitignore, compiled once: paths in, the pattern that decides out.

`*`, `?` and `[…]` stay within a path segment, `**` as a whole segment crosses any number of them.
A pattern with a slash at its start or in its middle is anchored at the root; any other matches at
every depth. A trailing slash matches folders only, and what matches a folder matches all that is
in it. `!` takes back what an earlier pattern gave: the last pattern that matches decides.

A list of these selects files, where git's ignores them, and one thing differs for that reason: a
`!` pattern reaches into a folder that an earlier pattern matched whole, and it takes a folder with
all that is in it. So `[docs/**, "!docs/drafts/"]` means what it says.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mergebar.patterns.tokens import (
    AnyChar,
    CharClass,
    Literal,
    Malformed,
    Separator,
    Stars,
    Token,
    tokenize,
)

_WHOLE_SEGMENT_STARS = 2
_SEGMENTS = "(?:[^/]++/)*?"
_ESCAPED_SLASH = re.compile(r"(?<!\\)(?:\\\\)*\\/")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    pattern: str
    negated: bool
    regex: re.Pattern[str]


class GlobSet:
    """Patterns as one question: is this path selected? A malformed pattern matches nothing."""

    __slots__ = ("_rules", "patterns")

    def __init__(self, patterns: Iterable[str]) -> None:
        self.patterns = tuple(patterns)
        self._rules = tuple(_rule(pattern) for pattern in self.patterns)

    def matches(self, path: str) -> bool:
        """Whether a file is selected; `path` is posix and relative to the root of the globs."""
        return self.first_match(path) is not None

    def first_match(self, path: str) -> str | None:
        """The pattern that selects a file: the last that matches, unless that starts with `!`."""
        for rule in reversed(self._rules):
            if rule.regex.match(path):
                return None if rule.negated else rule.pattern
        return None


class TextGlob:
    """A glob over text that is no path: `*` and `?` match any character, also a slash."""

    __slots__ = ("_regex", "pattern")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        found = tokenize(pattern)
        self._regex = (
            _NEVER
            if isinstance(found, Malformed)
            else re.compile(_sequence(found, any_char=r"[\s\S]", end=r"\Z"))
        )

    def matches(self, text: str) -> bool:
        """Whether the whole text matches."""
        return self._regex.match(text) is not None


def fault(pattern: str) -> str | None:
    """Why a pattern of a `GlobSet` can never match, as a sentence with its remedy."""
    found = _read(pattern)
    return f"the pattern `{pattern}` {found.reason}" if isinstance(found, Malformed) else None


def trimmed(pattern: str) -> str:
    """A pattern without the spaces at its end, which git drops unless a backslash keeps one."""
    bare = pattern.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return pattern[: len(bare) + escapes % 2]


def _rule(pattern: str) -> _Rule:
    found = _read(pattern)
    regex = _NEVER if isinstance(found, Malformed) else re.compile(found)
    return _Rule(pattern=pattern, negated=pattern.startswith("!"), regex=regex)


def _read(pattern: str) -> str | Malformed:
    """The regular expression of one pattern, matched from the start of a path."""
    glob = trimmed(pattern.removeprefix("!"))
    found = _refused(glob) or tokenize(glob)
    if isinstance(found, Malformed):
        return found
    anchored = "/" in glob.rstrip("/")
    return _path_regex(_split(found), anchored=anchored, folder=glob.endswith("/"))


def _refused(glob: str) -> Malformed | None:
    """What could be read and would still never match any path."""
    segments = glob.split("/")
    refusals = {
        "is empty: remove it": not glob.strip(),
        "names no file: write `**` for everything": not glob.strip("/"),
        "leads out of the working directory: remove `..`": ".." in segments,
        "has a `.` segment, which no path has: remove it": "." in segments,
        "has two slashes in a row: remove one": "" in segments[1:-1],
        r"has a `\` before a slash: write the slash alone": _ESCAPED_SLASH.search(glob),
    }
    reason = next((reason for reason, applies in refusals.items() if applies), None)
    return None if reason is None else Malformed(reason=reason)


def _split(tokens: Sequence[Token]) -> list[tuple[Token, ...]]:
    """Segments without the separators; an empty first or last one is dropped."""
    segments: list[list[Token]] = [[]]
    for token in tokens:
        if isinstance(token, Separator):
            segments.append([])
        else:
            segments[-1].append(token)
    return [tuple(segment) for segment in segments if segment]


def _path_regex(segments: list[tuple[Token, ...]], *, anchored: bool, folder: bool) -> str:
    """Each block between two `**` is taken where it first fits: what follows can only gain.

    That, and segments matched as a whole, is what leaves nothing to backtrack into.
    """
    end = "/" if folder else r"(?:/|\Z)"
    if not anchored:
        return f"(?>{_SEGMENTS}{_segment(segments[0])}{end})"
    *leading, last = list(_blocks(segments))
    if not last:  # a trailing `**`: everything inside, at least one segment of it
        last = ["[^/]++"]
    parts = [_block(block, end="/") for block in leading]
    return _join([*parts, _block(last, end=end)])


def _blocks(segments: list[tuple[Token, ...]]) -> Iterator[list[str]]:
    block: list[str] = []
    for segment in segments:
        if _crosses(segment):
            yield block
            block = []
        else:
            block.append(_segment(segment))
    yield block


def _crosses(segment: tuple[Token, ...]) -> bool:
    first = segment[0]
    return len(segment) == 1 and isinstance(first, Stars) and first.count >= _WHOLE_SEGMENT_STARS


def _block(segments: list[str], *, end: str) -> str:
    return "/".join(segments) + end if segments else ""


def _join(blocks: list[str]) -> str:
    first, *others = blocks
    return first + "".join(f"(?>{_SEGMENTS}{block})" for block in others if block)


def _segment(tokens: tuple[Token, ...]) -> str:
    return _sequence(tokens, any_char="[^/]", end=r"(?=/|\Z)")


def _sequence(tokens: Iterable[Token], *, any_char: str, end: str) -> str:
    """Literal parts between stars; each but the last is taken where it first fits."""
    first, *others = _parts(tokens, any_char=any_char)
    if not others:
        return first + end
    *middle, last = others
    taken = "".join(f"(?>{any_char}*?{part})" for part in middle if part)
    return f"{first}{taken}(?>{any_char}*?{last}{end})"


def _parts(tokens: Iterable[Token], *, any_char: str) -> list[str]:
    parts = [""]
    for token in tokens:
        if isinstance(token, Stars):
            parts.append("")
        else:
            parts[-1] += _one(token, any_char=any_char)
    return parts


def _one(token: Token, *, any_char: str) -> str:
    match token:
        case Literal():
            return re.escape(token.char)
        case CharClass():
            return f"(?={any_char})[{'^' if token.negated else ''}{token.body}]"
        case AnyChar():
            return any_char
        case _:
            return "/"
