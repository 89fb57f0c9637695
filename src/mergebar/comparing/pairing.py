"""The checks of two sides in; which of them are the same check, which are new, and which gone, out.

Identity decides, never position, never a count. Suites that git says were renamed keep theirs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from mergebar.comparing import equal_prompts, named_cases
from mergebar.comparing.equal_prompts import Case, Identified

Key: TypeAlias = tuple[str, str, int | None, str]


Base = TypeVar("Base", bound=Identified)
Head = TypeVar("Head", bound=Identified)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing(Generic[Base, Head]):
    """`matched` and `new` in the order of the head, `gone` in that of the base."""

    matched: tuple[tuple[Base, Head], ...]
    new: tuple[Head, ...]
    gone: tuple[Base, ...]


def pair(
    base: Iterable[Base], head: Iterable[Head], *, renames: Mapping[str, str]
) -> Pairing[Base, Head]:
    """Match checks by suite, case, turn and name; `renames` lead from old paths to new ones.

    Cases of one document with the same prompts are told apart by what is measured on them, so
    that their order doesn't matter either. Nor does it that a case is given an id, or loses it. Of
    two checks with one key, the first counts.
    """
    moved = _effective(renames, base := tuple(base))
    here = _indexed(head, {}, {})
    cases = equal_prompts.matched(base, here.values(), renames=moved)
    found = _paired(_indexed(base, moved, cases), here)
    named = _named(found, moved)
    return _paired(_indexed(base, moved, cases | named), here) if named else found


def _named(found: Pairing[Base, Head], renames: Mapping[str, str]) -> dict[Case, str]:
    """Of the cases that are wholly gone and wholly new."""
    if not found.gone or not found.new:
        return {}
    before = {(base.suite, base.case) for base, _ in found.matched}
    after = {(head.suite, head.case) for _, head in found.matched}
    return named_cases.matched(
        (check for check in found.gone if (check.suite, check.case) not in before),
        (check for check in found.new if (check.suite, check.case) not in after),
        renames=renames,
    )


def _paired(there: Mapping[Key, Base], here: Mapping[Key, Head]) -> Pairing[Base, Head]:
    return Pairing(
        matched=tuple((there[key], check) for key, check in here.items() if key in there),
        new=tuple(check for key, check in here.items() if key not in there),
        gone=tuple(check for key, check in there.items() if key not in here),
    )


def _effective(renames: Mapping[str, str], base: Iterable[Identified]) -> Mapping[str, str]:
    """The renames that don't run into a suite which the base already had at that path."""
    if not renames:
        return renames
    paths = {check.suite for check in base}
    return {
        old: new for old, new in renames.items() if new not in paths or new in renames or new == old
    }


def _indexed(
    checks: Iterable[Base], renames: Mapping[str, str], cases: Mapping[tuple[str, str], str]
) -> dict[Key, Base]:
    found: dict[Key, Base] = {}
    for check in checks:
        suite = renames.get(check.suite, check.suite)
        case = cases.get((suite, check.case), check.case) if cases else check.case
        found.setdefault((suite, case, check.turn, check.name), check)
    return found
