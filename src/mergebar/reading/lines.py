"""Offsets in a text to lines and columns."""

import re
from bisect import bisect_right

_NEWLINE = re.compile("\n")


class Lines:
    r"""Where the lines of a text begin, found when first asked.

    A line ends at `\n` alone, as git and GitHub count; columns count characters; both from 1.
    `first_line` is the number of the text's first line, for a text that is part of a file.
    """

    __slots__ = ("_first_line", "_starts", "_text")

    def __init__(self, text: str, *, first_line: int = 1) -> None:
        self._text = text
        self._first_line = first_line
        self._starts: list[int] | None = None

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of a character."""
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _NEWLINE.finditer(self._text))]
        line = bisect_right(self._starts, offset)
        return line - 1 + self._first_line, offset - self._starts[line - 1] + 1
