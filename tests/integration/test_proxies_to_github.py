"""GitHub and the artifact service through a proxy of the environment: used, named, never a crash."""

import asyncio
import io

import httpx
import pytest

from mergebar.calling.proxied import Transport
from mergebar.edge.artifacts import Archive, ArtifactTrouble, Limits, TroubleKind, fetch, upload
from mergebar.edge.github.repository import Access, GitHub, connect
from mergebar.model.publishing import GitHubTrouble
from support.artifact_service import ArtifactService
from support.clocks import Clock
from support.servers import Reply, Server

FAR = "http://far.example/blob?sig=s3cr3t"
SOCKS = "socks5://u:secret@127.0.0.1:1"
NOWHERE = "http://u:secret@127.0.0.1:1"
UNUSABLE = [
    (SOCKS, "can't be reached: `ALL_PROXY` names a proxy that isn't spoken to", 0),
    ("nonsense://", "can't be reached: `ALL_PROXY` names a proxy that isn't spoken to", 0),
    (NOWHERE, "can't be reached: the proxy in `ALL_PROXY` can't be reached", 2),
]


def fetched(url: str, proxy: str, clock: Clock) -> Archive | ArtifactTrouble:
    async def once() -> Archive | ArtifactTrouble:
        transport = Transport({"ALL_PROXY": proxy})
        async with httpx.AsyncClient(transport=transport) as client:
            return await fetch(
                url,
                io.BytesIO(),
                client=client,
                timing=clock.timing,
                digest=None,
                secure=False,
                limits=Limits(attempts=3),
            )

    return asyncio.run(once())


def test_an_artifact_is_fetched_through_the_proxy() -> None:
    with Server([Reply(body=b"zip")]) as proxy:
        result = fetched(FAR, proxy.url, Clock())

    assert isinstance(result, Archive)
    assert len(proxy.requests) == 1


@pytest.mark.parametrize(("proxy", "said", "waits"), UNUSABLE)
def test_an_unusable_proxy_is_named_without_its_password(proxy: str, said: str, waits: int) -> None:
    clock = Clock()

    result = fetched(FAR, proxy, clock)

    assert isinstance(result, ArtifactTrouble)
    assert result.kind is TroubleKind.UNAVAILABLE
    assert said in result.message
    assert "secret" not in result.message
    assert "s3cr3t" not in result.message
    assert len(clock.slept) == waits


@pytest.mark.parametrize("proxy", [proxy for proxy, _, _ in UNUSABLE])
def test_a_service_on_this_machine_is_called_directly(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy)  # the client itself would read it there

    async def send(service: ArtifactService) -> object:
        transport = Transport({"ALL_PROXY": proxy})
        async with httpx.AsyncClient(transport=transport) as client:
            return await upload(
                {"report.json": b"{}"},
                name="report",
                environ=service.environ,
                client=client,
                timing=Clock().timing,
            )

    with ArtifactService() as service:
        result = asyncio.run(send(service))

        assert not isinstance(result, ArtifactTrouble), result
        assert list(service.artifacts) == ["report"]


@pytest.mark.parametrize("proxy", [SOCKS, "nonsense://"])
def test_a_proxy_that_is_not_spoken_to_is_told_before_github_is_asked(proxy: str) -> None:
    access = Access(token="t", repository="acme/agent", environ={"HTTPS_PROXY": proxy})  # noqa: S106 -- no real one

    result = connect(access)

    assert isinstance(result, GitHubTrouble)
    assert "`HTTPS_PROXY` names a proxy that isn't spoken to" in result.message
    assert "secret" not in result.message


@pytest.mark.parametrize("exempt", ["api.github.com", "*"])
def test_a_proxy_that_is_passed_by_is_no_trouble(exempt: str) -> None:
    environ = {"ALL_PROXY": SOCKS, "NO_PROXY": exempt}
    access = Access(token="t", repository="acme/agent", environ=environ)  # noqa: S106 -- no real one

    github = connect(access)

    assert isinstance(github, GitHub)
    github.close()
