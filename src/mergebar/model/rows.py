"""Many small values in, a few bytes each instead of an object each out."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

Row = TypeVar("Row")


class Rows(Generic[Row]):
    """Values kept as columns of numbers, each made when it is asked for.

    A column holds an attribute that is a number.
    """

    __slots__ = ("_columns", "_make")

    def __init__(self, make: Callable[[int], Row], columns: Mapping[str, Sequence[int]]) -> None:
        """`make` builds the value of an index; `columns` are of one length and hold its numbers."""
        self._make = make
        self._columns = dict(columns)

    @classmethod
    def of(cls, values: Iterable[Row] = (), *, columns: Sequence[str] = ()) -> "Rows[Row]":
        """The same over values that exist already."""
        rows = tuple(values)
        named = {name: [getattr(row, name) for row in rows] for name in columns}
        return cls(rows.__getitem__, {"": range(len(rows)), **named})

    def column(self, name: str) -> Sequence[int]:
        """One attribute of all values, in order."""
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __getitem__(self, index: int) -> Row:
        if not 0 <= index < len(self):
            message = f"there is no row {index} among {len(self)}"
            raise IndexError(message)
        return self._make(index)

    def __iter__(self) -> Iterator[Row]:
        return map(self._make, range(len(self)))
