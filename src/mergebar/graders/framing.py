"""Lines from the front and from the back in, one text within a limit out, its middle left out."""

from collections.abc import Iterator

_HEAD = 0.6
_MARK = "[… the middle is left out here …]"
_CUT = " [… cut]"


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, with a mark where something is missing."""
    if len(text) <= limit:
        return text
    return text[: limit - len(_CUT)] + _CUT if limit > len(_CUT) else text[: max(0, limit)]


def frame(
    first: str,
    forwards: Iterator[tuple[int, str]],
    backwards: Iterator[tuple[int, str]],
    limit: int,
) -> str:
    """`first`, then as many numbered lines as fit, from the front and from the back.

    Both iterators give the same lines, in opposite orders; no more of them is asked for than fits.
    """
    first = shorten(first, limit)
    room = limit - len(first)
    head: list[str] = []
    reached = -1
    for number, line in forwards:
        cost = len(line) + 1
        if cost > room - (limit - len(first)) * (1 - _HEAD):
            break
        head.append(line)
        room -= cost
        reached = number
    else:
        return "\n".join([first, *head])
    tail, whole = _tail(backwards, after=reached, room=room)
    text = "\n".join([first, *head, *([] if whole else [_MARK]), *reversed(tail)])
    return text[:limit]


def _tail(backwards: Iterator[tuple[int, str]], *, after: int, room: int) -> tuple[list[str], bool]:
    """The last lines, last first, and whether nothing lies between them and the head."""
    tail: list[str] = []
    kept: list[int] = []
    for number, line in backwards:
        if number <= after:
            return tail, True
        if len(line) + 1 > room:
            break
        tail.append(line)
        kept.append(len(line) + 1)
        room -= kept[-1]
    else:
        return tail, True
    while tail and room < len(_MARK) + 1:
        tail.pop()
        room += kept.pop()
    return tail, False
