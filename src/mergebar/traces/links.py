"""Which record follows which in, repeated records and abandoned branches out.

A record's identifier is kept as its hash, eight bytes: a session may have millions.
"""

from array import array
from collections import Counter
from collections.abc import Iterable

_BUCKETS = 256


class Links:
    """The identifiers of records and of those before them, in the order of the file.

    `leaf` is the index of the last record of the main chain, `prompts` are those of what was typed.
    """

    __slots__ = ("leaf", "parents", "prompts", "uuids")

    def __init__(self) -> None:
        self.uuids: array[int] = array("q")
        self.parents: array[int] = array("q")
        self.leaf = -1
        self.prompts: array[int] = array("I")

    def repeated(self) -> set[int]:
        """The identifiers that stand in the file more than once."""
        return _repeated(self.uuids)

    def abandoned(self) -> set[int]:
        """The prompts that somebody took back: of those after one record, all but the active one.

        Active is the chain that leads to the last record. Several records may well follow one
        another without any prompt being taken back: calls in parallel do.
        """
        forked = _repeated(self.parents[prompt] for prompt in self.prompts) - {0}
        if not forked:
            return set()
        forks: dict[int, list[int]] = {}
        for prompt in self.prompts:
            if self.parents[prompt] in forked:
                forks.setdefault(self.parents[prompt], []).append(self.uuids[prompt])
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
                target = self.parents[at]
            at -= 1
        return found


class Omissions:
    """What a second reading leaves out: repeats, and whatever hangs on an abandoned prompt."""

    __slots__ = ("_dead", "_repeated", "_seen", "count")

    def __init__(self, *, repeated: Iterable[int], abandoned: Iterable[int]) -> None:
        self._repeated = frozenset(repeated)
        self._seen: set[int] = set()
        self._dead = set(abandoned)
        self.count = 0

    def leaves_out(self, uuid: int, parent: int) -> bool:
        """Whether to leave a record out; ask for each, in the order of the file."""
        out = False
        if uuid in self._dead or parent in self._dead:
            self._dead.add(uuid)
            out = True
        elif uuid in self._repeated:
            out = uuid in self._seen
            self._seen.add(uuid)
        self.count += out
        return out


def _repeated(numbers: Iterable[int]) -> set[int]:
    """Those that come more than once. One set of all would be larger than everything else."""
    buckets = [array("q") for _ in range(_BUCKETS)]
    for number in numbers:
        buckets[number % _BUCKETS].append(number)
    twice: set[int] = set()
    for bucket in buckets:
        if len(set(bucket)) < len(bucket):
            twice.update(number for number, count in Counter(bucket).items() if count > 1)
    return twice
