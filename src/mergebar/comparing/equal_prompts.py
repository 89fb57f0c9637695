"""Cases with the same prompts on two sides in; which is which, by what is measured, out."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeAlias

from mergebar.model.definitions import Measured

_NUMBERED = re.compile(r"(?P<stem>.+)~[0-9]+", re.DOTALL)
_GONE = "\0"

Case: TypeAlias = tuple[str, str]
"""A suite and the key of a case in it."""

_Signature: TypeAlias = tuple[tuple[int, str, str], ...]
_Family: TypeAlias = dict[str, _Signature]


class Identified(Protocol):
    """What makes a check itself, whether it is planned or reported."""

    @property
    def suite(self) -> str: ...
    @property
    def case(self) -> str: ...
    @property
    def turn(self) -> int | None: ...
    @property
    def name(self) -> str: ...
    @property
    def definition(self) -> str: ...
    @property
    def measured(self) -> Measured | None: ...


def matched(
    base: Iterable[Identified], head: Iterable[Identified], *, renames: Mapping[str, str]
) -> dict[Case, str]:
    """For cases of the base that have twins: the key of the same case in the head.

    Keys of equal prompts are numbered in the order of the document, so a document that was only
    reordered exchanges them. Cases that measure the same belong together; then those with the
    same key, and then what is left in its order. `renames` lead from old paths to new ones.
    """
    base, head = tuple(base), tuple(head)
    stems = _numbered(base, renames) | _numbered(head, {})
    if not stems:
        return {}
    here, there = _families(head, stems, {}), _families(base, stems, renames)
    return {
        (stem[0], old): new
        for stem in stems
        for old, new in _settled(there.get(stem, {}), here.get(stem, {})).items()
    }


def _numbered(checks: Iterable[Identified], renames: Mapping[str, str]) -> set[Case]:
    """The stems that come numbered."""
    return {
        (renames.get(check.suite, check.suite), stem)
        for check in checks
        if "~" in check.case and (stem := _stem(check.case)) != check.case
    }


def _stem(case: str) -> str:
    numbered = _NUMBERED.fullmatch(case)
    return numbered["stem"] if numbered else case


def _families(
    checks: Iterable[Identified], stems: set[Case], renames: Mapping[str, str]
) -> dict[Case, _Family]:
    """For each of the stems, what each of its cases measures."""
    found: defaultdict[Case, defaultdict[str, list[tuple[int, str, str]]]]
    found = defaultdict(lambda: defaultdict(list))
    for check in checks:
        family = renames.get(check.suite, check.suite), _stem(check.case)
        if family in stems:
            turn = -1 if check.turn is None else check.turn
            found[family][check.case].append((turn, check.name, check.definition))
    return {
        family: {case: tuple(sorted(what)) for case, what in sorted(cases.items())}
        for family, cases in found.items()
    }


def _settled(old: _Family, new: _Family) -> dict[str, str]:
    found = {case: case for case, what in old.items() if new.get(case) == what}
    found |= _alike(_without(old, found), _without(new, found.values()))
    rest = _without(old, found).keys() & _without(new, found.values()).keys()
    found |= {case: case for case in rest}
    left, keys = _without(old, found), list(_without(new, found.values()))
    keys += [case + _GONE for case in list(left)[len(keys) :]]
    return found | dict(zip(left, keys, strict=False))


def _alike(old: _Family, new: _Family) -> dict[str, str]:
    """Pairs that measure the same, each with the first that is left."""
    keys: defaultdict[_Signature, list[str]] = defaultdict(list)
    for key, what in reversed(new.items()):
        keys[what].append(key)
    return {case: keys[what].pop() for case, what in old.items() if keys[what]}


def _without(family: _Family, cases: Iterable[str]) -> _Family:
    taken = set(cases)
    return {case: what for case, what in family.items() if case not in taken}
