"""Fetching an archive from a signed address: bounded, checked, and without our token."""

import asyncio
import hashlib
import io
import json
from collections.abc import Mapping

import httpx
import pytest

from mergebar.edge.artifacts import Archive, ArtifactTrouble, Limits, TroubleKind, fetch, file_in
from support.clocks import Clock
from support.servers import Reply, Server

TRUST = httpx.create_ssl_context()  # slow to make, and never used on loopback
CONTENT = b"x" * 5000
DIGEST = "sha256:" + hashlib.sha256(CONTENT).hexdigest()
FINE = Reply(body=CONTENT, content_type="application/zip")


def fetched(
    url: str,
    *,
    digest: str | None = None,
    secure: bool = False,
    limits: Limits | None = None,
    clock: Clock | None = None,
    headers: Mapping[str, str] | None = None,
) -> bytes | ArtifactTrouble:
    into = io.BytesIO()

    async def once() -> Archive | ArtifactTrouble:
        async with httpx.AsyncClient(headers=headers, verify=TRUST) as client:
            return await fetch(
                url,
                into,
                client=client,
                timing=(clock or Clock()).timing,
                digest=digest,
                secure=secure,
                limits=limits or Limits(),
            )

    result = asyncio.run(once())
    return into.getvalue() if isinstance(result, Archive) else result


def trouble(*replies: Reply, **kwargs: object) -> ArtifactTrouble:
    with Server(replies) as server:
        result = fetched(f"{server.url}/blob?sig=s3cr3t", **kwargs)  # type: ignore[arg-type]
    assert isinstance(result, ArtifactTrouble), result
    assert "s3cr3t" not in result.message
    assert result.message.startswith("the artifact was not read: ")
    return result


@pytest.mark.parametrize("digest", [None, DIGEST, DIGEST.upper()])
def test_an_archive_is_fetched_without_showing_a_token(digest: str | None) -> None:
    with Server([FINE]) as server:
        result = fetched(
            f"{server.url}/blob?sig=a%2Fb+c", digest=digest, headers={"authorization": "Bearer t"}
        )

    assert result == CONTENT
    (request,) = server.requests
    assert request.path == "/blob?sig=a%2Fb+c"
    assert "authorization" not in request.headers


@pytest.mark.parametrize(
    "reply",
    [Reply(status=503), Reply(status=429), Reply(drop=True), Reply(body=CONTENT * 4, cut=True)],
)
def test_a_try_that_broke_off_leaves_nothing_in_the_next(reply: Reply) -> None:
    clock = Clock()
    with Server([reply, FINE]) as server:
        assert fetched(f"{server.url}/blob", digest=DIGEST, clock=clock) == CONTENT

    assert clock.slept == [0.25]


def test_content_of_another_digest_is_refused() -> None:
    assert trouble(FINE, digest="sha256:" + "0" * 64).message.endswith("the digests differ")


@pytest.mark.parametrize("status", [404, 410])
def test_an_artifact_that_expired_is_gone(status: int) -> None:
    assert trouble(Reply(status=status)).kind is TroubleKind.GONE


def test_a_refusal_and_a_redirect_end_it() -> None:
    assert trouble(Reply(status=403)).kind is TroubleKind.REFUSED
    redirect = Reply(status=302, headers={"location": "http://127.0.0.1:1/?sig=s3cr3t"})
    assert trouble(redirect).kind is TroubleKind.BAD_RESPONSE


def test_a_storage_that_stays_down_is_given_up() -> None:
    assert trouble(Reply(status=500)).kind is TroubleKind.UNAVAILABLE


def test_more_than_the_limit_is_not_taken() -> None:
    result = trouble(FINE, limits=Limits(archive_bytes=4999))

    assert result.kind is TroubleKind.BAD_RESPONSE
    assert result.message.endswith("answers with more than 4999 bytes")
    with Server([FINE]) as server:
        assert fetched(f"{server.url}/blob", limits=Limits(archive_bytes=5000)) == CONTENT


def test_a_storage_that_stalls_is_left() -> None:
    slow = Reply(body=CONTENT, delay_s=5.0)

    assert trouble(slow, limits=Limits(stall_s=0.05, attempts=1)).kind is TroubleKind.TIMEOUT


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "http://a b/", "http://127.0.0.1:1/x"])
def test_an_address_that_is_not_secure_is_not_called(url: str) -> None:
    result = fetched(url, secure=True)

    assert isinstance(result, ArtifactTrouble)
    assert result.kind is TroubleKind.BAD_RESPONSE


def test_an_artifact_without_an_archive_is_read_as_it_is() -> None:
    report = json.dumps({"schema": "mergebar.report/1"}).encode()
    into = io.BytesIO()

    async def once(url: str) -> Archive | ArtifactTrouble:
        async with httpx.AsyncClient(verify=TRUST) as client:
            return await fetch(url, into, client=client, timing=Clock().timing, secure=False)

    with Server([Reply(body=report)]) as server:
        archive = asyncio.run(once(f"{server.url}/blob"))

    assert isinstance(archive, Archive)
    assert file_in(archive, "report.json", limit=1000) == report
