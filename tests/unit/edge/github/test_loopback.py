"""The loopback GitHub itself: it must refuse what GitHub refuses, or tests against it prove nothing."""

import json

import httpx
import pytest

from support.github import description
from support.github.connecting import HEAD
from support.github.server import GitHubServer

CREATE = {"name": "mergebar", "head_sha": HEAD}
OUTPUT = {"title": "t", "summary": "s"}
NOTE = {
    "path": "a.json",
    "start_line": 1,
    "end_line": 1,
    "annotation_level": "failure",
    "message": "m",
}


def ask(
    server: GitHubServer,
    method: str,
    path: str,
    body: object = None,
    *,
    version: str | None = "2022-11-28",
    token: str = "ghs_actions",  # noqa: S107 -- a token of the loopback server
) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}", "User-Agent": "mergebar/test"}
    if version is not None:
        headers["X-GitHub-Api-Version"] = version
    url = f"{server.api_url}/repos/acme/agent{path}"
    return httpx.request(method, url, headers=headers, json=body)


def violations(server: GitHubServer) -> str:
    """What was noted; the test has seen it."""
    noted = "\n".join(server.violations)
    server.violations.clear()
    return noted


@pytest.mark.parametrize(
    ("method", "path", "body", "noted"),
    [
        ("POST", "/issues/7/comments", {}, '"body" is a required property'),
        ("POST", "/check-runs", {"name": "x"}, '"head_sha" is a required property'),
        ("POST", "/check-runs", CREATE | {"conclusion": "great"}, "conclusion"),
        ("POST", "/check-runs", CREATE | {"started_at": "today"}, "date-time"),
        ("POST", "/check-runs", CREATE | {"output": {"title": "t"}}, '"summary"'),
        (
            "POST",
            "/check-runs",
            CREATE | {"output": OUTPUT | {"annotations": [NOTE] * 51}},
            "annotations",
        ),
        (
            "POST",
            "/check-runs",
            CREATE | {"output": OUTPUT | {"annotations": [NOTE | {"annotation_level": "bad"}]}},
            "annotation_level",
        ),
        ("GET", "/pulls?state=merged", None, "state"),
        ("GET", "/pulls?page=one", None, "page"),
        ("GET", "/pulls?colour=red", None, "`colour` is not described"),
        ("GET", "/pulls?per_page=101", None, "per_page"),
        ("GET", "/labels", None, "no operation"),
    ],
)
def test_a_request_that_github_does_not_describe_is_noted(
    server: GitHubServer, method: str, path: str, body: object, noted: str
) -> None:
    ask(server, method, path, body)
    assert noted in violations(server)


def test_a_client_that_pins_no_version_is_noted(server: GitHubServer) -> None:
    ask(server, "GET", "/pulls/7", version=None)
    assert "not pinned" in violations(server)


def test_an_answer_that_github_does_not_describe_is_noted(server: GitHubServer) -> None:
    server.state.pulls[7]["changed_files"] = "many"
    ask(server, "GET", "/pulls/7")
    assert "changed_files" in violations(server)


def test_a_violation_fails_the_test_when_the_server_stops() -> None:
    with pytest.raises(AssertionError, match="not pinned"), GitHubServer() as server:
        ask(server, "GET", "/pulls/7", version=None)


@pytest.mark.parametrize(
    ("body", "status"),
    [("x" * 65_536, 201), ("x" * 65_537, 422), ("\U0001f600" * 65_536, 201), (" \n", 422)],
)
def test_comments_are_as_long_as_github_takes_them(
    server: GitHubServer, body: str, status: int
) -> None:
    assert ask(server, "POST", "/issues/7/comments", {"body": body}).status_code == status


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ({"summary": "x" * 65_535}, 201),
        ({"summary": "ü" * 32_768}, 422),
        ({"annotations": [NOTE | {"end_line": 2, "start_column": 1}]}, 422),
        ({"annotations": [NOTE | {"start_line": 0, "end_line": 0}]}, 422),
        ({"annotations": [NOTE | {"path": ""}]}, 422),
        ({"annotations": [NOTE | {"title": "t" * 256}]}, 422),
        ({"annotations": [NOTE | {"message": "m" * 65_537}]}, 422),
        ({"annotations": [NOTE] * 50}, 201),
    ],
)
def test_check_runs_hold_what_github_takes(
    server: GitHubServer, output: dict[str, object], status: int
) -> None:
    answer = ask(server, "POST", "/check-runs", CREATE | {"output": OUTPUT | output})
    assert answer.status_code == status


def test_a_completed_check_run_needs_a_conclusion(server: GitHubServer) -> None:
    body = CREATE | {"status": "completed"}
    assert ask(server, "POST", "/check-runs", body).status_code == 422


def test_annotations_add_up(server: GitHubServer) -> None:
    body = CREATE | {"output": OUTPUT | {"annotations": [NOTE]}}
    made = ask(server, "POST", "/check-runs", body).json()
    change = {"output": OUTPUT | {"annotations": [NOTE] * 2}}
    changed = ask(server, "PATCH", f"/check-runs/{made['id']}", change).json()
    assert changed["output"]["annotations_count"] == 3


def test_pages_are_linked_to_the_last(server: GitHubServer) -> None:
    for number in range(5):
        server.state.comment(7, f"remark {number}")
    seen: list[int] = []
    path = "/issues/7/comments?per_page=2&page=1"
    for _ in range(3):
        answer = ask(server, "GET", path)
        seen += [one["id"] for one in answer.json()]
        path = answer.links.get("next", {}).get("url", "").partition("/acme/agent")[2]
    assert len(set(seen)) == 5
    assert path == ""


def test_an_expired_artifact_is_gone_and_another_redirects(server: GitHubServer) -> None:
    run = server.state.run(head=HEAD)
    old = server.state.artifact(run, "report", b"x", expired=True)
    new = server.state.artifact(run, "report", b"x")
    assert ask(server, "GET", f"/actions/artifacts/{old}/zip").status_code == 410
    answer = ask(server, "GET", f"/actions/artifacts/{new}/zip")
    assert answer.status_code == 302
    place = answer.headers["location"]
    assert httpx.get(place).content == b"x"
    assert httpx.get(place, headers={"Authorization": "Bearer ghs_actions"}).status_code == 403


def test_a_token_can_do_what_it_may(server: GitHubServer) -> None:
    token = server.state.token("ghs_reader", permissions={"pull-requests": "read"})
    assert ask(server, "GET", "/issues/7/comments", token=token).status_code == 200
    refused = ask(server, "POST", "/issues/7/comments", {"body": "x"}, token=token)
    assert refused.status_code == 403
    assert refused.json()["message"] == "Resource not accessible by integration"
    assert ask(server, "GET", "/contents/a?ref=b", token=token).status_code == 403
    assert ask(server, "GET", "/pulls/7", token="ghs_no").status_code == 401  # noqa: S106 -- none


def test_the_smallest_example_of_each_schema_is_valid() -> None:
    for name in ("issue-comment", "check-run", "pull-request", "workflow-run", "artifact"):
        schema = {"$ref": f"#/components/schemas/{name}"}
        made = description.example(name)
        assert list(description.schema_faults(schema, json.loads(json.dumps(made)), name)) == []


def test_a_webhook_that_lacks_what_github_sends_is_told() -> None:
    faults = description.webhook_faults("push", {"ref": "refs/heads/main"})
    assert any('"repository" is a required property' in fault for fault in faults)
