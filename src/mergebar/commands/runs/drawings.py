"""What draws each file of the report folder in, the files out: each is drawn when it is asked for.

Whoever writes them in order has written the first ones when a bug in a later drawing shows itself.
"""

from collections.abc import Callable, Iterator, Mapping


class Drawings(Mapping[str, bytes]):
    """Files by name, in order; none is drawn twice."""

    def __init__(self, drawing: Mapping[str, Callable[[], bytes]]) -> None:
        self._drawing = dict(drawing)
        self._drawn: dict[str, bytes] = {}

    def __getitem__(self, name: str) -> bytes:
        if name not in self._drawn:
            self._drawn[name] = self._drawing[name]()
        return self._drawn[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawing)

    def __len__(self) -> int:
        return len(self._drawing)
