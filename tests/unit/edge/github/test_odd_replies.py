"""Replies that GitHub's API would never give: each becomes a value, and nothing a crash."""

import pytest

from mergebar.edge import events
from mergebar.edge.changes import Found, Miss
from mergebar.edge.events import Event
from mergebar.edge.github.baselines import Baseline, NoBaseline, Wanted
from mergebar.edge.github.pull_requests import PullRequest
from mergebar.edge.github.repository import GitHub
from mergebar.model.publishing import (
    Annotation,
    AnnotationLevel,
    CheckRun,
    CheckRunOutput,
    Conclusion,
    GitHubTrouble,
    PublishOutcome,
)
from support.events import environ, pull_request
from support.github.connecting import BASE, HEAD, MERGE, connected
from support.github.oddities import spoiler
from support.github.server import GitHubServer
from support.github.state import file, packed

NAME = "mergebar-report-mergebar"
BODY = f"<!-- mergebar:v1 key=mergebar run=10 attempt=1 sha={HEAD} -->\n## passed"
REMARKS = tuple(
    Annotation(
        path="a.json", start_line=n, end_line=n, level=AnnotationLevel.FAILURE, message=str(n)
    )
    for n in range(1, 61)
)


def prepare(server: GitHubServer) -> None:
    state = server.state
    state.commit(BASE, tree={"mergebar.yml": b"version: 1\n"})
    state.commit(HEAD, BASE)
    state.commit(MERGE, BASE, HEAD)
    state.branches["main"] = BASE
    state.pull(7, head=HEAD, base=BASE)
    state.change_files(7, [file("a.json"), file("b.json", "renamed", previous_filename="c.json")])
    state.compared[HEAD] = [file("a.json")]
    run = state.run(head=BASE)
    state.artifact(run, NAME, packed(report__json=b"{}"))
    state.comment(7, BODY.replace("run=10", "run=9"), login="github-actions[bot]")


def everything(github: GitHub) -> None:
    """All that is ever asked, each answered by a value of its kind."""
    event = events.interpret("pull_request", pull_request(), environ("pull_request", sha=MERGE))
    assert isinstance(event, Event)
    for strategy in github.strategies(event):
        assert isinstance(strategy(), Found | Miss)
    assert isinstance(github.read("mergebar.yml", BASE), bytes | GitHubTrouble)
    found = github.pull_requests(HEAD)
    assert isinstance(found, GitHubTrouble) or all(isinstance(one, PullRequest) for one in found)
    wanted = Wanted(artifact=NAME, file="report.json", branch="main")
    assert isinstance(github.baseline(wanted), Baseline | NoBaseline | GitHubTrouble)
    assert isinstance(github.artifact(1001, NAME, "report.json"), bytes | GitHubTrouble | None)
    assert isinstance(github.comment(7, BODY), PublishOutcome)
    made = github.start_check_run(
        name="mergebar", head_sha=HEAD, external_id="10.1", details_url="", started_at=""
    )
    if isinstance(made, CheckRun):
        output = CheckRunOutput(title="t", summary="s", annotations=REMARKS)
        ended = github.complete_check_run(
            made, conclusion=Conclusion.FAILURE, completed_at="", output=output
        )
        assert isinstance(ended, PublishOutcome)


@pytest.mark.parametrize("batch", range(4))
def test_odd_replies_crash_nothing(batch: int) -> None:
    for seed in range(batch * 12, batch * 12 + 12):
        with GitHubServer() as server:
            prepare(server)
            server.spoil = spoiler(seed)
            with connected(server, timeout_s=2) as github:
                everything(github)
            server.violations.clear()
