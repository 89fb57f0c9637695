"""A pattern and any number of texts in, the first or the last that it matches out.

Texts are put to the matcher a megabyte at a time, so that a long session never stands in memory,
and no more than some thousands, so that the time of one is no matter of their number.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Generic, TypeVar

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import Matcher

T = TypeVar("T")

TOTAL_S = 60.0
"""Seconds for all texts of one pattern of one eval."""

_CHUNK = 1_048_576
_TEXTS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A pattern and its flags."""

    pattern: str
    flags: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Generic[T]):
    """What matched; `None` where nothing did."""

    item: T | None


async def first(
    matcher: Matcher, sought: Sought, items: Iterable[T], text: Callable[[T], str]
) -> Hit[T] | Failure:
    """The first item whose text the pattern matches; no text after it is looked at."""
    async with aclosing(_hits(matcher, sought, items, text)) as hits:
        async for found in hits:
            return found
    return Hit(item=None)


async def last(
    matcher: Matcher, sought: Sought, items: Iterable[T], text: Callable[[T], str]
) -> Hit[T] | Failure:
    """The last item whose text the pattern matches."""
    kept: Hit[T] = Hit(item=None)
    async with aclosing(_hits(matcher, sought, items, text)) as hits:
        async for found in hits:
            if isinstance(found, Failure):
                return found
            kept = found
    return kept


async def _hits(
    matcher: Matcher, sought: Sought, items: Iterable[T], text: Callable[[T], str]
) -> AsyncGenerator[Hit[T] | Failure, None]:
    clock = asyncio.get_running_loop().time
    end = clock() + TOTAL_S
    for chunk in _chunks(items, text):
        if clock() > end:
            message = f"took longer than {TOTAL_S:g} s in all: simplify it"
            yield Failure(error_class=ErrorClass.TIMEOUT, message=message)
            return
        found = await matcher.search(sought.pattern, sought.flags, [one for _, one in chunk])
        if isinstance(found, Failure):
            yield found
            return
        for (item, _), matched in zip(chunk, found, strict=True):
            if matched:
                yield Hit(item=item)


def _chunks(items: Iterable[T], text: Callable[[T], str]) -> Iterator[list[tuple[T, str]]]:
    chunk: list[tuple[T, str]] = []
    size = 0
    for item in items:
        own = text(item)
        if len(chunk) >= _TEXTS or (chunk and size + len(own) > _CHUNK):
            yield chunk
            chunk, size = [], 0
        chunk.append((item, own))
        size += len(own)
    if chunk:
        yield chunk
