"""Lines on stdin in, each a process that began or ended; at their end, whatever is left is ended.

Run as a process of its own beside mergebar, which holds the other end of the pipe: whoever kills
mergebar closes it, and code of the repository would go on without anybody who waits for it.
"""

import sys
from collections.abc import Iterable

from mergebar.processes.descendants import Lineage

BEGUN, OVER = "begun", "over"


def watch(lines: Iterable[str]) -> None:
    """`begun MARK SINCE NEWEST` and `over MARK`."""
    open_: dict[str, Lineage] = {}
    for line in lines:
        what, mark, *rest = line.split()
        if what == OVER:
            open_.pop(mark, None)
        else:
            since, newest = map(int, rest)
            open_[mark] = Lineage(since=since, newest=newest, mark=mark.encode())
    for lineage in open_.values():
        lineage.end(None)


if __name__ == "__main__":
    watch(sys.stdin)
