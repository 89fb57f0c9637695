"""A good answer in, an odd one out: one surprise in it, chosen by a random number generator."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from support.github.answers import Answer

_BODIES = (
    b"",
    b"null",
    b"[]",
    b"{}",
    b'"text"',
    b"0",
    b"[null]",
    b"[[]]",
    b"{",
    b"\xff\xfe\x00",
    b"[" * 5000,
)
_VALUES: tuple[Any, ...] = (
    None, "", "text", 0, -1, 10**30, 1.5, True, [], {}, [None], {"a": None}, "\0", "\ud800", "\u202e::error::x",
    "../../etc/passwd", "/etc/passwd", "-x", "a" * 5000, "https://evil.test/<!--", "\x1b[31m", "9" * 400,
)  # fmt: skip
_HEADERS = ("Link", "Location", "Retry-After", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_TEXTS = (
    "",
    "soon",
    "inf",
    "-1",
    "9" * 400,
    '<http://[>; rel="next"',
    '<x?page=&a=b>; rel="next"',
    "https://[",
    "//",
)


def spoiler(seed: int) -> Callable[[Answer], Answer]:
    """Spoils about one answer in three, always in the same way for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - repeatable is what it has to be

    def spoil(answer: Answer) -> Answer:
        if chance.random() < 0.6:
            return answer
        kind = chance.randrange(6)
        if kind == 0:
            return Answer(status=answer.status, body=chance.choice(_BODIES), headers=answer.headers)
        if kind == 1:
            header = {chance.choice(_HEADERS): chance.choice(_TEXTS)}
            status = chance.choice((answer.status, 201, 299, 301, 302, 304, 403, 404, 429))
            return Answer(status=status, body=answer.body, headers={**answer.headers, **header})
        return Answer(
            status=answer.status, body=_changed(answer.body, chance), headers=answer.headers
        )

    return spoil


def _changed(body: Any, chance: random.Random) -> Any:
    """The same with one value in it replaced, or one key left out."""
    changed = json.loads(json.dumps(body))
    places = list(_places(changed)) if changed else []
    if not places:
        return chance.choice(_BODIES)
    holder, key = chance.choice(places)
    if isinstance(holder, dict) and chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = chance.choice(_VALUES)
    return changed


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)
