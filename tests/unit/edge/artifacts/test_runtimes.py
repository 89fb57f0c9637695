"""What the runner hands over, read with care."""

import base64
import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.edge.artifacts import ArtifactTrouble, TroubleKind, artifact_url, runtimes
from mergebar.edge.artifacts.runtimes import Runtime
from mergebar.model.problems import Level
from support.artifact_service import token

ENVIRON: Mapping[str, str] = {
    "ACTIONS_RUNTIME_TOKEN": token("Actions.Results:run:job"),
    "ACTIONS_RESULTS_URL": "https://results.example/some/path",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "octo/evals",
    "GITHUB_RUN_ID": "42",
    "GITHUB_RETENTION_DAYS": "30",
}


def trouble(**changes: str) -> ArtifactTrouble:
    result = runtimes.read({**ENVIRON, **changes})
    assert isinstance(result, ArtifactTrouble), result
    return result


def runtime(**changes: str) -> Runtime:
    result = runtimes.read({**ENVIRON, **changes})
    assert isinstance(result, Runtime), result
    return result


def test_ids_come_from_the_token_and_of_the_address_only_the_origin_is_kept() -> None:
    found = runtime()

    assert (found.run_backend_id, found.job_backend_id) == ("run", "job")
    assert found.origin == "https://results.example"
    assert found.longest_days == 30


def test_the_token_is_not_shown() -> None:
    assert ENVIRON["ACTIONS_RUNTIME_TOKEN"] not in repr(runtime())


def test_other_scopes_and_other_claims_do_not_matter() -> None:
    scopes = "Actions.GenericRead:1 Actions.Results:r:j Actions.UploadArtifacts:1/2:3"

    found = runtime(ACTIONS_RUNTIME_TOKEN=token(scopes, ac="[]", orchid="x"))

    assert (found.run_backend_id, found.job_backend_id) == ("r", "j")


@pytest.mark.parametrize(
    "scopes",
    [
        "",
        "Actions.GenericRead:1",
        "Actions.Results",
        "Actions.Results:r",
        "Actions.Results:r:",
        "Actions.Results::j",
        "Actions.Results:r:j:more",
        "Actions.ResultsX:r:j",
    ],
)
def test_a_token_without_the_scope_is_named_as_that(scopes: str) -> None:
    found = trouble(ACTIONS_RUNTIME_TOKEN=token(scopes))

    assert found.kind is TroubleKind.CREDENTIALS
    assert "has no scope `Actions.Results` with a run and a job" in found.message
    assert found.level is Level.WARNING


def encoded(payload: bytes) -> str:
    return base64.urlsafe_b64encode(payload).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "malformed",
    [
        "x",
        "x.y",
        "...",
        "e30.!!!!.",
        "e30.é.",
        f"e30.{encoded(b'no json')}.",
        f"e30.{encoded(b'[]')}.",
        f"e30.{encoded(b'[' * 50_000)}.",
        f"e30.{encoded(bytes([0xFF, 0xFE]))}.",
        f"e30.{encoded(json.dumps({'scp': 'Actions.Results:a:b'}).encode())}",
    ],
)
def test_a_token_that_is_none_is_trouble_without_its_text(malformed: str) -> None:
    found = trouble(ACTIONS_RUNTIME_TOKEN=malformed)

    assert found.kind is TroubleKind.CREDENTIALS
    assert found.message == (
        "the report was not uploaded as an artifact: `ACTIONS_RUNTIME_TOKEN` is not a token that "
        "mergebar can read"
    )


@given(st.text(min_size=1))
def test_no_text_in_place_of_a_token_crashes(text: str) -> None:
    assert trouble(ACTIONS_RUNTIME_TOKEN=text).kind is TroubleKind.CREDENTIALS
    assert trouble(ACTIONS_RUNTIME_TOKEN=f"a.{text}.c").kind is TroubleKind.CREDENTIALS


def test_a_claim_of_another_type_is_a_missing_scope() -> None:
    payload = encoded(json.dumps({"scp": ["Actions.Results:a:b"]}).encode())

    assert "has no scope" in trouble(ACTIONS_RUNTIME_TOKEN=f"e30.{payload}.").message


@pytest.mark.parametrize("name", ["ACTIONS_RUNTIME_TOKEN", "ACTIONS_RESULTS_URL"])
def test_a_step_that_is_no_action_gets_a_notice_that_says_what_to_do(name: str) -> None:
    found = trouble(**{name: ""})

    assert found.kind is TroubleKind.ABSENT
    assert found.level is Level.NOTICE
    assert f"`{name}` is not set" in found.message
    assert "`actions/upload-artifact`" in found.message


@pytest.mark.parametrize(
    "server",
    [
        "https://git.corp.example",
        "https://github.com.evil.example",
        "https://notgithub.com",
        "https://ghe.com",
        "https://localhost:3000",
        "nonsense",
        "https://[",
    ],
)
def test_a_server_without_the_service_is_a_notice_and_nothing_is_sent(server: str) -> None:
    found = trouble(GITHUB_SERVER_URL=server)

    assert found.kind is TroubleKind.UNSUPPORTED
    assert found.level is Level.NOTICE
    assert "report-path" in found.message


@pytest.mark.parametrize(
    "server",
    [
        "https://github.com",
        "https://octo.ghe.com",
        "http://act.localhost:3000",
        "https://GitHub.com",
    ],
)
def test_servers_that_have_the_service_are_known_by_name(server: str) -> None:
    assert runtime(GITHUB_SERVER_URL=server).origin == "https://results.example"


@pytest.mark.parametrize(
    "url",
    ["results.example", "ftp://x", "https://", "https://x:99999", "https://u:p@x", "https://a b"],
)
def test_an_address_that_can_not_be_called_is_trouble(url: str) -> None:
    found = trouble(ACTIONS_RESULTS_URL=url)

    assert found.kind is TroubleKind.CREDENTIALS
    assert "`ACTIONS_RESULTS_URL`" in found.message


@given(st.text())
def test_no_text_in_place_of_an_address_crashes(text: str) -> None:
    for url in (text, f"https://{text}"):
        found = runtimes.origin(url)
        assert found is None or found.startswith(("http://", "https://"))


def test_an_origin_has_no_user_path_or_query() -> None:
    assert runtimes.origin("https://h:8443/p?q#f") == "https://h:8443"
    assert runtimes.origin("http://[::1]:80/p") == "http://[::1]:80"
    assert runtimes.origin("https://user@h") is None


@pytest.mark.parametrize("days", ["", "0", "x", "-1", "1e3", "٣"])
def test_a_retention_that_is_no_number_limits_nothing(days: str) -> None:
    assert runtime(GITHUB_RETENTION_DAYS=days).longest_days is None


def test_the_page_of_an_artifact_is_below_its_run() -> None:
    assert artifact_url(ENVIRON, 7) == "https://github.com/octo/evals/actions/runs/42/artifacts/7"
    assert artifact_url({**ENVIRON, "GITHUB_SERVER_URL": "https://o.ghe.com/"}, 7) == (
        "https://o.ghe.com/octo/evals/actions/runs/42/artifacts/7"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"GITHUB_REPOSITORY": ""},
        {"GITHUB_REPOSITORY": "a/b/../c"},
        {"GITHUB_REPOSITORY": "a/b)](x"},
        {"GITHUB_RUN_ID": "x"},
        {"GITHUB_SERVER_URL": "nonsense"},
    ],
)
def test_there_is_no_page_where_the_run_is_not_known(changes: Mapping[str, str]) -> None:
    assert artifact_url({**ENVIRON, **changes}, 7) is None
