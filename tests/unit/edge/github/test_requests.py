"""How GitHub is asked: its version, its limits, and what is said when it doesn't answer."""

import time
from dataclasses import replace

import pytest

from mergebar.edge.github.repository import Access, GitHub, connect
from mergebar.edge.github.waiting import REAL
from mergebar.model.publishing import GitHubTrouble, PublishState, TroubleKind
from support.github import faults
from support.github.answers import Answer, error
from support.github.connecting import BASE, HEAD, NOW, Waits, connected
from support.github.server import GitHubServer
from support.github.state import READS
from support.servers import Reply, Server

BODY = f"<!-- mergebar:v1 key=mergebar run=10 attempt=1 sha={HEAD} -->\n## passed"


def refusal(github: GitHub) -> GitHubTrouble:
    outcome = github.comment(7, BODY)
    assert outcome.state is PublishState.REFUSED
    assert outcome.trouble is not None
    return outcome.trouble


def test_the_version_of_the_api_is_pinned(server: GitHubServer, github: GitHub) -> None:
    github.comment(7, BODY)
    versions = {one.headers.get("x-github-api-version") for one in server.requests}
    assert versions == {"2022-11-28"}


def test_an_enterprise_server_is_asked_at_its_own_address() -> None:
    with GitHubServer(prefix="/api/v3") as server:
        server.state.pull(7, head=HEAD, base=BASE)
        for number in range(250):
            server.state.comment(7, f"remark {number}")
        with connected(server) as github:
            assert github.comment(7, BODY).state is PublishState.CREATED
        assert all(one.path.startswith("/api/v3/repos/acme/agent/") for one in server.requests)


def test_a_token_that_may_only_read_gets_the_missing_line_named(server: GitHubServer) -> None:
    token = server.state.token("ghs_reader", permissions=READS)
    with connected(server, token=token) as github:
        trouble = refusal(github)
    assert trouble.kind is TroubleKind.PERMISSION
    assert trouble.permission == "pull-requests: write"
    assert trouble.message == (
        "can't post the comment (`Resource not accessible by integration`); "
        "add `pull-requests: write` to the `permissions:` of the job"
    )
    assert server.state.bodies() == []


def test_a_fork_is_told_that_it_can_not_have_the_permission(server: GitHubServer) -> None:
    token = server.state.token("ghs_reader", permissions=READS)
    with connected(server, token=token, forked=True) as github:
        made = github.start_check_run(
            name="mergebar",
            head_sha=HEAD,
            external_id="10.1",
            details_url="https://github.example/",
            started_at="2026-11-30T12:00:00Z",
        )
    assert isinstance(made, GitHubTrouble)
    assert made.permission == "checks: write"
    assert "`permissions: checks: write`" in made.message
    assert "fork" in made.message
    assert "can't have" in made.message


def test_a_fork_can_have_the_permission_to_read(server: GitHubServer) -> None:
    token = server.state.token("ghs_fork", permissions={})
    with connected(server, token=token, forked=True) as github:
        trouble = github.read("mergebar.yml", BASE)
    assert isinstance(trouble, GitHubTrouble)
    assert trouble.message.endswith("add `contents: read` to the `permissions:` of the job")


def test_a_permission_problem_is_not_tried_again(
    server: GitHubServer, github: GitHub, waits: Waits
) -> None:
    server.faults.append(faults.refusal("POST", "/comments", status=403))
    refusal(github)
    assert len(server.asked("POST")) == 1
    assert waits.slept == []


def test_a_token_that_github_refuses_is_said_to_be_one(server: GitHubServer) -> None:
    with connected(server, token="ghs_expired") as github:  # noqa: S106 -- no real token
        trouble = refusal(github)
    assert trouble.kind is TroubleKind.PERMISSION
    assert trouble.permission is None
    assert "Bad credentials" in trouble.message
    assert "ghs_expired" not in trouble.message


def test_a_pull_request_that_is_not_there_is_not_found(github: GitHub) -> None:
    outcome = github.comment(8, BODY)
    assert outcome.trouble is not None
    assert outcome.trouble.kind is TroubleKind.NOT_FOUND


def test_a_conversation_that_is_gone_is_gone(server: GitHubServer, github: GitHub) -> None:
    server.faults.append(faults.refusal("GET", "/comments", status=410, message="Issues disabled"))
    assert refusal(github).kind is TroubleKind.GONE


@pytest.mark.parametrize("status", [403, 429])
def test_a_secondary_limit_is_waited_out_as_long_as_it_says(
    server: GitHubServer, github: GitHub, waits: Waits, status: int
) -> None:
    server.faults.append(faults.secondary("POST", "/comments", retry_after=7, status=status))
    assert github.comment(7, BODY).state is PublishState.CREATED
    assert waits.slept == [7.0]
    assert server.state.bodies() == [BODY]


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "7"},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(NOW) + 6)},
    ],
    ids=["retry-after", "nothing remains"],
)
def test_a_limit_is_known_by_its_headers_whatever_it_says(
    server: GitHubServer, github: GitHub, waits: Waits, headers: dict[str, str]
) -> None:
    answer = error(403, "Forbidden", headers)
    server.faults.append(faults.Fault(method="POST", within="/comments", answer=answer))
    assert github.comment(7, BODY).state is PublishState.CREATED
    assert waits.slept == [7.0]


def test_a_secondary_limit_that_says_nothing_is_waited_out_for_a_minute(
    server: GitHubServer, github: GitHub, waits: Waits
) -> None:
    server.faults.append(faults.secondary("POST", "/comments"))
    assert github.comment(7, BODY).state is PublishState.CREATED
    assert waits.slept == [60.0]


def test_a_secondary_limit_that_stays_is_given_up_within_the_total(
    server: GitHubServer, github: GitHub, waits: Waits
) -> None:
    server.faults.append(faults.secondary("POST", "/comments", times=99))
    trouble = refusal(github)
    assert trouble.kind is TroubleKind.RATE_LIMITED
    assert sum(waits.slept) <= 120
    assert server.state.bodies() == []


def test_an_exhausted_limit_is_waited_out_until_its_reset(
    server: GitHubServer, github: GitHub, waits: Waits
) -> None:
    server.faults.append(faults.primary("GET", "/comments", reset=int(NOW) + 30))
    assert github.comment(7, BODY).state is PublishState.CREATED
    assert waits.slept == [31.0]


def test_a_reset_that_is_too_far_away_is_not_waited_for(
    server: GitHubServer, github: GitHub, waits: Waits
) -> None:
    server.faults.append(faults.primary("GET", "/comments", reset=int(NOW) + 3_000))
    trouble = refusal(github)
    assert trouble.kind is TroubleKind.RATE_LIMITED
    assert "3001 s" in trouble.message
    assert waits.slept == []


def test_all_requests_of_a_run_share_one_total_of_waiting(
    server: GitHubServer, github: GitHub, waits: Waits
) -> None:
    server.faults += [
        faults.secondary("GET", "/comments", retry_after=50),
        faults.secondary("GET", "/pulls/7", retry_after=50),
        faults.secondary("POST", "/comments", retry_after=50),
    ]
    assert refusal(github).kind is TroubleKind.RATE_LIMITED
    assert waits.slept == [50.0, 50.0]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_github_that_is_down_is_tried_four_times(
    server: GitHubServer, github: GitHub, waits: Waits, status: int
) -> None:
    server.faults.append(faults.down("GET", "/comments", status=status, times=99))
    trouble = refusal(github)
    assert trouble.kind is TroubleKind.UNAVAILABLE
    assert f"GitHub answered {status}" in trouble.message
    assert len(server.asked("GET", "/comments")) == 4
    assert waits.slept == [1.0, 2.0, 4.0]


def test_what_is_down_is_asked_once_until_it_answers_again(
    server: GitHubServer, github: GitHub, waits: Waits
) -> None:
    server.faults.append(faults.down("GET", "/contents", times=6))
    for _ in range(3):
        github.read("mergebar.yml", BASE)
    assert len(server.asked("GET", "/contents")) == 6
    assert waits.slept == [1.0, 2.0, 4.0]
    assert github.comment(7, BODY).state is PublishState.CREATED
    server.faults.append(faults.down("GET", "/contents", times=1))
    github.read("mergebar.yml", BASE)
    assert waits.slept == [1.0, 2.0, 4.0, 1.0]


def test_a_github_that_drops_every_connection_is_unavailable(
    server: GitHubServer, github: GitHub
) -> None:
    server.faults.append(faults.dropped("GET", times=99))
    trouble = refusal(github)
    assert trouble.kind is TroubleKind.UNAVAILABLE
    assert "there was no answer" in trouble.message


def test_a_github_that_can_not_be_reached_is_unavailable(server: GitHubServer) -> None:
    with GitHubServer() as gone:
        pass
    server.api_url = gone.api_url
    with connected(server) as github:
        assert refusal(github).kind is TroubleKind.UNAVAILABLE


def asked_of(server: Server, *, timeout_s: float = 0.5, total_wait_s: float = 120) -> GitHub:
    """A connection to a server that isn't GitHub; nothing is waited between attempts."""
    access = Access(
        token="t",  # noqa: S106 -- opens nothing
        repository="acme/agent",
        api_url=server.url,
        timeout_s=timeout_s,
        total_wait_s=total_wait_s,
    )
    clock = replace(REAL, sleep=lambda _: None)
    made = connect(access, clock=clock)
    assert isinstance(made, GitHub)
    return made


def test_a_reply_that_trickles_in_ends_with_its_time() -> None:
    slow = Reply(body=b"[" + b" " * 200 + b"]", drip_s=0.05)
    with Server([slow]) as server, asked_of(server, total_wait_s=0.4) as github:
        started = time.monotonic()
        trouble = refusal(github)
        again = refusal(github)
        took = time.monotonic() - started

    assert trouble.kind is TroubleKind.UNAVAILABLE
    assert "there was no answer" in trouble.message
    assert "too much time already" in again.message
    assert took < 4


def test_an_answer_that_is_never_ready_is_no_answer() -> None:
    unready = Reply(status=202, body=b"{}")
    with Server([unready]) as server, asked_of(server, total_wait_s=0.4) as github:
        assert isinstance(github.read("mergebar.yml", BASE), GitHubTrouble)
        assert len(server.requests) == 1


@pytest.mark.parametrize("name", ["X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"])
@pytest.mark.parametrize("value", ["soon", "inf", "nan", "-1", "", "9" * 400])
def test_headers_that_make_no_sense_are_survived(name: str, value: str) -> None:
    headers = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "1", name: value}
    answers = [Reply(status=status, body=b"{}", headers=headers) for status in (200, 403, 429)]
    with Server(answers) as server, asked_of(server) as github:
        assert isinstance(github.read("mergebar.yml", BASE), GitHubTrouble)


@pytest.mark.parametrize("status", [301, 302, 304, 307])
@pytest.mark.parametrize("place", ["", "/elsewhere", "https://evil.test/", "http://[", "//x:y/"])
def test_a_redirect_leads_nowhere(status: int, place: str) -> None:
    answer = Reply(status=status, headers={"Location": place})
    with Server([answer]) as server, asked_of(server) as github:
        assert isinstance(github.read("mergebar.yml", BASE), GitHubTrouble)
        assert len(server.requests) < 50


@pytest.mark.parametrize("place", ["http://[", "", "x?", "?" + "a&" * 99, "?page=2&a=%ff"])
def test_a_next_page_that_cannot_be_asked_for_is_never_taken_for_the_last(
    server: GitHubServer, github: GitHub, place: str
) -> None:
    answer = Answer(body=[], headers={"Link": f'<{place}>; rel="next"'})
    server.faults.append(faults.Fault(method="GET", within="/comments", answer=answer, times=9))
    outcome = github.comment(7, BODY)
    assert outcome.state is PublishState.REFUSED
    server.violations.clear()


def test_a_redirect_is_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    answer = Reply(status=301, headers={"Location": "/##[error]forged"})
    with Server([answer]) as server, asked_of(server) as github:
        github.read("mergebar.yml", BASE)
    assert capfd.readouterr().err == ""


def test_pages_that_go_in_circles_are_no_answer(server: GitHubServer, github: GitHub) -> None:
    for number in range(150):
        server.state.comment(7, f"remark {number}")
    listing = [{**node} for _, node in server.state.comments.values()][:100]
    circle = f'<{server.url}/repositories/1/issues/7/comments?per_page=100&page=2>; rel="next"'
    answer = Answer(body=listing, headers={"Link": circle})
    server.faults.append(faults.Fault(method="GET", within="/comments", answer=answer, times=99))
    trouble = refusal(github)
    assert "in circles" in trouble.message
    assert len(server.asked("GET", "/comments")) == 2


@pytest.mark.parametrize(
    ("token", "repository", "api_url", "named"),
    [
        ("", "acme/agent", "https://x", "`github-token`"),
        ("t", "agent", "https://x", "`GITHUB_REPOSITORY`"),
        ("t", "acme/agent/x", "https://x", "`GITHUB_REPOSITORY`"),
        ("t", "acme/agent", "ftp://x", "`GITHUB_API_URL`"),
        ("t", "acme/agent", "", "`GITHUB_API_URL`"),
        ("t", "acme/agent", "https://", "`GITHUB_API_URL`"),
        ("t", "acme/agent", "http://[::1", "`GITHUB_API_URL`"),
        ("t", "acme/agent", "https://api.test:none", "`GITHUB_API_URL`"),
        ("t", "acme/agent", "https://user@api.test", "`GITHUB_API_URL`"),
        ("t\nX-Other: 1", "acme/agent", "https://x", "`github-token`"),
        ("tökén", "acme/agent", "https://x", "`github-token`"),
    ],
)
def test_what_can_be_seen_to_be_wrong_is_not_tried(
    token: str, repository: str, api_url: str, named: str
) -> None:
    trouble = connect(Access(token=token, repository=repository, api_url=api_url))
    assert isinstance(trouble, GitHubTrouble)
    assert named in trouble.message
