"""A YAML text in, its events out, with lines that end where YAML 1.2 lets them end.

PyYAML reads YAML 1.1, where U+0085, U+2028 and U+2029 end a line; since 1.2 they are characters
like others.
"""

import re
from collections.abc import Iterable, Iterator

import yaml

_OLD_BREAKS = "\x85\u2028\u2029"
_ANY = re.compile(f"[{_OLD_BREAKS}]")


def parse(text: str, loader: type[yaml.SafeLoader]) -> Iterable[yaml.Event]:
    """Parse with the old breaks replaced, one character for one, and put back in the values."""
    if text.isascii() or not _ANY.search(text):
        return yaml.parse(text, Loader=loader)
    free = (char for char in map(chr, range(0xE000, 0xF900)) if char not in text)
    stands_for = dict(zip(_OLD_BREAKS, free, strict=False))
    replaced = text.translate({ord(char): to for char, to in stands_for.items()})
    back: dict[int, int | str | None] = {ord(to): char for char, to in stands_for.items()}
    return _restored(yaml.parse(replaced, Loader=loader), back)


def _restored(
    events: Iterable[yaml.Event], back: dict[int, int | str | None]
) -> Iterator[yaml.Event]:
    for event in events:
        if isinstance(event, yaml.ScalarEvent):
            event.value = event.value.translate(back)
        yield event
