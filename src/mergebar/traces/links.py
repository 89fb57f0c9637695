"""Which record follows which in, repeated records and abandoned branches out.

A record's identifier is kept as its hash, eight bytes: a session may have millions.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable

from mergebar.model.text import JsonObject

_BUCKETS = 256
_PARTS = 4
_NONE, _ONE, _FAR = range(3)


class Links:
    """The identifiers of records and of those before them, in the order of the file.

    `leaf` is the index of the last record of the main chain, `prompts` are those of what was typed.
    Nearly every record follows the one before it, or none: only where that isn't so is its parent
    kept.
    """

    __slots__ = ("_jumps", "_parents", "_steps", "leaf", "prompts", "uuids")

    def __init__(self) -> None:
        self.uuids: array[int] = array("q")
        self.leaf = -1
        self.prompts: array[int] = array("I")
        self._steps = bytearray()
        self._jumps: array[int] = array("I")
        self._parents: array[int] = array("q")

    def follow(self, uuid: int, parent: int) -> None:
        """The next record of the file."""
        uuids = self.uuids
        if not parent:
            self._steps.append(_NONE)
        elif uuids and uuids[-1] == parent:
            self._steps.append(_ONE)
        else:
            self._steps.append(_FAR)
            self._jumps.append(len(uuids))
            self._parents.append(parent)
        uuids.append(uuid)

    def _parent(self, index: int) -> int:
        step = self._steps[index]
        if step == _ONE:
            return self.uuids[index - 1]
        return 0 if step == _NONE else self._parents[bisect_left(self._jumps, index)]

    def repeated(self) -> set[int]:
        """The identifiers that stand in the file more than once."""
        return _repeated(lambda: self.uuids)

    def abandoned(self) -> set[int]:
        """The prompts that somebody took back: of those after one record, all but the active one.

        Whoever goes back to the very beginning leaves two prompts behind no record at all. Active
        is the chain that leads to the last record. Several records may well follow one another
        without any prompt being taken back: calls in parallel do.
        """
        forked = _repeated(lambda: map(self._parent, self.prompts))
        if not forked:
            return set()
        forks: dict[int, list[int]] = {}
        for prompt in self.prompts:
            parent = self._parent(prompt)
            if parent in forked:
                forks.setdefault(parent, []).append(self.uuids[prompt])
        active = self._active({prompt for prompts in forks.values() for prompt in prompts})
        left: set[int] = set()
        for prompts in forks.values():
            kept = active.intersection(prompts) or {prompts[-1]}
            left.update(set(prompts) - kept)
        return left

    def _active(self, wanted: set[int]) -> set[int]:
        """Those of the wanted that the last record goes back to."""
        found: set[int] = set()
        at = self.leaf
        target = self.uuids[at] if at >= 0 else 0
        while at >= 0 and target:
            if self.uuids[at] == target:
                if target in wanted:
                    found.add(target)
                target = self._parent(at)
            at -= 1
        return found


class Omissions:
    """What a second reading leaves out: repeats, and whatever hangs on an abandoned prompt.

    `others` counts records that are no repeats, though they have the identifier of another one.
    """

    __slots__ = ("_dead", "_repeated", "_seen", "count", "others")

    def __init__(self, *, repeated: Iterable[int], abandoned: Iterable[int]) -> None:
        self._repeated = frozenset(repeated)
        self._seen: dict[int, int] = {}
        self._dead = set(abandoned)
        self.count = self.others = 0

    def leaves_out(self, record: JsonObject, uuid: int, parent: int) -> bool:
        """Whether to leave a record out; ask for each, in the order of the file."""
        out = False
        if uuid in self._dead or parent in self._dead:
            self._dead.add(uuid)
            out = True
        elif uuid in self._repeated:
            out = uuid in self._seen
            message = record.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            said = hash(repr((record.get("type"), content)))
            self.others += self._seen.setdefault(uuid, said) != said
        self.count += out
        return out


def _repeated(numbers: Callable[[], Iterable[int]]) -> set[int]:
    """Those that come more than once. One set of all would be larger than everything else.

    They are gone through several times, so that no more than a part of them is held once more.
    """
    twice: set[int] = set()
    for part in range(_PARTS):
        buckets = [array("q") for _ in range(_BUCKETS)]
        for number in numbers():
            if number & _PARTS - 1 == part:
                buckets[number // _PARTS % _BUCKETS].append(number)
        for bucket in buckets:
            if len(set(bucket)) < len(bucket):
                twice.update(number for number, count in Counter(bucket).items() if count > 1)
    return twice
