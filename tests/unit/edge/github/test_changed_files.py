"""What GitHub says has changed: all of it, or no answer."""

import json

import pytest

from mergebar.edge.changes import Found, Miss, Strategy
from mergebar.edge.events import Event, EventScope
from mergebar.edge.github.repository import GitHub
from mergebar.model.changes import Change, Status
from support.github import faults
from support.github.answers import Answer
from support.github.connecting import BASE, HEAD, MERGE
from support.github.server import GitHubServer
from support.github.state import READS, file

TIP = "e" * 40


def event(*, name: str = "pull_request", number: int | None = 7, tested: str = HEAD) -> Event:
    return Event(
        name=name,
        trusted=True,
        scope=EventScope.AFFECTED,
        base=BASE,
        head=HEAD,
        tested=tested,
        pull_request=number,
    )


def ways(github: GitHub, **values: object) -> tuple[Strategy, ...]:
    return github.strategies(event(**values))  # type: ignore[arg-type]


def listed(github: GitHub, **values: object) -> Found | Miss:
    return ways(github, **values)[0]()


def compared(github: GitHub) -> Found | Miss:
    return ways(github, name="merge_group", number=None)[0]()


@pytest.fixture(autouse=True)
def history(server: GitHubServer) -> None:
    """The pull request left main at `BASE`, which has moved on to `TIP` since."""
    server.state.commit(BASE)
    server.state.commit(HEAD, BASE)
    server.state.commit(TIP, BASE)
    server.state.commit(MERGE, TIP, HEAD)


def test_a_pull_request_is_asked_for_its_files_first_and_a_queue_for_a_comparison(
    github: GitHub,
) -> None:
    assert len(ways(github)) == 2
    assert len(ways(github, name="merge_group", number=None)) == 1


def test_every_status_of_a_file_is_understood(server: GitHubServer, github: GitHub) -> None:
    server.state.change_files(
        7,
        [
            file("added.json", "added"),
            file("changed.json", "changed"),
            file("copied.json", "copied", previous_filename="original.json"),
            file("deleted.json", "removed"),
            file("modified.json", "modified"),
            file("new.json", "renamed", previous_filename="old.json"),
            file("same.json", "unchanged"),
        ],
    )
    found = listed(github)
    assert isinstance(found, Found)
    assert found.changes.files == (
        Change(path="added.json", status=Status.ADDED),
        Change(path="changed.json", status=Status.MODIFIED),
        Change(path="copied.json", status=Status.ADDED),
        Change(path="deleted.json", status=Status.DELETED),
        Change(path="modified.json", status=Status.MODIFIED),
        Change(path="new.json", status=Status.RENAMED, old_path="old.json"),
    )
    assert not found.changes.everything


def test_all_pages_of_files_are_read(server: GitHubServer, github: GitHub) -> None:
    server.state.change_files(7, [file(f"evals/{number:04}.json") for number in range(2_999)])
    found = listed(github)
    assert isinstance(found, Found)
    assert len(found.changes.files) == 2_999
    assert "2,999 changed files" in found.changes.reason


def test_a_pull_request_of_3000_files_may_have_more(server: GitHubServer, github: GitHub) -> None:
    server.state.change_files(7, [file(f"{number}.json") for number in range(3_412)])
    found = listed(github)
    assert found == Miss(reason="GitHub lists only 3,000 of the 3,412 changed files")


def test_as_many_files_as_github_lists_may_not_be_all(server: GitHubServer, github: GitHub) -> None:
    server.state.change_files(7, [file(f"{number}.json") for number in range(3_000)])
    assert isinstance(listed(github), Miss)


def test_a_list_that_is_shorter_than_the_count_is_no_answer(
    server: GitHubServer, github: GitHub
) -> None:
    server.state.change_files(7, [file("a.json")], total=2)
    assert listed(github) == Miss(reason="GitHub lists only 1 of the 2 changed files")


def test_a_pull_request_that_moved_on_is_no_answer(server: GitHubServer, github: GitHub) -> None:
    server.state.pull(7, head="d" * 40, base=BASE)
    found = listed(github)
    assert isinstance(found, Miss)
    assert "newer commits" in found.reason


def test_the_base_is_the_first_parent_of_the_tested_merge_commit(github: GitHub) -> None:
    found = listed(github, tested=MERGE)
    assert isinstance(found, Found)
    assert found.base == TIP


def test_without_a_merge_commit_the_base_is_the_merge_base(
    server: GitHubServer, github: GitHub
) -> None:
    server.state.pulls[7]["base"]["sha"] = TIP
    found = listed(github, tested=HEAD)
    assert isinstance(found, Found)
    assert found.base == BASE


def test_a_merge_commit_that_is_the_pull_requests_own_is_no_base(
    server: GitHubServer, github: GitHub
) -> None:
    server.state.commit("f" * 40, TIP, BASE)
    found = listed(github, tested="f" * 40)
    assert isinstance(found, Found)
    assert found.base == BASE


def test_what_changed_in_a_submodule_is_not_known(server: GitHubServer, github: GitHub) -> None:
    patch = f"@@ -1 +1 @@\n-Subproject commit {BASE}\n+Subproject commit {HEAD}"
    server.state.change_files(7, [file("a.json"), file("vendor/agent", patch=patch)])
    found = listed(github)
    assert isinstance(found, Found)
    assert found.changes.everything
    assert "`vendor/agent`" in found.changes.reason


def test_trouble_is_the_reason_why_it_can_not_be_told(server: GitHubServer, github: GitHub) -> None:
    server.faults.append(faults.refusal("GET", "/files", status=403))
    found = listed(github)
    assert isinstance(found, Miss)
    assert "`pull-requests: read`" in found.reason


def test_two_commits_are_compared_since_their_merge_base(
    server: GitHubServer, github: GitHub
) -> None:
    server.state.token(permissions={"contents": "read"})
    server.state.compared[HEAD] = [file("a.json"), file("b.json", "removed")]
    found = compared(github)
    assert isinstance(found, Found)
    assert found.base == BASE
    assert [change.path for change in found.changes.files] == ["a.json", "b.json"]


def test_a_comparison_of_300_files_may_have_more(server: GitHubServer, github: GitHub) -> None:
    server.state.compared[HEAD] = [file(f"{number}.json") for number in range(300)]
    assert compared(github) == Miss(reason="GitHub compares no more than 300 files")


def test_a_comparison_with_an_unknown_commit_is_no_answer(
    server: GitHubServer, github: GitHub
) -> None:
    del server.state.commits[BASE]
    found = compared(github)
    assert isinstance(found, Miss)
    assert "doesn't exist" in found.reason


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"merge_base_commit": {"sha": BASE}}, "GitHub's comparison lists no files"),
        ({"merge_base_commit": {"sha": BASE}, "files": None}, "GitHub's comparison lists no files"),
        ({"merge_base_commit": {"sha": "main"}, "files": []}, None),
        ({"merge_base_commit": {}, "files": []}, None),
        ({"files": []}, None),
        ([], None),
    ],
)
def test_a_comparison_that_leaves_something_out_is_no_answer(
    server: GitHubServer, github: GitHub, reply: object, reason: str | None
) -> None:
    answer = Answer(status=200, body=json.dumps(reply).encode())
    server.faults.append(
        faults.Fault(method="GET", within="/compare", answer=answer, times=9, described=False)
    )
    found = compared(github)
    assert isinstance(found, Miss)
    assert reason is None or found.reason == reason


def test_reading_is_enough(server: GitHubServer, github: GitHub) -> None:
    server.state.token(permissions=READS)
    server.state.change_files(7, [file("a.json")])
    assert isinstance(listed(github), Found)
