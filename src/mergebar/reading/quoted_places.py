"""Places in a text whose strings are all quoted, and places in a text that has none."""

from collections.abc import Sequence

from mergebar.reading.positions import Plain, Positions, Written


class Quoted:
    """Places as given; nothing is unquoted that could be misread."""

    __slots__ = ("_positions",)

    def __init__(self, positions: Positions) -> None:
        self._positions = positions

    def locate(self, pointer: Sequence[str | int], *, key: bool = False) -> tuple[int, int]:
        return self._positions.locate(pointer, key=key)

    def plain(self, _pointer: Sequence[str | int]) -> Plain | None:
        """Always nothing."""
        return None


class _Nowhere:
    __slots__ = ()

    def locate(self, _pointer: Sequence[str | int], *, key: bool = False) -> tuple[int, int]:  # noqa: ARG002 -- the Protocol's
        return 1, 1

    def plain(self, _pointer: Sequence[str | int]) -> Plain | None:
        return None


NOWHERE: Written = _Nowhere()
"""The first line for everything: of a text of which nothing could be read."""
