"""The bytes of a large report in; the same report without its checks, and these in pieces, out.

A report of 100,000 checks takes ten times its size once it is parsed, and that is most of the time
as well. In pieces, what one of them takes is there for the next.
"""

from collections.abc import Iterator
from dataclasses import dataclass

MARK = "the checks of this report"
_FIRST = b'"checks":[{"id":'
_BEFORE = len(b'"checks":[')
_NEXT = b',{"id":'
_LAST = b'],"comparison":'
_PIECE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """`frame` is JSON that has `MARK` alone as its checks; `start` and `end` of these in `data`."""

    data: bytes
    frame: bytes
    start: int
    end: int

    def __iter__(self) -> Iterator[bytes]:
        """Lists of checks, which are JSON if the report is."""
        at = self.start
        while at < self.end:
            cut = self.data.find(_NEXT, at + _PIECE, self.end)
            cut = self.end if cut < 0 else cut
            yield b"[" + self.data[at:cut] + b"]"
            at = cut + 1


def cut(data: bytes) -> Pieces | None:
    """`None` where the layout isn't the one that mergebar writes.

    If the frame and all pieces turn out to be JSON, and the checks of the frame are `MARK`, then
    the whole is JSON too and has the checks of the pieces: a list stands where a list stood.
    """
    first, last = data.find(_FIRST), data.rfind(_LAST)
    mark = f'"{MARK}"'.encode()
    if first < 0 or last < first or mark in data:
        return None
    start = first + _BEFORE
    frame = data[:start] + mark + data[last:]
    return Pieces(data=data, frame=frame, start=start, end=last)
