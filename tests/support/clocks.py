"""A clock that a test moves: sleeping takes no time, and is written down."""

import asyncio
from dataclasses import dataclass, field

from mergebar.model.contexts import Timing


@dataclass
class Clock:
    """`timing` is what to hand on; `slept` is every wait, in order."""

    chance: float = 0.5
    at: float = 1000.0
    slept: list[float] = field(default_factory=list)

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds
        await asyncio.sleep(0)

    @property
    def timing(self) -> Timing:
        """Time that only this clock passes."""
        return Timing(
            sleep=self._sleep,
            random=lambda: self.chance,
            clock=lambda: self.at,
            now=lambda: 1_700_000_000.0 + self.at,
        )
