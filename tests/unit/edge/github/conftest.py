"""A loopback GitHub for each test, and a connection to it."""

from collections.abc import Iterator

import pytest

from mergebar.edge.github.repository import GitHub
from support.github.connecting import BASE, HEAD, Waits, connected
from support.github.server import GitHubServer


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    """With pull request 7; whatever disagrees with GitHub's description fails the test."""
    with GitHubServer() as server:
        server.state.pull(7, head=HEAD, base=BASE)
        yield server


@pytest.fixture
def waits() -> Waits:
    """What was waited, by a clock that only waiting moves."""
    return Waits()


@pytest.fixture
def github(server: GitHubServer, waits: Waits) -> Iterator[GitHub]:
    """With the token of a job that may write."""
    with connected(server, waits=waits) as github:
        yield github
