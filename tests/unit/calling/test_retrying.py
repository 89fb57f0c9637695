"""Trying again, but not for ever."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.calling import parties
from mergebar.calling.endpoints import Endpoint
from mergebar.calling.retrying import TOTAL_S, WAIT_CAP_S, Retrier
from mergebar.calling.troubles import Trouble
from mergebar.model.conversations import ErrorClass, Failure
from support.clocks import Clock

DOWN = Failure(error_class=ErrorClass.UNAVAILABLE, message="down")


def trouble(*, retry: bool = True, retry_after_s: float | None = None) -> Trouble:
    return Trouble(
        failure=DOWN, retry=retry, retry_after_s=retry_after_s, throttled=retry_after_s is not None
    )


def call(
    results: Sequence[str | Trouble], *, clock: Clock, attempts: int = 5, takes_s: float = 0.0
) -> tuple[str | Trouble, int]:
    """The result, and how often the call was made; the last result repeats."""
    made = 0

    async def attempt() -> str | Trouble:
        nonlocal made
        made += 1
        clock.at += takes_s
        return results[min(made, len(results)) - 1]

    async def once() -> str | Trouble:
        endpoint = Endpoint(parties.judge(), concurrency=1, timing=clock.timing)
        retrier = Retrier(attempts=attempts, timing=clock.timing, endpoint=endpoint)
        result: str | Trouble = await retrier.call(attempt)
        return result

    return asyncio.run(once()), made


def test_the_first_success_is_the_result() -> None:
    assert call(["fine"], clock=Clock()) == ("fine", 1)
    assert call([trouble(), trouble(), "fine"], clock=Clock()) == ("fine", 3)


def test_what_does_not_pass_is_not_tried_again() -> None:
    clock = Clock()
    only = trouble(retry=False)

    assert call([only, "fine"], clock=clock) == (only, 1)
    assert clock.slept == []


def test_the_waits_double_and_are_drawn_by_chance() -> None:
    whole, none = Clock(chance=1.0), Clock(chance=0.0)

    call([trouble()], clock=whole)
    call([trouble()], clock=none)

    assert whole.slept == [0.5, 1.0, 2.0, 4.0]
    assert none.slept == [0.0, 0.0, 0.0, 0.0]


def test_a_wait_of_nothing_is_our_own_wait() -> None:
    clock = Clock(chance=1.0)

    call([trouble(retry_after_s=0.0)], clock=clock, attempts=3)

    assert clock.slept == [0.5, 1.0]


def test_the_last_trouble_says_how_often_it_was_tried() -> None:
    result, made = call([trouble()], clock=Clock(), attempts=3)

    assert isinstance(result, Trouble)
    assert result.failure.message == "down (tried 3 times)"
    assert made == 3


def test_slow_attempts_use_the_total_up() -> None:
    _, made = call([trouble()], clock=Clock(), attempts=10, takes_s=50.0)

    assert made == 3


@given(
    waits=st.lists(st.none() | st.floats(0, 1e6), min_size=1, max_size=8),
    chance=st.floats(0, 1, exclude_max=True),
    attempts=st.integers(1, 20),
)
def test_no_wait_and_no_sum_of_waits_passes_its_bound(
    waits: list[float | None], chance: float, attempts: int
) -> None:
    clock = Clock(chance=chance)
    began = clock.at

    _, made = call([trouble(retry_after_s=wait) for wait in waits], clock=clock, attempts=attempts)

    assert made <= attempts
    assert all(wait <= WAIT_CAP_S for wait in clock.slept)
    assert clock.at - began <= TOTAL_S + 1e-6


@pytest.mark.parametrize("attempts", [0, -1])
def test_at_least_one_attempt_is_made(attempts: int) -> None:
    assert call(["fine"], clock=Clock(), attempts=attempts) == ("fine", 1)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (3600.0, "it asks to wait 3,600 s, and a call waits 120 s in all"),
        (90.0, "it asks to wait 90 s, and a call waits 120 s in all"),
        (30.0, ""),
        (None, ""),
    ],
)
def test_a_wait_that_is_too_long_is_said(asked: float | None, said: str) -> None:
    result, _ = call([trouble(retry_after_s=asked)], clock=Clock(), attempts=2)

    assert isinstance(result, Trouble)
    assert result.failure.message == f"down (tried 2 times{f'; {said}' if said else ''})"
