"""How long GitHub is waited for: every wait is here, bounded in total, on a clock from outside."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

ATTEMPTS = 4
TOTAL_S = 120.0
WRITE_INTERVAL_S = 1.0
"""What GitHub asks for between writes of who writes much."""
FREE_WRITES = 8
"""So many is not much: a comment, a check run and a few hundred annotations."""
_QUICK_S = 2.0
"""An answer that takes no longer costs no patience."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Time that blocks. `monotonic` only ever grows; `now` is seconds since 1970; all in seconds.

    `chance` is in [0, 1).
    """

    sleep: Callable[[float], object]
    monotonic: Callable[[], float]
    now: Callable[[], float]
    chance: Callable[[], float]


REAL = Clock(sleep=time.sleep, monotonic=time.monotonic, now=time.time, chance=random.random)


class Patience:
    """The waiting of one run: slow and failed attempts and the waits after them share one total."""

    def __init__(
        self,
        clock: Clock = REAL,
        *,
        total_s: float = TOTAL_S,
        attempts: int = ATTEMPTS,
        write_interval_s: float = WRITE_INTERVAL_S,
    ) -> None:
        self.attempts = attempts
        self._clock = clock
        self._left_s = total_s
        self._write_interval_s = write_interval_s
        self._wrote_at = 0.0
        self._written = 0

    @property
    def is_used_up(self) -> bool:
        """Whether nothing is to be asked any more."""
        return self._left_s < 0

    def now(self) -> float:
        """Seconds since 1970."""
        return self._clock.now()

    def start(self) -> float:
        """When an attempt begins; `failed` or `answered` takes it."""
        return self._clock.monotonic()

    def answered(self, started: float) -> None:
        """Count the time that an answer took, as far as it was a slow one."""
        self._left_s -= max(0.0, self._clock.monotonic() - started - _QUICK_S)

    def failed(self, started: float) -> None:
        """Count the time that an attempt took in vain."""
        self._left_s -= self._clock.monotonic() - started

    def backoff_s(self, tried: int, *, first_s: float) -> float:
        """How long to wait after so many attempts where nobody says: doubling, and jittered."""
        return first_s * float(2 ** (tried - 1)) * (1 + self._clock.chance() / 2)

    def wait(self, seconds: float) -> bool:
        """Wait, or don't and say no: when the total leaves less than that."""
        if seconds > self._left_s:
            return False
        self._left_s -= seconds
        self._clock.sleep(seconds)
        return True

    def pace(self) -> None:
        """Keep two writes apart, once there were a few."""
        since_s = self._clock.monotonic() - self._wrote_at
        if self._written >= FREE_WRITES and since_s < self._write_interval_s:
            self._clock.sleep(self._write_interval_s - since_s)
        self._written += 1
        self._wrote_at = self._clock.monotonic()
