"""A check run never hangs: whatever leaves the block ends it."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from mergebar.commands import interrupts
from mergebar.commands.github import finalising
from mergebar.commands.github.finalising import Beginning, Watched
from mergebar.edge.github.repository import GitHub
from mergebar.errors import StopError
from mergebar.model.publishing import (
    Annotation,
    AnnotationLevel,
    CheckRunOutput,
    Conclusion,
    PublishState,
)
from mergebar.report import check_run
from support.github.connecting import HEAD, Waits, connected
from support.github.faults import down, refusal, secondary
from support.github.server import GitHubServer


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    handlers = {number: signal.getsignal(number) for number in interrupts.NUMBERS}
    with GitHubServer() as made:
        made.state.commit(HEAD)
        yield made
    for number, handler in handlers.items():
        signal.signal(number, handler)


BEGINNING = Beginning(
    name="mergebar",
    head_sha=HEAD,
    external_id="1.1",
    details_url="https://github.example/acme/agent/actions/runs/1",
)


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
        Watched(github, BEGINNING),
    ):
        raise error

    (node,) = server.state.check_runs.values()
    assert (node["status"], node["conclusion"]) == ("completed", conclusion)
    assert node["output"]["title"] == title
    assert "<b>" not in node["output"]["summary"]


def interrupted_after_finishing(github: GitHub) -> None:
    with Watched(github, BEGINNING) as watched:
        watched.finish(Conclusion.SUCCESS, check_run.ended("Passed", "all of it"))
        raise KeyboardInterrupt


def test_one_that_has_ended_is_left_alone(server: GitHubServer) -> None:
    with connected(server) as github, pytest.raises(KeyboardInterrupt):
        interrupted_after_finishing(github)

    (node,) = server.state.check_runs.values()
    assert node["conclusion"] == "success"


def test_one_that_could_not_be_ended_is_tried_again_on_the_way_out(server: GitHubServer) -> None:
    server.faults.append(down("PATCH", times=6))
    with connected(server) as github, pytest.raises(KeyboardInterrupt):
        interrupted_after_finishing(github)

    (node,) = server.state.check_runs.values()
    assert node["conclusion"] == "cancelled"


def test_the_conclusion_is_given_although_github_has_used_up_all_patience(
    server: GitHubServer,
) -> None:
    with connected(server) as github, Watched(github, BEGINNING) as watched:
        server.faults.append(secondary("PATCH", retry_after=900))
        remark = Annotation(
            path="a.json", start_line=1, end_line=1, level=AnnotationLevel.FAILURE, message="no"
        )
        shown = CheckRunOutput(title="Failed", summary="one", annotations=(remark,))
        outcome = watched.finish(Conclusion.FAILURE, shown)

    (node,) = server.state.check_runs.values()
    assert (node["conclusion"], node["output"]["annotations_count"]) == ("failure", 0)
    assert outcome is not None
    assert outcome.state is PublishState.UPDATED
    assert outcome.trouble is not None


def test_one_whose_start_is_interrupted_is_found_and_ended(server: GitHubServer) -> None:
    server.faults.append(down("POST", "/check-runs", carried_out=True))
    server.on("GET", "/check-runs", lambda: os.kill(os.getpid(), signal.SIGTERM))
    finalising.listen()
    with (
        connected(server) as github,
        pytest.raises(KeyboardInterrupt),
        Watched(github, BEGINNING),
    ):
        pytest.fail("it was interrupted before")

    (node,) = server.state.check_runs.values()
    assert (node["status"], node["conclusion"]) == ("completed", "cancelled")


def test_one_that_github_makes_moments_after_the_signal_is_ended_too(server: GitHubServer) -> None:
    server.on("POST", "/check-runs", lambda: os.kill(os.getpid(), signal.SIGTERM))
    server.faults.append(refusal("POST", "/check-runs", status=422, times=1))
    finalising.listen()
    waits = Waits()

    def sleep(seconds: float) -> None:
        waits.sleep(seconds)
        if waits.at == 3:
            with connected(server) as slow:
                Watched(slow, BEGINNING).__enter__()

    with (
        connected(server) as github,
        pytest.raises(KeyboardInterrupt),
        Watched(github, BEGINNING, clock=replace(waits.clock, sleep=sleep)),
    ):
        time.sleep(5)

    (node,) = server.state.check_runs.values()
    assert (node["status"], node["conclusion"]) == ("completed", "cancelled")


def test_an_earlier_one_of_the_same_run_is_not_taken_for_it(server: GitHubServer) -> None:
    with connected(server) as github, Watched(github, BEGINNING) as earlier:
        earlier.finish(Conclusion.SUCCESS, check_run.ended("Passed", "all of it"))
    server.on("POST", "/check-runs", lambda: os.kill(os.getpid(), signal.SIGTERM))
    server.faults.append(refusal("POST", "/check-runs", status=422))
    finalising.listen()

    with (
        connected(server) as github,
        pytest.raises(KeyboardInterrupt),
        Watched(github, BEGINNING, clock=Waits().clock),
    ):
        time.sleep(5)

    (node,) = server.state.check_runs.values()
    assert node["conclusion"] == "success"


def test_where_none_could_be_started_there_is_nothing_to_end(server: GitHubServer) -> None:
    server.faults.append(refusal("POST", "/check-runs", status=403))

    with connected(server) as github, Watched(github, BEGINNING) as watched:
        assert watched.finish(Conclusion.SUCCESS, check_run.begun()) is None
        assert watched.trouble is not None

    assert server.asked("PATCH") == []


def test_where_none_is_asked_for_nothing_is_sent(server: GitHubServer) -> None:
    with connected(server) as github, Watched(github, None) as watched:
        assert watched.finish(Conclusion.SUCCESS, check_run.begun()) is None

    assert server.requests == []
