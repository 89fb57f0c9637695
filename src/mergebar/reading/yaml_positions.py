"""The nodes of a YAML text, and a pointer in, line and column out."""

from collections.abc import Sequence

from mergebar.model.text import Json
from mergebar.reading.lines import Lines


class Child:
    """Where a node stands in its parent: offsets of its key (or itself, in a list) and of it."""

    __slots__ = ("key_offset", "node", "offset")

    def __init__(self, node: "Node", *, offset: int, key_offset: int) -> None:
        self.node = node
        self.offset = offset
        self.key_offset = key_offset


class Node:
    """A value with its children. `size` and `height` count aliases as often as they stand."""

    __slots__ = ("children", "height", "is_open", "size", "value")

    def __init__(self, value: Json) -> None:
        self.value = value
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

    __slots__ = ("_lines", "_root")

    def __init__(self, root: Child, lines: Lines) -> None:
        self._root = root
        self._lines = lines

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
