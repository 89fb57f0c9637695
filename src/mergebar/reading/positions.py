"""What a reader knows about where a value stands, whatever the format."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Positions(Protocol):
    """Places of the nodes of a parsed file."""

    def locate(self, pointer: Sequence[str | int], *, key: bool = False) -> tuple[int, int]:
        """Line and column of the value at `pointer`, or with `key` of the key that names it.

        Where the pointer leads nowhere: those of its deepest ancestor that exists.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """An unquoted scalar as it is written, and what follows it on its last line."""

    text: str
    rest: str


class Written(Positions, Protocol):
    """Places that also know how a scalar is written."""

    def plain(self, pointer: Sequence[str | int]) -> Plain | None:
        """How an unquoted scalar is written; `None` for all else."""
        ...
