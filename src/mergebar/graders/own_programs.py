"""The words of a command in, those of its own programs that a session has changed out.

What a session is graded by lies in the copy that it works in. A file that a command only looks at
may well be the session's work; the program that looks may not.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

_INTERPRETERS = re.compile(
    r"(?:python|pypy)[\d.]*|node|bun|deno|tsx|ts-node|(?:ba|z|da|k)?sh|ruby|perl|php|pwsh|Rscript|env"
)
_INLINE = frozenset({"-c", "-"})
_MODULE = "-m"


def changed(argv: Sequence[str], *, home: Path, root: Path) -> str | None:
    """The first one that isn't the repository's any more; `root` is the session's folder."""
    if home == root:
        return None
    for name in _programs(argv):
        kept = _content(home / name)
        if kept is not None and kept != _content(root / name):
            return name
    return None


def _programs(argv: Sequence[str]) -> Iterator[str]:
    """Paths relative to the folder: the program itself, and the script of an interpreter."""
    for place, word in enumerate(argv):
        if place and word.startswith("-"):
            if word == _MODULE and place + 1 < len(argv):
                path = argv[place + 1].replace(".", "/")
                yield from (f"{path}.py", f"{path}/__main__.py", f"{path}/__init__.py")
            if word == _MODULE or word in _INLINE:
                return
            continue
        if not word.startswith("/"):
            yield word
        if not _INTERPRETERS.fullmatch(word.rpartition("/")[2]):
            return


def _content(file: Path) -> bytes | None:
    """`None` for what is no file: words of a command may be anything."""
    try:
        return file.read_bytes()
    except (OSError, ValueError):
        return None
