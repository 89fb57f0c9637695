"""The branches of a session in, those that belong to a part of it out."""

from collections.abc import Iterable, Mapping

from mergebar.model.sessions import Session


def started_in(session: Session, own: Mapping[int, tuple[range, ...]]) -> frozenset[int]:
    """The branches that were started within these spans of these chains, and all below them.

    What counts is where a branch was started: its events may stand far behind, among others.
    """
    first = {
        branch.number
        for branch in session.branches
        if branch.parent is not None
        and branch.spawn is not None
        and any(branch.spawn in span for span in own.get(branch.parent, ()))
    }
    return below(session, first) - own.keys()


def below(session: Session, numbers: Iterable[int]) -> frozenset[int]:
    """These branches and everything nested in them."""
    found = set(numbers)
    children: dict[int, list[int]] = {}
    for branch in session.branches:
        if branch.parent is not None:
            children.setdefault(branch.parent, []).append(branch.number)
    waiting = list(found)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return frozenset(found)
