"""The events of a YAML text in, its nodes and what is wrong with them out."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import yaml

from mergebar.model.problems import Level
from mergebar.reading import yaml_scalars
from mergebar.reading.limits import MAX_DEPTH
from mergebar.reading.lines import Lines
from mergebar.reading.sentences import quoted
from mergebar.reading.yaml_positions import Child, Node

MAX_ALIASED = 50_000
"""How many nodes all aliases together may stand for."""

_MERGE = "<<"
_SURROGATE = re.compile("[\ud800-\udfff]")


class Fault(NamedTuple):
    """What is wrong at an offset; `rule` is its last part."""

    offset: int
    rule: str
    sentence: str
    level: Level = Level.ERROR


class Stop(Exception):  # noqa: N818 -- ends the reading; never leaves this package
    """Reading on would cost too much or mean nothing; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.sentence)
        self.fault = fault


@dataclass(slots=True, kw_only=True)
class _Frame:
    """A list or object that is being read."""

    node: Node
    offset: int
    key: str | None = None
    key_offset: int = 0
    is_merge: bool = False
    merges: list[Child] = field(default_factory=list)


class Builder:
    """Takes events one by one, without recursion: the depth of a text is its author's choice."""

    def __init__(self, lines: Lines, *, most_aliases: int | None = None) -> None:
        self.root: Child | None = None
        self.faults: list[Fault] = []
        self._lines = lines
        self._aliases_left = most_aliases
        self._frames: list[_Frame] = []
        self._anchors: dict[str, Node] = {}
        self._aliased = 0
        self._documents = 0

    def take(self, events: Iterable[yaml.Event]) -> None:
        """Read to the end, or raise `Stop`."""
        for event in events:
            if isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._open(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._close()
            elif isinstance(event, yaml.AliasEvent):
                self._alias(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                self._document(event)

    def _document(self, event: yaml.DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            sentence = "a second document begins here: the file must hold one"
            raise Stop(Fault(_offset(event), "several-documents", sentence))

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        offset = _offset(event)
        is_plain = event.implicit[0]
        frame = self._frames[-1] if self._frames else None
        is_key = frame is not None and isinstance(frame.node.value, dict) and frame.key is None
        if is_key and is_plain and event.value == _MERGE:
            self._begin_merge(offset)
            return
        node = Node(
            self._value(event, offset, is_plain=is_plain),
            plain=event.value if is_plain and event.tag is None else None,
            end=event.end_mark.index if event.end_mark else offset,
        )
        self._anchor(event.anchor, node)
        self._attach(Child(node, offset=offset, key_offset=offset), written=event.value)

    def _value(
        self, event: yaml.ScalarEvent, offset: int, *, is_plain: bool
    ) -> yaml_scalars.Scalar:
        value: yaml_scalars.Scalar | ValueError
        if event.tag is None:
            value = yaml_scalars.plain(event.value) if is_plain else event.value
        elif yaml_scalars.is_known(event.tag):
            value = yaml_scalars.tagged(event.value, event.tag)
        else:
            self._custom_tag(event.tag, offset)
            return str(event.value)
        if isinstance(value, ValueError):
            sentence = f"{quoted(event.value)} isn't what its tag says: remove the tag"
            self._fault(offset, "tag", sentence)
            return str(event.value)
        if isinstance(value, float) and not math.isfinite(value):
            self._fault(offset, "non-finite-number", _not_finite(event.value))
            return str(event.value)
        return self._whole(value, offset) if isinstance(value, str) else value

    def _whole(self, text: str, offset: int) -> str:
        if not text.isascii() and _SURROGATE.search(text):
            sentence = "half of a character is escaped here: write the character itself"
            self._fault(offset, "lone-surrogate", sentence)
            return _SURROGATE.sub("\ufffd", text)
        return text

    def _alias(self, event: yaml.AliasEvent) -> None:
        offset = _offset(event)
        anchor = str(event.anchor)
        node = self._anchors.get(anchor)
        if node is None or node.is_open:
            name = f"`*{anchor}`"
            sentence = (
                f"{name} is an alias, and no anchor `&{anchor}` stands before it: "
                "quote a text that begins with `*`"
                if node is None
                else f"{name} stands within what it refers to: that would never end"
            )
            self._fault(offset, "alias", sentence)
            node = Node(None)
        self._count_alias(node, offset)
        if len(self._frames) + node.height > MAX_DEPTH:
            raise Stop(_too_deep(offset))
        self._attach(Child(node, offset=offset, key_offset=offset), written=f"*{anchor}")

    def _count_alias(self, node: Node, offset: int) -> None:
        self._aliased += node.size
        if self._aliased > MAX_ALIASED:
            sentence = f"aliases stand for more than {MAX_ALIASED:,} nodes here: write them out"
            raise Stop(Fault(offset, "too-many-aliases", sentence))
        if self._aliases_left is not None:
            self._aliases_left -= 1
            if self._aliases_left < 0:
                sentence = "there are too many aliases: write out what they stand for"
                raise Stop(Fault(offset, "too-many-aliases", sentence))

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        offset = _offset(event)
        if len(self._frames) >= MAX_DEPTH:
            raise Stop(_too_deep(offset))
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        known = yaml_scalars.MAPPING_TAGS if is_mapping else yaml_scalars.SEQUENCE_TAGS
        if event.tag is not None and event.tag not in known:
            self._custom_tag(event.tag, offset)
        node = Node({} if is_mapping else [])
        node.is_open = True
        self._anchor(event.anchor, node)
        self._frames.append(_Frame(node=node, offset=offset))

    def _close(self) -> None:
        frame = self._frames.pop()
        for merged in frame.merges:
            for step, child in merged.node.children.items():
                if step not in frame.node.children:
                    frame.node.add(step, child)
        frame.node.is_open = False
        child = Child(frame.node, offset=frame.offset, key_offset=frame.offset)
        self._attach(child, written=None)

    def _attach(self, child: Child, *, written: str | None) -> None:
        """Put a finished node where it belongs; `written` is the text of a scalar."""
        if not self._frames:
            self.root = child
            return
        frame = self._frames[-1]
        if isinstance(frame.node.value, list):
            frame.node.add(len(frame.node.value), child)
        elif frame.key is None:
            self._begin_entry(frame, child, written)
        elif frame.is_merge:
            self._end_merge(frame, child)
        else:
            if frame.key not in frame.node.children:
                child.key_offset = frame.key_offset
                frame.node.add(frame.key, child)
            frame.key = None

    def _begin_entry(self, frame: _Frame, child: Child, written: str | None) -> None:
        key = child.node.value
        if not isinstance(key, str):
            sentence = (
                "a list or object can't be a key: write a text"
                if written is None
                else f"the key {quoted(written)} is not a text: put it in quotes"
            )
            self._fault(child.offset, "non-string-key", sentence)
            key = written or ""
        elif key in frame.node.children:
            first = self._lines.at(frame.node.children[key].key_offset)[0]
            self._duplicate(key, child.offset, first)
        frame.key, frame.key_offset, frame.is_merge = key, child.offset, False

    def _begin_merge(self, offset: int) -> None:
        frame = self._frames[-1]
        if frame.merges:
            self._duplicate(_MERGE, offset, self._lines.at(frame.merges[0].key_offset)[0])
        frame.key, frame.key_offset, frame.is_merge = _MERGE, offset, True
        sentence = (
            "`<<` is no part of YAML 1.2: it is taken to merge in the keys of what follows; "
            "write them out"
        )
        self._fault(offset, "merge-key", sentence, Level.NOTICE)

    def _end_merge(self, frame: _Frame, child: Child) -> None:
        value = child.node.value
        parts = list(child.node.children.values()) if isinstance(value, list) else [child]
        if not all(isinstance(part.node.value, dict) for part in parts):
            self._fault(child.offset, "merge-key", "`<<` takes an object or a list of objects")
            parts = []
        frame.merges += [
            Child(part.node, offset=part.offset, key_offset=frame.key_offset) for part in parts
        ]
        frame.key = None

    def _duplicate(self, key: str, offset: int, first: int) -> None:
        again = f"on line {first} and again on line {self._lines.at(offset)[0]}"
        sentence = f"{quoted(key)} is given twice in one object, {again}: keep one"
        self._fault(offset, "duplicate-key", sentence)

    def _custom_tag(self, tag: str, offset: int) -> None:
        sentence = (
            f"{quoted(tag)} is a tag, and only those of YAML 1.2's core schema are known: "
            "remove it, or quote a text that begins with `!`"
        )
        self._fault(offset, "tag", sentence)

    def _anchor(self, name: str | None, node: Node) -> None:
        if name is not None:
            self._anchors[name] = node

    def _fault(self, offset: int, rule: str, sentence: str, level: Level = Level.ERROR) -> None:
        self.faults.append(Fault(offset, rule, sentence, level))


def _offset(event: yaml.Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _too_deep(offset: int) -> Fault:
    sentence = f"lists and objects are nested more than {MAX_DEPTH} deep here: flatten them"
    return Fault(offset, "too-deep", sentence)


def _not_finite(text: str) -> str:
    if text.lstrip("+-").lower() in {".inf", ".nan"}:
        return f"{quoted(text)} is no finite number: write one, or leave the key out"
    return f"{quoted(text)} is too large: a number is at most about 1.8e308"
