"""What a reader knows about where a value stands, whatever the format."""

from collections.abc import Sequence
from typing import Protocol


class Positions(Protocol):
    """Places of the nodes of a parsed file."""

    def locate(self, pointer: Sequence[str | int], *, key: bool = False) -> tuple[int, int]:
        """Line and column of the value at `pointer`, or with `key` of the key that names it.

        Where the pointer leads nowhere: those of its deepest ancestor that exists.
        """
        ...
