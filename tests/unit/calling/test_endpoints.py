"""When an endpoint is plainly down, and when it only has a bad day."""

import asyncio
from collections.abc import Sequence

import pytest

from mergebar.calling import parties
from mergebar.calling.endpoints import GONE, NEVER_REACHED, Endpoint
from mergebar.calling.retrying import Retrier
from mergebar.calling.troubles import Trouble
from mergebar.model.conversations import ErrorClass, Failure
from support.clocks import Clock


def trouble(
    error_class: ErrorClass = ErrorClass.UNAVAILABLE,
    *,
    unreached: bool = False,
    retry: bool = False,
    throttled: bool = False,
    wait_s: float | None = None,
) -> Trouble:
    return Trouble(
        failure=Failure(error_class=error_class, message="nothing listens there"),
        retry=retry,
        unreached=unreached,
        throttled=throttled,
        retry_after_s=wait_s,
    )


REFUSED, SLOW, BROKEN = trouble(unreached=True), trouble(ErrorClass.TIMEOUT), trouble()


def endpoint(clock: Clock | None = None, concurrency: int = 8) -> Endpoint:
    return Endpoint(parties.agent("web"), concurrency=concurrency, timing=(clock or Clock()).timing)


def after(*results: object) -> Endpoint:
    made = endpoint()
    for result in results:
        made.ended(result)
    return made


@pytest.mark.parametrize(
    "results",
    [
        [REFUSED] * NEVER_REACHED,
        ["fine", *[REFUSED] * GONE],
        [SLOW] * GONE,
        [BROKEN] * GONE,
        ["fine", *[SLOW, BROKEN, REFUSED, BROKEN, SLOW] * 2],
    ],
)
def test_it_is_down_after_so_many_calls_in_a_row(results: Sequence[object]) -> None:
    assert after(*results[:-1]).down is None

    down = after(*results).down

    assert down is not None
    assert down.error_class is ErrorClass.UNAVAILABLE
    assert down.message.startswith("not asked: agent `web` is down, ")
    assert "nothing listens there" in down.message


@pytest.mark.parametrize(
    "sign",
    [
        "fine",
        trouble(ErrorClass.THROTTLED),
        trouble(ErrorClass.AUTH),
        trouble(ErrorClass.BAD_RESPONSE),
        trouble(ErrorClass.CONFIG),
    ],
)
def test_any_sign_of_life_starts_the_count_again(sign: object) -> None:
    assert after(*[BROKEN] * (GONE - 1), sign, *[BROKEN] * (GONE - 1)).down is None


def test_it_is_said_once() -> None:
    made = after(*[REFUSED] * (NEVER_REACHED + 5))

    assert made.down is not None
    assert f"{NEVER_REACHED} calls in a row" in made.down.message
    (note,) = made.notes
    assert note.startswith("Agent `web` is down, ")
    assert note.endswith("; it was not asked again")
    assert after("fine").notes == ()


def run(
    results: Sequence[str | Trouble], *, calls: int, concurrency: int = 4
) -> tuple[list[str | Trouble], int]:
    """So many calls of three tries at the same time: what came, and how many tries were made."""
    made, clock = 0, Clock()

    async def attempt() -> str | Trouble:
        nonlocal made
        made += 1
        result = results[min(made, len(results)) - 1]
        await asyncio.sleep(0)
        return result

    async def all_at_once() -> list[str | Trouble]:
        one = endpoint(clock, concurrency)

        outstanding = asyncio.Semaphore(concurrency)  # as a run has it

        async def call() -> str | Trouble:
            async with outstanding:
                retrier = Retrier(attempts=3, timing=clock.timing, endpoint=one)
                result: str | Trouble = await retrier.call(attempt)
            return result

        return await asyncio.gather(*(call() for _ in range(calls)))

    return asyncio.run(all_at_once()), made


def test_an_endpoint_that_is_down_is_left_alone() -> None:
    found, made = run([trouble(unreached=True, retry=True)], calls=1000)

    assert made < 40
    said = [one.failure.message for one in found if isinstance(one, Trouble)]
    assert len(said) == 1000
    assert len(set(said)) == 2


def test_an_endpoint_that_comes_back_is_asked_on() -> None:
    found, _ = run([*[trouble(retry=True)] * 8, "fine"], calls=100)

    assert found == ["fine"] * 100


def test_one_call_too_many_slows_all_down_and_they_recover() -> None:
    throttled = trouble(ErrorClass.THROTTLED, retry=True, throttled=True, wait_s=3.0)

    found, made = run([throttled, "fine"], calls=50)

    assert found == ["fine"] * 50
    assert made == 51
