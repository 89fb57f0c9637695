"""Pull requests by the commit at their head: what GitHub says, and no file."""

from mergebar.edge.github.repository import GitHub
from mergebar.model.publishing import GitHubTrouble
from support.github import faults
from support.github.connecting import BASE, HEAD
from support.github.server import GitHubServer

FORKED = "f" * 40


def numbers(found: object) -> list[int]:
    assert isinstance(found, tuple), found
    return [one.number for one in found]


def test_a_forks_pull_request_is_found_by_its_branch(server: GitHubServer, github: GitHub) -> None:
    server.state.pull(8, head=FORKED, base=BASE, owner="eve", branch="patch-1")
    found = github.pull_requests(FORKED, owner="eve", branch="patch-1")
    assert numbers(found) == [8]
    assert isinstance(found, tuple)
    assert found[0].head_repository == "eve/agent"
    assert found[0].base_branch == "main"
    assert found[0].base_sha == BASE


def test_a_pull_request_of_the_repository_is_found_by_its_commit(github: GitHub) -> None:
    assert numbers(github.pull_requests(HEAD)) == [7]


def test_a_forks_pull_request_is_found_by_its_commit_alone(
    server: GitHubServer, github: GitHub
) -> None:
    for number in range(20, 220):
        server.state.pull(number, head=HEAD, base=BASE)
    server.state.pull(500, head=FORKED, base=BASE, owner="eve")
    assert numbers(github.pull_requests(FORKED)) == [500]


def test_a_branch_that_has_moved_on_has_no_pull_request_of_the_commit(
    server: GitHubServer, github: GitHub
) -> None:
    server.state.pull(8, head=FORKED, base=BASE, owner="eve", branch="patch-1")
    assert numbers(github.pull_requests("d" * 40, owner="eve", branch="patch-1")) == []


def test_a_closed_pull_request_is_not_found(server: GitHubServer, github: GitHub) -> None:
    server.state.pull(8, head=FORKED, base=BASE, owner="eve", branch="patch-1", state="closed")
    server.state.pull(9, head=FORKED, base=BASE, branch="old", state="closed")
    assert numbers(github.pull_requests(FORKED, owner="eve", branch="patch-1")) == []
    assert numbers(github.pull_requests(FORKED)) == []


def test_all_pull_requests_of_a_commit_are_found(server: GitHubServer, github: GitHub) -> None:
    server.state.pull(9, head=HEAD, base=BASE, branch="change")
    assert numbers(github.pull_requests(HEAD, owner="acme", branch="change")) == [7, 9]


def test_a_deleted_fork_has_no_repository(server: GitHubServer, github: GitHub) -> None:
    server.state.pull(8, head=FORKED, base=BASE, owner="eve", deleted=True)
    found = github.pull_requests(FORKED)
    assert isinstance(found, tuple)
    assert found[0].head_repository is None


def test_trouble_is_told(server: GitHubServer, github: GitHub) -> None:
    server.faults.append(faults.refusal("GET", "/pulls", status=403))
    found = github.pull_requests(HEAD)
    assert isinstance(found, GitHubTrouble)
    assert found.permission == "pull-requests: write"
