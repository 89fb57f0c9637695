"""The nodes of a YAML text, and a pointer in, line and column out."""

from collections.abc import Sequence

from mergebar.model.text import Json
from mergebar.reading.lines import Lines
from mergebar.reading.positions import Plain


class Child:
    """Where a node stands in its parent: offsets of its key (or itself, in a list) and of it."""

    __slots__ = ("key_offset", "node", "offset")

    def __init__(self, node: "Node", *, offset: int, key_offset: int) -> None:
        self.node = node
        self.offset = offset
        self.key_offset = key_offset


class Node:
    """A value with its children. `size` and `height` count aliases as often as they stand.

    `plain` is the text of an unquoted scalar, `end` the offset behind it.
    """

    __slots__ = ("children", "end", "height", "is_open", "plain", "size", "value")

    def __init__(self, value: Json, *, plain: str | None = None, end: int = 0) -> None:
        self.value = value
        self.plain = plain
        self.end = end
        self.children: dict[str | int, Child] = {}
        self.size = 1
        self.height = 1
        self.is_open = False

    def add(self, step: str | int, child: Child) -> None:
        self.children[step] = child
        self.size += child.node.size
        self.height = max(self.height, child.node.height + 1)
        if isinstance(self.value, list):
            self.value.append(child.node.value)
        elif isinstance(self.value, dict):
            self.value[str(step)] = child.node.value


class YamlPositions:
    """Places in a YAML text. What an alias stands for has its places where the anchor is."""

    __slots__ = ("_lines", "_root", "_text")

    def __init__(self, root: Child, lines: Lines, text: str = "") -> None:
        self._root = root
        self._lines = lines
        self._text = text

    def locate(self, pointer: Sequence[str | int], *, key: bool = False) -> tuple[int, int]:
        """Line and column of the value at `pointer`, or with `key` of the key that names it.

        Where the pointer leads nowhere: those of its deepest ancestor that exists.
        """
        place = self._root
        for position, step in enumerate(pointer, start=1):
            child = place.node.children.get(step)
            if child is None:
                return self._lines.at(place.offset)
            place = child
            if key and position == len(pointer):
                return self._lines.at(place.key_offset)
        return self._lines.at(place.offset)

    def plain(self, pointer: Sequence[str | int]) -> Plain | None:
        """How an unquoted scalar is written; `None` for all else."""
        place = self._root
        for step in pointer:
            child = place.node.children.get(step)
            if child is None:
                return None
            place = child
        node = place.node
        if node.plain is None:
            return None
        return Plain(text=node.plain, rest=self._text[node.end :].partition("\n")[0].rstrip("\r"))
