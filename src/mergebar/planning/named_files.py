"""The words of a command in; all that may be names of files of the repository out."""

import re
import shlex
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

_BREAKS = re.compile(r"[\s;&|<>()`$\"']")
_MODULE = "-m"


def find(argv: Iterable[str]) -> Iterator[str]:
    """Each word, also behind `--option=`; what a shell would make of one; and Python's modules."""
    words = tuple(argv)
    said = (words, *(_split(word) for word in words if _BREAKS.search(word)))
    yield from dict.fromkeys(chain.from_iterable(_of(each) for each in said))


def _of(words: Iterable[str]) -> Iterator[str]:
    listed = tuple(words)
    for word in listed:
        yield from (name for name in (word, word.rpartition("=")[2]) if name)
    for before, word in pairwise(listed):
        if before == _MODULE and word:
            path = word.replace(".", "/")
            yield f"{path}.py"
            yield f"{path}/__main__.py"


def _split(text: str) -> tuple[str, ...]:
    """As a shell splits a script; one that it would refuse, at all that may end a word."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.commenters = ""
    try:
        return tuple(lexer)
    except ValueError:
        return tuple(filter(None, _BREAKS.split(text)))
