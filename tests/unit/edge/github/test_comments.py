"""The sticky comment: one per gate, found wherever it is, ours alone, and never older than it was."""

from collections.abc import Iterator

import pytest

from mergebar.edge.github.repository import GitHub
from mergebar.model.publishing import CommentMode, PublishState, TroubleKind
from support.github import faults
from support.github.connecting import BASE, HEAD, Waits, connected
from support.github.server import GitHubServer

ACTIONS = "github-actions[bot]"
NEXT = "d" * 40


def body(
    run: int = 10, attempt: int = 1, *, sha: str = HEAD, key: str = "mergebar", text: str = "passed"
) -> str:
    return f"<!-- mergebar:v1 key={key} run={run} attempt={attempt} sha={sha} -->\n## {text}"


@pytest.fixture
def other(server: GitHubServer) -> Iterator[GitHub]:
    """Another run's connection."""
    with connected(server) as github:
        yield github


def test_a_pull_request_without_one_gets_a_comment(server: GitHubServer, github: GitHub) -> None:
    outcome = github.comment(7, body())
    assert outcome.state is PublishState.CREATED
    assert outcome.url is not None
    assert outcome.url.startswith("https://github.example/acme/agent/pull/7#issuecomment-")
    assert server.state.bodies() == [body()]


def test_a_later_run_updates_the_comment_in_place(server: GitHubServer, github: GitHub) -> None:
    first = github.comment(7, body(10))
    second = github.comment(7, body(11, text="failed"))
    assert second.state is PublishState.UPDATED
    assert second.url == first.url
    assert server.state.bodies() == [body(11, text="failed")]


def test_another_attempt_of_the_same_run_updates_it(server: GitHubServer, github: GitHub) -> None:
    github.comment(7, body(10, 1))
    assert github.comment(7, body(10, 2)).state is PublishState.UPDATED
    assert server.state.bodies() == [body(10, 2)]


def test_the_same_body_is_not_written_again(server: GitHubServer, github: GitHub) -> None:
    github.comment(7, body())
    assert github.comment(7, body()).state is PublishState.UNCHANGED
    assert server.asked("PATCH") == []


@pytest.mark.parametrize("newer", [(11, 1), (10, 2)])
def test_an_older_run_writes_nothing(
    server: GitHubServer, github: GitHub, newer: tuple[int, int]
) -> None:
    github.comment(7, body(*newer))
    outcome = github.comment(7, body(10, 1))
    assert outcome.state is PublishState.OLDER
    assert outcome.url is not None
    assert server.state.bodies() == [body(*newer)]


def test_a_run_for_a_commit_that_is_no_longer_the_head_writes_nothing(
    server: GitHubServer, github: GitHub
) -> None:
    server.state.pull(7, head=NEXT, base=BASE)
    assert github.comment(7, body(sha=HEAD)).state is PublishState.OLDER
    assert server.state.bodies() == []


def test_a_newer_run_for_an_old_commit_leaves_the_comment_alone(
    server: GitHubServer, github: GitHub
) -> None:
    github.comment(7, body(10))
    server.state.pull(7, head=NEXT, base=BASE)
    assert github.comment(7, body(11, sha=HEAD)).state is PublishState.OLDER
    assert server.state.bodies() == [body(10)]


def test_a_comment_on_the_third_page_is_found(server: GitHubServer, github: GitHub) -> None:
    for number in range(250):
        server.state.comment(7, f"remark {number}")
    ours = server.state.comment(7, body(9), login=ACTIONS)
    assert github.comment(7, body()).state is PublishState.UPDATED
    assert server.state.comments[ours][1]["body"] == body()
    assert len(server.asked("GET", "/comments")) == 3


def test_duplicates_are_cleaned_up_and_the_oldest_stays(
    server: GitHubServer, github: GitHub
) -> None:
    oldest, *_ = [server.state.comment(7, body(run), login=ACTIONS) for run in (7, 8, 9)]
    server.state.comment(7, "Nice work!")
    outcome = github.comment(7, body(10))
    assert outcome.state is PublishState.UPDATED
    assert server.state.bodies() == [body(10), "Nice work!"]
    assert server.state.comments[oldest][1]["body"] == body(10)


def test_a_newer_run_in_a_duplicate_is_not_overwritten(
    server: GitHubServer, github: GitHub
) -> None:
    for run in (7, 12):
        server.state.comment(7, body(run), login=ACTIONS)
    assert github.comment(7, body(10)).state is PublishState.OLDER
    assert server.state.bodies() == [body(7), body(12)]


def test_a_marker_that_a_person_quotes_is_not_ours(server: GitHubServer, github: GitHub) -> None:
    server.state.comment(7, body(99, text="copied"), login="maria")
    server.state.comment(7, f"See this:\n{body(99)}", login=ACTIONS)
    assert github.comment(7, body(10)).state is PublishState.CREATED
    assert len(server.state.bodies()) == 3
    assert server.asked("PATCH") == []
    assert server.asked("DELETE") == []


def test_two_gates_have_a_comment_each(server: GitHubServer, github: GitHub) -> None:
    github.comment(7, body(key="support"))
    assert github.comment(7, body(key="support%20hr")).state is PublishState.CREATED
    assert github.comment(7, body(11, key="support")).state is PublishState.UPDATED
    assert server.state.bodies() == [body(11, key="support"), body(key="support%20hr")]


def test_the_comment_of_an_app_is_found_by_the_login_that_its_check_run_shows(
    server: GitHubServer,
) -> None:
    token = server.state.token("ghs_app", login="bar[bot]", app="bar", app_id=7)
    server.state.comment(7, body(9), login="bar[bot]")
    with connected(server, token=token) as github:
        assert github.comment(7, body(10), author="bar[bot]").state is PublishState.UPDATED
    assert server.asked("POST") == []


def test_the_comment_of_an_unknown_app_is_found_by_the_login_that_a_new_comment_shows(
    server: GitHubServer,
) -> None:
    token = server.state.token("ghs_app", login="bar[bot]", app="bar", app_id=7)
    oldest = server.state.comment(7, body(9), login="bar[bot]")
    with connected(server, token=token) as github:
        assert github.comment(7, body(10)).state is PublishState.UPDATED
    assert server.state.bodies() == [body(10)]
    assert list(server.state.comments) == [oldest]


def test_the_comment_of_a_persons_token_is_found_by_asking_who_it_is(
    server: GitHubServer,
) -> None:
    token = server.state.token("ghp_maria", login="maria", app=None)
    server.state.comment(7, body(9), login="maria")
    with connected(server, token=token) as github:
        assert github.comment(7, body(10)).state is PublishState.UPDATED
    assert server.state.bodies() == [body(10)]
    assert server.asked("POST") == []


def test_mode_never_leaves_an_existing_comment_alone(server: GitHubServer, github: GitHub) -> None:
    server.state.comment(7, body(9), login=ACTIONS)
    assert github.comment(7, body(10), mode=CommentMode.NEVER).state is PublishState.SKIPPED
    assert server.requests == []


@pytest.mark.parametrize("mode", [CommentMode.CHANGES, CommentMode.FAILURES])
def test_a_mode_that_posts_for_nothing_less_still_updates_what_is_there(
    server: GitHubServer, github: GitHub, mode: CommentMode
) -> None:
    skipped = github.comment(7, body(10), mode=mode, noteworthy=False)
    assert skipped.state is PublishState.SKIPPED
    assert server.state.bodies() == []
    assert github.comment(7, body(10), mode=mode, noteworthy=True).state is PublishState.CREATED
    updated = github.comment(7, body(11), mode=mode, noteworthy=False)
    assert updated.state is PublishState.UPDATED
    assert server.state.bodies() == [body(11)]


def test_an_older_run_that_posts_while_a_newer_one_does_takes_its_own_comment_back(
    server: GitHubServer, github: GitHub, other: GitHub
) -> None:
    server.on("POST", "/comments", lambda: other.comment(7, body(11, text="newer")))
    outcome = github.comment(7, body(10, text="older"))
    assert outcome.state is PublishState.OLDER
    assert server.state.bodies() == [body(11, text="newer")]


def test_a_newer_run_that_posts_while_an_older_one_does_leaves_one_comment(
    server: GitHubServer, github: GitHub, other: GitHub
) -> None:
    server.on("POST", "/comments", lambda: other.comment(7, body(10, text="older")))
    outcome = github.comment(7, body(11, text="newer"))
    assert outcome.state is PublishState.UPDATED
    assert server.state.bodies() == [body(11, text="newer")]


def test_an_edit_by_a_newer_run_is_seen_until_just_before_ours(
    server: GitHubServer, github: GitHub, other: GitHub
) -> None:
    github.comment(7, body(9))
    server.on("GET", "/pulls/7", lambda: other.comment(7, body(11, text="newer")))
    assert github.comment(7, body(10, text="older")).state is PublishState.OLDER
    assert server.state.bodies() == [body(11, text="newer")]


def test_a_comment_that_was_removed_before_it_could_be_edited_is_posted_anew(
    server: GitHubServer, github: GitHub
) -> None:
    server.state.comment(7, body(9), login=ACTIONS)
    server.on("PATCH", "/comments", server.state.comments.clear)
    assert github.comment(7, body(10)).state is PublishState.CREATED
    assert server.state.bodies() == [body(10)]


def test_a_duplicate_that_another_run_removed_first_is_no_trouble(
    server: GitHubServer, github: GitHub
) -> None:
    server.state.comment(7, body(8), login=ACTIONS)
    later = server.state.comment(7, body(9), login=ACTIONS)
    server.on("DELETE", "/comments", lambda: server.state.comments.pop(later))
    outcome = github.comment(7, body(10))
    assert outcome.trouble is None
    assert server.state.bodies() == [body(10)]


@pytest.mark.parametrize(
    "fault",
    [
        faults.down("POST", "/comments", carried_out=True),
        faults.dropped("POST", "/comments", carried_out=True),
        faults.page_of_a_proxy("POST", "/comments", status=201, carried_out=True),
    ],
    ids=["server error", "connection lost", "a page of a proxy"],
)
def test_a_comment_whose_answer_was_lost_is_not_posted_twice(
    server: GitHubServer, github: GitHub, fault: faults.Fault
) -> None:
    server.faults.append(fault)
    assert github.comment(7, body()).state is PublishState.CREATED
    assert server.state.bodies() == [body()]
    assert len(server.asked("POST", "/comments")) == 1


@pytest.mark.parametrize(
    "fault",
    [faults.down("POST", "/comments"), faults.dropped("POST", "/comments")],
    ids=["server error", "connection lost"],
)
def test_a_comment_that_was_not_posted_is_posted_again(
    server: GitHubServer, github: GitHub, fault: faults.Fault
) -> None:
    server.faults.append(fault)
    assert github.comment(7, body()).state is PublishState.CREATED
    assert server.state.bodies() == [body()]
    assert len(server.asked("POST", "/comments")) == 2


def test_a_comment_is_not_posted_again_where_nobody_can_tell_whether_it_is_there(
    server: GitHubServer, github: GitHub
) -> None:
    server.faults.append(faults.down("POST", "/comments", carried_out=True))
    server.on(
        "POST",
        "/comments",
        lambda: server.faults.append(faults.down("GET", "/comments", times=99)),
    )
    outcome = github.comment(7, body())
    assert outcome.state is PublishState.REFUSED
    assert len(server.asked("POST", "/comments")) == 1
    assert server.state.bodies() == [body()]


def test_an_edit_is_repeated_after_a_server_error(server: GitHubServer, github: GitHub) -> None:
    github.comment(7, body(9))
    server.faults.append(faults.down("PATCH", "/comments", times=2))
    assert github.comment(7, body(10)).state is PublishState.UPDATED
    assert len(server.asked("PATCH", "/comments")) == 3


def test_a_body_that_is_too_long_is_refused_with_githubs_words(
    server: GitHubServer, github: GitHub
) -> None:
    outcome = github.comment(7, body(text="x" * 70_000))
    assert outcome.state is PublishState.REFUSED
    assert outcome.trouble is not None
    assert outcome.trouble.kind is TroubleKind.REJECTED
    assert "65536" in outcome.trouble.message


def test_a_body_without_a_marker_is_a_bug(github: GitHub) -> None:
    with pytest.raises(ValueError, match="marker"):
        github.comment(7, "## passed")


def test_few_writes_are_not_waited_for_and_many_are_a_second_apart(
    server: GitHubServer, github: GitHub, waits: Waits
) -> None:
    for run in range(11):
        server.state.comment(7, body(run), login=ACTIONS)
    github.comment(7, body(20))
    assert len(server.asked("PATCH")) + len(server.asked("DELETE")) == 11
    assert waits.slept == [1.0, 1.0, 1.0]
