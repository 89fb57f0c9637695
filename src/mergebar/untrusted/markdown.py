"""Text for GitHub's Markdown: any text in, marked Markdown out that shows it and does nothing else.

GitHub links mentions, issues and commits after rendering, in whatever text is not code; entities
don't stop that. So a word that could become anything but itself is put in a code span.
"""

import re
from collections.abc import Iterator

from mergebar.untrusted import characters


class Markdown(str):
    """Text that is Markdown already: made here, or written by us."""

    __slots__ = ()


BLANK = Markdown(" ")

_ACTIVE = frozenset("@#[]*_~`\\$^{}")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"})
_LINKABLE = re.compile(
    r":(?!\Z)"  # an address or the name of an emoji
    r"|/.*[/.]"  # a path, which reads better as code
    r"|www\."
    r"|(?<![a-z0-9])gh-\d"  # an issue
    r"|(?<![0-9a-z])[0-9a-f]{7,64}(?![0-9a-z])",  # a commit
    re.IGNORECASE,
)
_APART = re.compile(r"(\||<(?=!))")
_APART_DRAWN = {"|": "&#124;", "<": "&lt;"}
_TOKENS = re.compile(r"`([^`]+)`| |[^ `]+|`")
# What would begin a list, a rule or an underlined heading at the start of a line.
_OPENING = re.compile(r"([-+=])|(\d+)([.)])\Z")


def _span(text: str) -> str:
    """One code span; its fence is longer than any run of backticks in it. Blanks stay blanks."""
    if not text.strip():
        return text
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def code(text: str, *, limit: int | None = None) -> Markdown:
    """A code span, also for a table.

    A pipe, which would end a cell, is drawn between two spans, and so is the beginning of an HTML
    comment, so that nobody who searches for our marker finds it in what we quote.
    """
    pieces = _APART.split(characters.line(text, limit=limit))
    return Markdown("".join(_APART_DRAWN.get(one) or _span(one) for one in pieces))


def _acts(word: str) -> bool:
    return not _ACTIVE.isdisjoint(word) or _LINKABLE.search(word) is not None


def _plain(word: str) -> str:
    opening = _OPENING.match(word)
    if opening is None:
        return word.translate(_ENTITIES)
    place = opening.start(3) if opening[3] else 0
    rest = word[place + 1 :].translate(_ENTITIES)
    return f"{word[:place]}&#{ord(word[place])};{rest}"


def inline(text: str, *, limit: int | None = None) -> Markdown:
    """Prose on one line, also for a table: plain words stay plain, all others become code.

    What stands between two backticks is code already.
    """
    one_line = characters.line(text, limit=limit)
    drawn = ""
    for piece in _pieces(one_line):
        # Two spans that touch would be read as one with longer fences.
        gap = " " if drawn.endswith("`") and piece.startswith("`") else ""
        drawn += gap + piece
    return Markdown(drawn)


def _pieces(one_line: str) -> Iterator[str]:
    """Blanks, plain words, and code: neighbouring words that would act share one span."""
    acting: list[str] = []
    for token in _TOKENS.finditer(one_line):
        word = token.group()
        if (token[1] is None and _acts(word)) or (word == " " and acting):
            acting.append(word)
        else:
            yield from _flushed(acting)
            acting = []
            yield word if word == " " else code(token[1]) if token[1] else _plain(word)
    yield from _flushed(acting)


def _flushed(acting: list[str]) -> Iterator[str]:
    text = "".join(acting)
    if text:
        yield code(text)
        yield " " * text.endswith(" ")


def cell(text: str, *, limit: int = 200) -> Markdown:
    """A table cell: prose, cut to `limit` characters; a blank one for empty text."""
    return inline(text, limit=limit) or BLANK


def block(text: str, *, limit: int | None = None, info: str = "text") -> Markdown:
    """A fenced block, with its line breaks; the fence is longer than any run of backticks in it."""
    shown = characters.reveal(text, limit=limit).replace("<!--", "< !--")
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return Markdown(f"{fence}{info}\n{shown}\n{fence}")
