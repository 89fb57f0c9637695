"""A run's whole conversation with GitHub: what it reads, what it posts, and what stops neither."""

import dataclasses
import threading
from collections.abc import Iterator

import pytest

from mergebar.edge import events
from mergebar.edge.changes import Found
from mergebar.edge.events import Event
from mergebar.edge.github import comment_modes, markers
from mergebar.edge.github.baselines import Baseline, Wanted
from mergebar.edge.github.repository import GitHub
from mergebar.model.publishing import (
    CheckRun,
    CommentMode,
    Conclusion,
    GitHubTrouble,
    PublishOutcome,
    PublishState,
    TroubleKind,
)
from mergebar.model.reports import Report
from mergebar.report import check_run, comment, json_report
from mergebar.report.presenting import Presentation
from support import reports
from support.events import environ, pull_request
from support.github import faults
from support.github.connecting import BASE, HEAD, MERGE, connected
from support.github.server import GitHubServer
from support.github.state import READS, file, packed
from support.states import STATES

WHEN = "2026-11-30T12:00:00Z"
NAME = "mergebar-report-mergebar"
PLAIN = Presentation(key="mergebar")


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    """Pull request 7 of `HEAD` into a main that is at `BASE`, tested as `MERGE`."""
    with GitHubServer() as server:
        server.state.commit(BASE, tree={"mergebar.yml": b"version: 1\n"})
        server.state.commit(HEAD, BASE)
        server.state.commit(MERGE, BASE, HEAD)
        server.state.pull(7, head=HEAD, base=BASE)
        yield server


def of_run(report: Report, run: int, attempt: int = 1, *, head: str = HEAD) -> Report:
    info = dataclasses.replace(report.run, id=str(run), attempt=attempt, head_commit=head)
    return dataclasses.replace(report, run=info)


def publish(github: GitHub, report: Report) -> tuple[PublishOutcome, PublishOutcome]:
    """The comment and the check run of a finished run."""
    made = github.start_check_run(
        name="mergebar",
        head_sha=report.run.head_commit or "",
        external_id=f"{report.run.id}.{report.run.attempt}",
        details_url=f"https://github.example/acme/agent/actions/runs/{report.run.id}",
        started_at=WHEN,
    )
    author = made.author if isinstance(made, CheckRun) else None
    commented = github.comment(
        7,
        comment.draw(report, PLAIN),
        mode=CommentMode.CHANGES,
        noteworthy=comment_modes.is_noteworthy(report, CommentMode.CHANGES),
        author=author,
    )
    if isinstance(made, GitHubTrouble):
        return commented, PublishOutcome(state=PublishState.REFUSED, trouble=made)
    completed = github.complete_check_run(
        made,
        conclusion=Conclusion.FAILURE,
        completed_at=WHEN,
        output=check_run.draw(report, PLAIN),
    )
    return commented, completed


def interpreted() -> Event:
    payload = pull_request(head=HEAD, base=BASE)
    event = events.interpret("pull_request", payload, environ("pull_request", sha=MERGE))
    assert isinstance(event, Event)
    return event


def test_a_run_learns_from_github_what_a_shallow_checkout_can_not_tell(
    server: GitHubServer,
) -> None:
    server.state.change_files(7, [file("evals/support.json"), file("agent.py", "added")])
    run = server.state.run(head=BASE)
    kept = json_report.dump(reports.report(reports.check()))
    server.state.artifact(run, NAME, packed(report__json=kept))
    with connected(server) as github:
        listed = github.strategies(interpreted())[0]()
        policy = github.read("mergebar.yml", BASE)
        wanted = Wanted(artifact=NAME, file="report.json", branch="main", commit=BASE)
        baseline = github.baseline(wanted)
    assert isinstance(listed, Found)
    assert listed.base == BASE
    assert [one.path for one in listed.changes.files] == ["agent.py", "evals/support.json"]
    assert policy == b"version: 1\n"
    assert isinstance(baseline, Baseline)
    assert baseline.data == kept
    assert baseline.commit == BASE


@pytest.mark.parametrize("state", sorted(STATES))
def test_every_state_of_a_report_is_posted_as_it_was_drawn(
    server: GitHubServer, state: str
) -> None:
    report = of_run(STATES[state], 10)
    with connected(server) as github:
        body = comment.draw(report, PLAIN)
        outcome = github.comment(7, body)
        _, completed = publish(github, report)
    assert outcome.state is PublishState.CREATED
    assert server.state.bodies() == [body]
    assert completed.trouble is None
    (made,) = server.state.check_runs.values()
    assert made["output"]["annotations_count"] == len(check_run.draw(report, PLAIN).annotations)


def test_a_red_comment_does_not_outlive_its_reason(server: GitHubServer) -> None:
    failed = of_run(
        reports.report(reports.check(outcome="fail"), of=reports.decision("failed")), 10
    )
    passed = of_run(reports.report(of=reports.decision("passed", "nothing affected")), 11)
    with connected(server) as github:
        assert publish(github, failed)[0].state is PublishState.CREATED
        assert publish(github, passed)[0].state is PublishState.UPDATED
    (body,) = server.state.bodies()
    assert "nothing affected" in body


@pytest.mark.parametrize("order", [(10, 11), (11, 10)])
def test_two_runs_one_after_the_other_leave_the_newer_ones_comment(
    server: GitHubServer, order: tuple[int, int]
) -> None:
    for run in order:
        with connected(server) as github:
            publish(github, of_run(STATES["failed"], run))
    (body,) = server.state.bodies()
    found = markers.read(body)
    assert found is not None
    assert found.run == 11


@pytest.mark.parametrize("round_", range(6))
def test_two_runs_at_the_same_moment_leave_the_newer_ones_comment(
    server: GitHubServer, round_: int
) -> None:
    start = threading.Barrier(2)
    outcomes: dict[int, PublishOutcome] = {}

    def post(run: int) -> None:
        with connected(server) as github:
            start.wait(5)
            body = comment.draw(of_run(STATES["failed"], run), PLAIN)
            outcomes[run] = github.comment(7, body)

    order = (10, 11) if round_ % 2 else (11, 10)
    threads = [threading.Thread(target=post, args=(run,)) for run in order]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    (body,) = server.state.bodies()
    found = markers.read(body)
    assert found is not None
    assert found.run == 11
    assert outcomes[11].state in {PublishState.CREATED, PublishState.UPDATED}
    assert all(outcome.trouble is None for outcome in outcomes.values())


def test_a_rerun_is_newer_than_the_attempt_before_it(server: GitHubServer) -> None:
    with connected(server) as github:
        publish(github, of_run(STATES["failed"], 10, 2))
        late, _ = publish(github, of_run(STATES["failed"], 10, 1))
    assert late.state is PublishState.OLDER
    external = [node["external_id"] for node in server.state.check_runs.values()]
    assert external == ["10.2", "10.1"]


def test_a_fork_gets_neither_comment_nor_check_run_and_is_told_why(server: GitHubServer) -> None:
    token = server.state.token("ghs_fork", permissions=READS)
    with connected(server, token=token, forked=True) as github:
        outcomes = publish(github, of_run(STATES["failed"], 10))
        assert isinstance(github.strategies(interpreted())[0](), Found)
    needed = {"pull-requests: write", "checks: write"}
    assert {one.trouble.permission for one in outcomes if one.trouble} == needed
    assert all(one.trouble and "can't have" in one.trouble.message for one in outcomes)


def test_a_github_that_is_down_is_two_values_and_no_exception(server: GitHubServer) -> None:
    for method in ("GET", "POST", "PATCH"):
        server.faults.append(faults.down(method, status=503, times=99))
    with connected(server) as github:
        outcomes = publish(github, of_run(STATES["failed"], 10))
    kinds = [one.trouble.kind for one in outcomes if one.trouble]
    assert kinds == [TroubleKind.UNAVAILABLE] * 2


def test_a_flickering_github_gets_everything_exactly_once(server: GitHubServer) -> None:
    for method, carried_out in (("POST", True), ("POST", False), ("PATCH", True), ("GET", False)):
        server.faults += [
            faults.down(method, carried_out=carried_out),
            faults.dropped(method, carried_out=carried_out),
        ]
    report = of_run(STATES["failed"], 10)
    with connected(server) as github:
        commented, completed = publish(github, report)
    assert commented.trouble is None
    assert completed.trouble is None
    assert server.state.bodies() == [comment.draw(report, PLAIN)]
    (made,) = server.state.check_runs.values()
    assert made["conclusion"] == "failure"
    drawn = check_run.draw(report, PLAIN).annotations
    assert made["output"]["annotations_count"] == len(drawn)
