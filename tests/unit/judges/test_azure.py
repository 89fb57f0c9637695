"""The `azure` judge on loopback: addresses, keys, and every way to sign in without one."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from mergebar import config as configuration
from mergebar import plugins
from mergebar.config import interpolation
from mergebar.judges import azure
from mergebar.model.configuration import JudgeConfig
from mergebar.model.contexts import JudgeContext
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.judgements import JudgeIdentity, Verdict
from mergebar.model.text import Json
from support import entra, judge_server
from support.clocks import Clock
from support.entra import Entra
from support.judge_server import JudgeServer
from support.servers import Reply, Request, Server


@dataclass(kw_only=True)
class Session:
    """What came of some votes, one after the other."""

    results: list[Verdict | Failure] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    @property
    def failure(self) -> Failure:
        (first, *_) = self.results
        assert isinstance(first, Failure), first
        return first


def judge(
    entry: JudgeConfig,
    environ: Mapping[str, str] | None = None,
    *,
    votes: int = 1,
    clock: Clock | None = None,
    at_once: bool = False,
) -> Session:
    session = Session()
    timing = (clock or Clock()).timing
    context = JudgeContext(
        root=Path(), environ=environ or {}, timing=timing, tell=session.told.append
    )

    async def ask() -> None:
        made = azure.create(entry, context)
        try:
            asked = [judge_server.assessment(vote=vote) for vote in range(votes)]
            if at_once:
                session.results += await asyncio.gather(*map(made.assess, asked))
            else:
                session.results += [await made.assess(one) for one in asked]
        finally:
            await made.aclose()

    asyncio.run(ask())
    return session


def sent(server: JudgeServer) -> Request:
    (request,) = server.requests
    return request


@pytest.mark.parametrize(
    ("suffix", "version", "path"),
    [
        ("", None, "/openai/v1/chat/completions"),
        ("/", None, "/openai/v1/chat/completions"),
        ("/openai", None, "/openai/v1/chat/completions"),
        ("/openai/v1/", None, "/openai/v1/chat/completions"),
        ("/api/projects/support", None, "/openai/v1/chat/completions"),
        ("", "v1", "/openai/v1/chat/completions"),
        ("", "preview", "/openai/v1/chat/completions?api-version=preview"),
        (
            "",
            "2024-10-21",
            "/openai/deployments/judge-1/chat/completions?api-version=2024-10-21",
        ),
        (
            "/openai/deployments/other/chat/completions?api-version=2023-05-15",
            "2024-10-21",
            "/openai/deployments/judge-1/chat/completions?api-version=2024-10-21",
        ),
        ("/gateway", None, "/gateway/openai/v1/chat/completions"),
    ],
)
def test_the_endpoint_may_be_copied_from_anywhere(
    suffix: str, version: str | None, path: str
) -> None:
    with JudgeServer() as server:
        session = judge(judge_server.azure(f"{server.url}{suffix}", api_version=version))

    assert isinstance(session.results[0], Verdict)
    assert sent(server).path == path
    assert sent(server).json["model"] == "judge-1"


def test_a_key_has_azures_own_header() -> None:
    with JudgeServer() as server:
        judge(judge_server.azure(server.url))

    assert sent(server).headers["api-key"] == "test-key"
    assert "authorization" not in sent(server).headers


def test_the_version_that_users_of_runevals_set_is_used() -> None:
    with JudgeServer() as server:
        judge(judge_server.azure(server.url), {"AZURE_AI_API_VERSION": "2024-12-01-preview"})

    assert sent(server).path.endswith("/judge-1/chat/completions?api-version=2024-12-01-preview")


RUNEVALS = {
    "AZURE_AI_OPENAI_ENDPOINT": "https://ours.openai.azure.com/",
    "AZURE_AI_API_KEY": "a-key-of-azure-1",
    "AZURE_AI_MODEL_NAME": "gpt-4o-mini",
}


def _resolved(text: str, environ: Mapping[str, str]) -> Json:
    parsed = configuration.parse(text.encode(), path="mergebar.yml", explain=plugins.explain)
    assert parsed.config is not None, parsed.problems
    entry = parsed.config.judge
    assert entry is not None
    found = interpolation.resolve(
        {"model": entry.model, **entry.options}, environ, pointer=("judge",)
    )
    if isinstance(found, interpolation.Missing):
        return list(found.names)
    return found.value


def test_an_entry_that_says_nothing_has_the_variables_that_users_of_runevals_have() -> None:
    found = _resolved("version: 1\njudge: {type: azure}\n", RUNEVALS)

    assert isinstance(found, dict)
    assert found["endpoint"] == "https://ours.openai.azure.com/"
    assert found["api_key"] == "a-key-of-azure-1"
    assert found["deployment"] == found["model"] == "gpt-4o-mini"


def test_a_variable_that_is_needed_and_not_set_is_missing_and_no_other() -> None:
    entry = "version: 1\njudge: {type: azure, deployment: d, auth: entra}\n"

    assert _resolved("version: 1\njudge: {type: azure}\n", {}) == sorted(RUNEVALS)
    assert _resolved(entry, {}) == ["AZURE_AI_OPENAI_ENDPOINT"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"endpoint": "ours.openai.azure.com"}, "`judge.endpoint` must be the URL"),
        ({"deployment": ""}, "`judge.deployment` is not set"),
        ({"api_key": ""}, "`judge.api_key` is not set: give the key, or `auth: entra`"),
        ({"api_key": "sk-\u201cx"}, "`judge.api_key` holds characters"),
    ],
)
def test_what_is_wrong_with_the_entry_is_said_without_a_call(
    options: dict[str, Json], said: str
) -> None:
    entry = judge_server.azure("http://127.0.0.1:1")
    failure = judge(replace(entry, options={**entry.options, **options})).failure

    assert failure.error_class is ErrorClass.CONFIG
    assert said in failure.message


def test_the_result_names_the_model_or_else_the_deployment() -> None:
    def identity(model: str | None) -> JudgeIdentity:
        async def named() -> JudgeIdentity:
            context = JudgeContext(root=Path(), environ={}, timing=Clock().timing)
            made = azure.create(judge_server.azure("http://127.0.0.1:1", model=model), context)
            await made.aclose()
            return made.identity

        return asyncio.run(named())

    assert identity("gpt-5-mini").model == "gpt-5-mini"
    assert identity(None).model == "judge-1"
    assert identity("gpt-5-mini").parameters["max_completion_tokens"] == 4000


# --- without a key

SECRET = "s3cret-of-the-application"  # noqa: S105 - of nobody


@pytest.fixture
def azure_ad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Entra]:
    with entra.running(tmp_path) as services:
        # What a company does whose proxy has an authority of its own.
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(services.certificate))
        yield services


def signed_in(
    services: Entra,
    environ: Mapping[str, str],
    *,
    votes: int = 1,
    clock: Clock | None = None,
    at_once: bool = False,
) -> tuple[Session, list[Request]]:
    with JudgeServer() as server:
        session = judge(
            judge_server.azure(server.url, auth="entra", api_key=None),
            {**services.application, **environ},
            votes=votes,
            clock=clock,
            at_once=at_once,
        )
    return session, server.requests


def now() -> Clock:
    """Tokens end by the real time of the library that gives them."""
    return Clock(at=time.time() - 1_700_000_000.0)


def test_a_job_on_github_signs_in_with_its_own_token(azure_ad: Entra) -> None:
    session, requests = signed_in(azure_ad, azure_ad.github, votes=3, clock=now())

    assert [isinstance(one, Verdict) for one in session.results] == [True] * 3
    (form,) = azure_ad.forms
    assert form["client_assertion"] == entra.ASSERTION
    assert form["client_id"] == entra.CLIENT
    assert form["grant_type"] == "client_credentials"
    assert form["scope"] == "https://cognitiveservices.azure.com/.default"
    assert [one.path for one in azure_ad.asked_of_github] == [
        "/idtoken?api-version=2.0&audience=api%3A%2F%2FAzureADTokenExchange"
    ]
    assert {one.headers["authorization"] for one in requests} == {"Bearer at-1"}
    assert all("api-key" not in one.headers for one in requests)
    assert session.told == ["the judge signs in to Azure by GitHub's OIDC token"]


def test_calls_at_the_same_time_share_one_exchange(azure_ad: Entra) -> None:
    session, _ = signed_in(azure_ad, azure_ad.github, votes=8, clock=now(), at_once=True)

    assert [isinstance(one, Verdict) for one in session.results] == [True] * 8
    assert len(azure_ad.forms) == 1


@pytest.mark.parametrize(("left_s", "tokens"), [(200, ["at-1", "at-2"]), (400, ["at-1", "at-1"])])
def test_a_token_that_ends_soon_is_exchanged_for_a_new_one_of_githubs(
    azure_ad: Entra, left_s: int, tokens: list[str]
) -> None:
    azure_ad.lasts_s = 0  # so that the library has a new one to give whenever it is asked
    behind = Clock(at=now().at - left_s)

    session, requests = signed_in(azure_ad, azure_ad.github, votes=2, clock=behind)

    assert [isinstance(one, Verdict) for one in session.results] == [True] * 2
    assert len(azure_ad.asked_of_github) == len(set(tokens))
    assert [one.headers["authorization"] for one in requests] == [f"Bearer {one}" for one in tokens]


def test_a_client_secret_comes_after_it(azure_ad: Entra) -> None:
    secret = {"AZURE_CLIENT_SECRET": SECRET}

    session, _ = signed_in(azure_ad, secret)
    azure_ad.refuses = frozenset({"assertion"})
    both, _ = signed_in(azure_ad, {**azure_ad.github, **secret})

    assert isinstance(session.results[0], Verdict)
    assert azure_ad.forms[0]["client_secret"] == SECRET
    assert session.told == [
        "the judge signs in to Azure by the client secret in `AZURE_CLIENT_SECRET`"
    ]
    assert isinstance(both.results[0], Verdict)
    assert both.told == session.told


def test_a_workload_identity_reads_its_file(azure_ad: Entra, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(entra.ASSERTION)

    session, _ = signed_in(azure_ad, {"AZURE_FEDERATED_TOKEN_FILE": str(tmp_path / "token")})

    assert isinstance(session.results[0], Verdict)
    assert azure_ad.forms[0]["client_assertion"] == entra.ASSERTION
    assert session.told == [
        "the judge signs in to Azure by the workload identity in `AZURE_FEDERATED_TOKEN_FILE`"
    ]


def test_a_machine_may_have_an_identity_of_its_own(
    azure_ad: Entra, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = b'{"access_token": "mi-1", "expires_on": "4102444800", "token_type": "Bearer", "resource": "x"}'
    with Server([Reply(body=body)]) as platform, JudgeServer() as server:
        # The library reads what the platform sets by itself.
        monkeypatch.setenv("IDENTITY_ENDPOINT", f"{platform.url}/msi/token")
        monkeypatch.setenv("IDENTITY_HEADER", "secret-of-the-platform")
        session = judge(judge_server.azure(server.url, auth="entra", api_key=None), {})

    assert isinstance(session.results[0], Verdict), session.results
    assert sent(server).headers["authorization"] == "Bearer mi-1"
    assert azure_ad.forms == []
    assert session.told == ["the judge signs in to Azure by the managed identity of this machine"]


def test_a_refused_identity_is_said_once_without_its_secret_and_stops_the_calls(
    azure_ad: Entra,
) -> None:
    azure_ad.refuses = frozenset({"assertion", "secret"})
    environ = {**azure_ad.github, "AZURE_CLIENT_SECRET": SECRET}

    session, requests = signed_in(azure_ad, environ, votes=4)

    assert requests == []
    assert len(set(session.results)) == 1
    assert session.failure.error_class is ErrorClass.AUTH
    assert "GitHub's OIDC token: " in session.failure.message
    assert "`AZURE_CLIENT_SECRET`: " in session.failure.message
    assert "AADSTS7000215" in session.failure.message
    assert SECRET not in session.failure.message
    assert len(azure_ad.forms) == 2


def test_a_job_without_the_permission_is_told_so(azure_ad: Entra) -> None:
    environ = {**azure_ad.github, "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "another-token-1"}

    session, _ = signed_in(azure_ad, environ)

    assert session.failure.error_class is ErrorClass.AUTH
    assert "401" in session.failure.message
    assert "another-token-1" not in session.failure.message


TENANT, CLIENT = {"AZURE_TENANT_ID": entra.TENANT}, {"AZURE_CLIENT_ID": entra.CLIENT}
ON_GITHUB = {"GITHUB_ACTIONS": "true"}


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        (
            {**TENANT, **CLIENT, **ON_GITHUB},
            (
                "`AZURE_TENANT_ID` and `AZURE_CLIENT_ID` are set, and nothing to sign in with: give "
                "the job the permission `id-token: write`, or set `AZURE_CLIENT_SECRET`"
            ),
        ),
        (
            {**TENANT, **CLIENT},
            (
                "`AZURE_TENANT_ID` and `AZURE_CLIENT_ID` are set, and nothing to sign in with: set "
                "`AZURE_CLIENT_SECRET`"
            ),
        ),
        ({**TENANT}, "`AZURE_TENANT_ID` is set, and `AZURE_CLIENT_ID` is not: set what is missing"),
        (
            {**CLIENT, "AZURE_CLIENT_SECRET": SECRET},
            "`AZURE_CLIENT_ID` and `AZURE_CLIENT_SECRET` are set, and `AZURE_TENANT_ID` is not",
        ),
        (
            {"AZURE_FEDERATED_TOKEN_FILE": "/run/token"},
            "`AZURE_FEDERATED_TOKEN_FILE` is set, and `AZURE_TENANT_ID` and `AZURE_CLIENT_ID` are not",
        ),
    ],
)
def test_what_was_forgotten_is_named_first_and_nothing_is_printed(
    environ: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The library asks a platform of its own accord; this one refuses.
    refuses = Reply(status=400, body=b'{"error": "no identity"}')
    with Server([refuses]) as platform, JudgeServer() as server:
        monkeypatch.setenv("IDENTITY_ENDPOINT", f"{platform.url}/msi/token")
        monkeypatch.setenv("IDENTITY_HEADER", "secret-of-the-platform")
        session = judge(judge_server.azure(server.url, auth="entra", api_key=None), environ)

    assert server.requests == []
    assert session.failure.error_class is ErrorClass.AUTH
    assert session.failure.message.startswith(
        f"no token of Entra for the judge (`judge.auth: entra`): {said}"
    )
    assert "the managed identity of this machine: " in session.failure.message


LOUD = """
import logging
from mergebar.judges import entra
assert entra
for name in ("azure.identity", "azure.core.pipeline", "msal.token_cache", "urllib3.connectionpool"):
    logging.getLogger(name).warning("raw")
"""


def test_no_library_of_azures_prints_by_itself() -> None:
    done = subprocess.run([sys.executable, "-I", "-c", LOUD], capture_output=True, check=True)

    assert (done.stdout, done.stderr) == (b"", b"")


def test_githubs_token_is_asked_for_through_a_proxy_that_is_spoken_to(azure_ad: Entra) -> None:
    far = "http://u:secret@proxy.invalid:1"
    for proxy, said in (
        ("socks5://u:secret@127.0.0.1:1", "`HTTP_PROXY` names a proxy that isn't spoken to"),
        (far, "GitHub's OIDC token: "),
    ):
        url = "http://far.example/idtoken"
        environ = {**azure_ad.github, "ACTIONS_ID_TOKEN_REQUEST_URL": url, "HTTP_PROXY": proxy}

        session, requests = signed_in(azure_ad, environ)

        assert requests == []
        assert session.failure.error_class is ErrorClass.AUTH
        assert said in session.failure.message
        assert "secret" not in session.failure.message


def test_azure_identity_is_loaded_for_entra_alone() -> None:
    code = (
        "import sys, mergebar.judges.azure; "
        "print([name for name in sys.modules if name.startswith('azure')])"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )

    assert done.stdout == "[]\n"
