"""Texts in, lines for a terminal out: wrapped to its width, coloured if asked, steering nothing."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mergebar.model.configuration import Responses
from mergebar.untrusted import terminal

_Thing = TypeVar("_Thing")

RED, GREEN, YELLOW, BOLD, DIM = "31", "32", "33", "1", "2"
ROWS = 200
"""At most so many of a kind: a log is not the place to find the five-hundredth."""
NAME = 80
_TEXT = 2000
_NARROWEST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How to draw: `width` in columns; `verbose` names what passed and what wasn't affected.

    `kept` is where the report is, with all that may not be shown here.
    """

    width: int = 80
    colour: bool = False
    verbose: bool = False
    responses: Responses = Responses.ARTIFACT
    kept: str = "report.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """Draws lines in a style."""

    style: Style

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.style.colour else text

    def listed(
        self, things: Sequence[_Thing], draw: Callable[[_Thing], Iterable[str]]
    ) -> Iterator[str]:
        for thing in things[:ROWS]:
            yield from draw(thing)
        if len(things) > ROWS:
            yield self.paint(f"…and {len(things) - ROWS:,} more in report.json", DIM)

    def said(self, word: str, colour: str, text: str, where: str = "") -> Iterator[str]:
        """`word  place`, and below it what is to be said."""
        place = terminal.line(where)
        head = self.paint(word, colour)
        yield f"{head}  {self.paint(place, BOLD)}" if place else head
        yield from self.wrapped(text, indent=4)

    def wrapped(self, text: str, *, indent: int = 0, later: int = 0) -> Iterator[str]:
        """Every line indented, and those after the first by `later` more."""
        blank = " " * indent
        yield from textwrap.wrap(
            terminal.line(text, limit=_TEXT),
            width=max(self.style.width, _NARROWEST),
            initial_indent=blank,
            subsequent_indent=blank + " " * later,
            break_on_hyphens=False,
            break_long_words=False,
        )

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
        """Columns as wide as their content; the first, to the left, has what room there is."""
        widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
        room = max(self.style.width - sum(widths[1:]) - 2 * len(widths[1:]), 12)
        cells = [list(head), *([terminal.line(row[0], limit=room), *row[1:]] for row in rows)]
        widths[0] = max(len(row[0]) for row in cells)
        for index, row in enumerate(cells):
            rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
            text = "  ".join((row[0].ljust(widths[0]), *rest))
            yield self.paint(text, DIM) if index == 0 else text
