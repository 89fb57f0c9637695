"""A check run never hangs: whatever leaves the block ends it."""

import signal
from collections.abc import Iterator

import pytest

from mergebar.commands import finalising
from mergebar.commands.finalising import Watched
from mergebar.edge.github.surface import GitHub
from mergebar.errors import StopError
from mergebar.model.publishing import CheckRun, Conclusion, GitHubTrouble, TroubleKind
from mergebar.report import check_run
from support.github.connecting import HEAD, connected
from support.github.faults import down
from support.github.server import GitHubServer


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with GitHubServer() as made:
        made.state.commit(HEAD)
        yield made
    for number, handler in handlers.items():
        signal.signal(number, handler)


def started(github: GitHub) -> CheckRun:
    run = github.start_check_run(
        name="mergebar",
        head_sha=HEAD,
        external_id="1.1",
        details_url="https://github.example/acme/agent/actions/runs/1",
        started_at=finalising.now(),
    )
    assert isinstance(run, CheckRun)
    return run


@pytest.mark.parametrize(
    ("error", "conclusion", "title"),
    [
        (KeyboardInterrupt(), "cancelled", "Cancelled"),
        (StopError("no `mergebar.yml` at <b>nowhere</b>"), "failure", "Invalid"),
        (ZeroDivisionError("a bug"), "failure", "Could not evaluate"),
    ],
)
def test_what_leaves_the_block_ends_it(
    server: GitHubServer, error: BaseException, conclusion: str, title: str
) -> None:
    with (
        connected(server) as github,
        pytest.raises(type(error)),
        Watched(github, started(github)),
    ):
        raise error

    (node,) = server.state.check_runs.values()
    assert (node["status"], node["conclusion"]) == ("completed", conclusion)
    assert node["output"]["title"] == title
    assert "<b>" not in node["output"]["summary"]


def test_one_that_has_ended_is_left_alone(server: GitHubServer) -> None:
    with connected(server) as github:
        watched = Watched(github, started(github))
        watched.finish(Conclusion.SUCCESS, check_run.ended("Passed", "all of it"))
        with pytest.raises(KeyboardInterrupt), watched:
            raise KeyboardInterrupt

    (node,) = server.state.check_runs.values()
    assert node["conclusion"] == "success"


def test_one_that_could_not_be_ended_is_tried_again_on_the_way_out(server: GitHubServer) -> None:
    with connected(server) as github:
        watched = Watched(github, started(github))
        server.faults.append(down("PATCH", times=4))
        outcome = watched.finish(Conclusion.SUCCESS, check_run.ended("Passed", "all of it"))
        with pytest.raises(KeyboardInterrupt), watched:
            raise KeyboardInterrupt

    (node,) = server.state.check_runs.values()
    assert outcome is not None
    assert outcome.trouble is not None
    assert node["conclusion"] == "cancelled"


def test_where_none_could_be_started_there_is_nothing_to_end(server: GitHubServer) -> None:
    trouble = GitHubTrouble(kind=TroubleKind.PERMISSION, message="no")

    with connected(server) as github, Watched(github, trouble) as watched:
        assert watched.finish(Conclusion.SUCCESS, check_run.begun()) is None
        assert watched.trouble is trouble

    assert server.asked("PATCH") == []
