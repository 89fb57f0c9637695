"""Long sessions are searched a megabyte at a time, from the front, and no further than needed."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mergebar.graders import searching
from mergebar.graders.searching import Hit, Sought
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.text import Json, JsonObject

NEEDLE = Sought(pattern="needle")


@dataclass(kw_only=True)
class Plain:
    """Finds plain words, and remembers how much it was given at once."""

    given: list[int] = field(default_factory=list)
    fails_at: int | None = None

    async def search(
        self, pattern: str, flags: str, texts: Sequence[str], /
    ) -> tuple[bool, ...] | Failure:
        del flags
        if len(self.given) == self.fails_at:
            return Failure(error_class=ErrorClass.TIMEOUT, message="took longer than 2 s")
        self.given.append(sum(map(len, texts)))
        return tuple(pattern in text for text in texts)

    async def violations(self, schema: JsonObject, value: Json, /) -> tuple[str, ...] | Failure:
        raise NotImplementedError(schema, value)


def texts(*needles: int, of: int = 40) -> Iterator[tuple[int, str]]:
    for number in range(of):
        yield number, "needle" if number in needles else "x" * 100_000


def word(item: tuple[int, str]) -> str:
    return item[1]


def test_the_first_match_ends_the_search() -> None:
    matcher = Plain()

    found = asyncio.run(searching.first(matcher, NEEDLE, texts(12, 30), word))

    assert found == Hit(item=(12, "needle"))
    assert len(matcher.given) == 2
    assert max(matcher.given) <= 1_048_576


def test_the_last_match_needs_all_of_it() -> None:
    matcher = Plain()

    found = asyncio.run(searching.last(matcher, NEEDLE, texts(2, 30), word))

    assert found == Hit(item=(30, "needle"))
    assert sum(matcher.given) > 3_000_000


def test_nothing_is_found_in_nothing() -> None:
    assert asyncio.run(searching.first(Plain(), NEEDLE, texts(of=0), word)) == Hit(item=None)
    assert asyncio.run(searching.last(Plain(), NEEDLE, texts(), word)) == Hit(item=None)


def test_one_text_that_is_longer_is_put_alone() -> None:
    matcher = Plain()
    long = [(0, "y" * 2_000_000), (1, "needle")]

    assert asyncio.run(searching.first(matcher, NEEDLE, long, word)) == Hit(item=(1, "needle"))
    assert matcher.given == [2_000_000, 6]


def test_a_failure_ends_the_search() -> None:
    for look in (searching.first, searching.last):
        found = asyncio.run(look(Plain(fails_at=1), NEEDLE, texts(), word))

        assert isinstance(found, Failure)


def test_very_many_little_texts_are_no_matter_of_one_search() -> None:
    matcher = Plain()
    little = ((number, "x") for number in range(20_001))

    found = asyncio.run(searching.first(matcher, NEEDLE, little, word))

    assert found == Hit(item=None)
    assert sum(matcher.given) == 20_001
    assert max(matcher.given) <= 5_000
