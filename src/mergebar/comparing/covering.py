"""Two lists of globs in; whether the second selects less than the first, out.

Which files there are isn't known here, so paths are made up for every glob.
"""

import re
from collections.abc import Iterator, Sequence

from mergebar.patterns import GlobSet

_FOLDERS = ("", "x/", "x/y/z/")
_CLASS = re.compile(r"\[[^\]]+\]")


def narrows(base: Sequence[str], head: Sequence[str]) -> bool:
    """Whether something that the first list selects isn't selected any more.

    A glob that leaves something out is taken to leave out something that there is.
    """
    if any(one.startswith("!") and one not in base for one in head):
        return True
    return not covers(base, head)


def leaves_out(base: Sequence[str], heads: Sequence[Sequence[str]]) -> bool:
    """Whether something that the first list selects is selected by none of the others any more."""
    before, after = GlobSet(tuple(base)), [GlobSet(tuple(one)) for one in heads]
    negative = (glob for one in heads for glob in one if glob.startswith("!"))
    paths = (path for glob in (*base, *negative) for path in examples(glob))
    return any(
        before.matches(path) and not any(one.matches(path) for one in after) for path in paths
    )


def covers(base: Sequence[str], head: Sequence[str]) -> bool:
    """Whether the second list selects all made-up paths that the first one selects."""
    before, after = GlobSet(tuple(base)), GlobSet(tuple(head))
    paths = (path for glob in base for path in examples(glob) if before.matches(path))
    return all(after.matches(path) for path in paths)


def examples(glob: str) -> Iterator[str]:
    """Paths that a glob selects, near and deep; a folder stands for what is in it."""
    plain = glob.removeprefix("!").removeprefix("/")
    for folders in _FOLDERS:
        path = plain.replace("**/", folders)
        if path.endswith("**"):
            path = f"{path[:-2]}{folders}q"
        path = _CLASS.sub(lambda found: found[0][1], path)
        yield path.replace("*", "q").replace("?", "q")
