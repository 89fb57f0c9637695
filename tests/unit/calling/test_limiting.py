"""So many at once, fewer while that is too many, and more again."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.calling.limiting import Limiter, Limits
from support.clocks import Clock


def limiter(concurrency: int = 8, clock: Clock | None = None) -> Limiter:
    return Limiter(concurrency=concurrency, timing=(clock or Clock()).timing)


def test_each_refused_round_halves_it_and_each_accepted_one_adds_one() -> None:
    async def limits() -> list[int]:
        made, seen = limiter(8), []
        for accepted in (False, False, False, False):
            async with made.slot() as began:
                made.faster() if accepted else made.slower(began)
            seen.append(made.limit)
        for _ in range(40):
            made.faster()
        return [*seen, made.limit]

    assert asyncio.run(limits()) == [4, 2, 1, 1, 8]


def test_a_round_that_was_refused_as_a_whole_is_punished_once() -> None:
    async def limit() -> int:
        made = limiter(8)
        everyone = asyncio.Event()

        async def call() -> None:
            async with made.slot() as began:
                await everyone.wait()
                made.slower(began)

        async with asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(call())
            await asyncio.sleep(0)
            everyone.set()
        return made.limit

    assert asyncio.run(limit()) == 4


def test_it_grows_by_one_for_each_round() -> None:
    made = limiter(100)
    for began in range(10):
        made.slower(began)
    assert made.limit == 1

    for size in range(1, 6):
        for _ in range(size + 1):
            made.faster()
        assert made.limit == pytest.approx(size + 1, abs=1)


def test_who_is_cancelled_just_as_he_is_let_in_leaves_his_slot_to_the_next() -> None:
    async def order() -> list[str]:
        made, entered = limiter(1), list[str]()

        async def wait(name: str) -> None:
            async with made.slot():
                entered.append(name)

        async with made.slot():
            second, third = (asyncio.create_task(wait(name)) for name in ("second", "third"))
            await asyncio.sleep(0)
        second.cancel()  # it has the slot now, and doesn't know yet
        await asyncio.wait_for(third, timeout=5)
        return entered

    assert asyncio.run(order()) == ["third"]


def test_who_waits_is_let_in_in_order_and_who_is_cancelled_leaves_no_hole() -> None:
    order: list[int] = []

    async def call(made: Limiter, number: int) -> None:
        async with made.slot():
            order.append(number)
            await asyncio.sleep(0)

    async def run() -> int:
        made = limiter(1)
        tasks = [asyncio.create_task(call(made, number)) for number in range(6)]
        await asyncio.sleep(0)
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with asyncio.timeout(1), made.slot():
            return made.limit

    assert asyncio.run(run()) == 1
    assert order == [0, 1, 3, 4, 5]


def test_a_hold_is_for_all_and_ends() -> None:
    clock = Clock()

    async def waits() -> list[float]:
        made = limiter(2, clock)
        made.hold(5.0)
        made.hold(2.0)
        return [await made.held_back(at_most_s=120.0), await made.held_back(at_most_s=120.0)]

    assert asyncio.run(waits()) == [5.0, 0.0]


def test_a_hold_is_waited_for_no_longer_than_there_is_time() -> None:
    async def waited() -> float:
        made = limiter(2)
        made.hold(60.0)
        return await made.held_back(at_most_s=7.0)

    assert asyncio.run(waited()) == 7.0


@given(
    concurrency=st.integers(-1, 5),
    calls=st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from(["fine", "slower", "cancelled"])), max_size=30
    ),
)
def test_whatever_happens_every_call_gets_its_slot_and_never_too_many_at_once(
    concurrency: int, calls: list[tuple[int, str]]
) -> None:
    at_once, most = 0, 0

    async def call(made: Limiter, ticks: int, end: str) -> None:
        nonlocal at_once, most
        async with made.slot() as began:
            at_once += 1
            most = max(most, at_once)
            try:
                for _ in range(ticks):
                    await asyncio.sleep(0)
            finally:
                at_once -= 1
            made.slower(began) if end == "slower" else made.faster()

    async def run() -> list[bool]:
        made = limiter(concurrency)
        tasks = [asyncio.create_task(call(made, ticks, end)) for ticks, end in calls]
        await asyncio.sleep(0)
        for task, (_, end) in zip(tasks, calls, strict=True):
            if end == "cancelled":
                task.cancel()
        async with asyncio.timeout(5):
            await asyncio.gather(*tasks, return_exceptions=True)
            async with made.slot():
                return [task.done() for task in tasks]

    assert all(asyncio.run(run()))
    assert most <= max(1, concurrency)
    assert at_once == 0


# --- one for each address


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.example/ask", "https://a.example/v1", True),
        ("https://A.example:443/ask", "https://a.example", True),
        ("https://a.example./ask", "https://a.example?q={prompt}", True),
        ("https://user:pw@a.example/", "https://a.example/", True),
        ("http://127.0.0.1:8080/a", "http://127.0.0.1:8081/a", False),
        ("https://a.example", "https://b.example", False),
        ("http://a.example", "https://a.example", False),
    ],
)
def test_who_calls_one_host_and_port_shares_a_limiter(one: str, other: str, *, same: bool) -> None:
    limits = Limits(Clock().timing)

    assert (limits.join(one, concurrency=1) is limits.join(other, concurrency=1)) is same


def test_each_who_joins_brings_as_much_as_its_own_entry_allows() -> None:
    limits = Limits(Clock().timing)
    shared = limits.join("http://a.example", concurrency=4)
    limits.join("http://a.example", concurrency=8)
    assert shared.limit == 12

    shared.slower(0)
    limits.join("http://a.example", concurrency=4)
    assert shared.limit == 6
    for _ in range(200):
        shared.faster()
    assert shared.limit == 16


def test_whoever_waits_is_let_in_when_there_is_room_for_more() -> None:
    async def both() -> None:
        limits = Limits(Clock().timing)
        shared = limits.join("http://a.example", concurrency=1)
        async with shared.slot():
            waiting = asyncio.create_task(_take(shared))
            await asyncio.sleep(0)
            limits.join("http://a.example", concurrency=1)
            await asyncio.wait_for(waiting, 5)

    asyncio.run(both())


async def _take(shared: Limiter) -> None:
    async with shared.slot():
        pass
