"""A connection to the loopback GitHub with a clock that only tests move."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mergebar.edge.github.repository import Access, GitHub, connect
from mergebar.edge.github.waiting import Clock
from support.github.server import GitHubServer
from support.github.state import REPOSITORY

BASE = "b" * 40
HEAD = "a" * 40
MERGE = "c" * 40
NOW = 1_800_000_000.0


@dataclass
class Waits:
    """`slept` is every wait, in order; sleeping takes no time."""

    at: float = 0.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds

    @property
    def clock(self) -> Clock:
        """Time that passes while something sleeps, and only then."""
        return Clock(
            sleep=self.sleep,
            monotonic=lambda: self.at,
            now=lambda: NOW + self.at,
            chance=lambda: 0.0,
        )


@contextmanager
def connected(
    server: GitHubServer,
    *,
    waits: Waits | None = None,
    token: str = "ghs_actions",  # noqa: S107 -- a token of the loopback server
    forked: bool = False,
    timeout_s: int = 5,
) -> Iterator[GitHub]:
    """What `connect` gives, closed afterwards."""
    access = Access(
        token=token,
        repository=REPOSITORY,
        api_url=server.api_url,
        forked=forked,
        timeout_s=timeout_s,
    )
    github = connect(access, clock=(waits or Waits()).clock)
    assert isinstance(github, GitHub)
    with github:
        yield github
