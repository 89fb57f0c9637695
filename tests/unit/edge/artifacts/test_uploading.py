"""Uploading to a service on loopback that holds us to its rules, or breaks them."""

import asyncio
import io
import json
import logging
import os
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from mergebar.edge import artifacts
from mergebar.edge.artifacts import ArtifactTrouble, Limits, TroubleKind, Uploaded
from mergebar.edge.artifacts.blocks import Storage
from mergebar.edge.artifacts.exchanges import Address
from mergebar.edge.artifacts.packing import seal
from mergebar.model.problems import Level
from support.artifact_service import ACT, GITHUB, ArtifactService, storage, token
from support.clocks import Clock
from support.servers import Reply, Request, Server

TRUST = httpx.create_ssl_context()  # slow to make, and never used on loopback
NAME = "mergebar-report-mergebar"
FILES: Mapping[str, bytes | Path] = {"report.json": b'{"schema": "mergebar.report/1"}'}
MIB = 1024 * 1024
BUSY = Reply(status=503, body=b'{"code": "unavailable", "msg": "try later"}')
PAGE = Reply(status=200, body=b"<html>busy</html>", content_type="text/html")


def upload(
    environ: Mapping[str, str],
    files: Mapping[str, bytes | Path] = FILES,
    *,
    name: str = NAME,
    retention_days: int | None = None,
    clock: Clock | None = None,
    limits: Limits | None = None,
    client: httpx.AsyncClient | None = None,
) -> Uploaded | ArtifactTrouble:
    async def once() -> Uploaded | ArtifactTrouble:
        async with client or httpx.AsyncClient(verify=TRUST) as used:
            return await artifacts.upload(
                files,
                name=name,
                environ=environ,
                client=used,
                timing=(clock or Clock()).timing,
                retention_days=retention_days,
                limits=limits or Limits(),
            )

    return asyncio.run(once())


def uploaded(service: ArtifactService, **kwargs: object) -> Uploaded:
    result = upload(service.environ, **kwargs)  # type: ignore[arg-type]
    assert isinstance(result, Uploaded), result
    return result


def trouble(environ: Mapping[str, str], **kwargs: object) -> ArtifactTrouble:
    result = upload(environ, **kwargs)  # type: ignore[arg-type]
    assert isinstance(result, ArtifactTrouble), result
    return result


def test_a_report_is_created_put_and_finalized() -> None:
    with ArtifactService() as service:
        result = uploaded(service)
        data = service.content(NAME)

    assert service.steps == ["CreateArtifact", "block", "blocklist", "FinalizeArtifact"]
    assert result == Uploaded(
        id=9000,
        url="https://github.com/octo/evals/actions/runs/42/artifacts/9000",
        digest=service.artifacts[NAME].digest or "",
        size=len(data),
    )
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.read("report.json") == FILES["report.json"]


def test_what_is_sent_has_the_version_that_all_services_know_and_no_more() -> None:
    with ArtifactService() as service:
        uploaded(service)

    create, block, blocks, finalize = service.requests
    assert {*create.json} == {
        "workflow_run_backend_id",
        "workflow_job_run_backend_id",
        "name",
        "version",
    }
    assert create.json["version"] == 4
    assert re.fullmatch("[0-9]+", str(finalize.json["size"]))
    assert isinstance(finalize.json["size"], str)
    assert "authorization" not in block.headers
    assert "authorization" not in blocks.headers
    assert blocks.headers["x-ms-blob-content-type"] == "application/zip"


@pytest.mark.parametrize("dialect", [GITHUB, ACT])
def test_both_spellings_of_the_answers_are_read(dialect: str) -> None:
    with ArtifactService(dialect=dialect) as service:
        assert uploaded(service, retention_days=3).id == 9000


def test_the_stand_in_refuses_what_it_does_not_know() -> None:
    """Without this, the test before it would prove nothing."""
    with ArtifactService(dialect=ACT) as service:
        asked = httpx.post(
            service.url + "/twirp/github.actions.results.api.v1.ArtifactService/CreateArtifact",
            json={"name": "x", "version": 4, "mime_type": "application/zip"},
            headers={"authorization": f"Bearer {token()}"},
        )

    assert asked.status_code == 500


@pytest.mark.parametrize("size", [0, 1, 20_000_000])
def test_contents_of_every_size_arrive_whole(size: int, tmp_path: Path) -> None:
    source = tmp_path / "content.bin"
    source.write_bytes(os.urandom(size))

    with ArtifactService() as service:
        result = uploaded(service, files={"content.bin": source})

    with zipfile.ZipFile(io.BytesIO(service.content(NAME))) as archive:
        assert archive.read("content.bin") == source.read_bytes()
    assert service.steps.count("block") == -(-result.size // (8 * MIB))


@pytest.mark.parametrize(
    ("size", "count"), [(0, 1), (1, 1), (8 * MIB - 1, 1), (8 * MIB, 1), (8 * MIB + 1, 2)]
)
def test_an_archive_is_cut_at_eight_mebibytes(size: int, count: int) -> None:
    with Server([Reply(status=201)]) as server:
        put(server, os.urandom(size))

    *blocks, listed = server.requests
    assert [len(block.body) for block in blocks] == [size] if count == 1 else [8 * MIB, 1]
    assert len({len(identity) for identity in identities(blocks)}) == 1
    assert re.findall("<Latest>(.*?)</Latest>", listed.body.decode()) == identities(blocks)


def put(server: Server, data: bytes) -> None:
    async def once() -> None:
        address = Address.parse(f"{server.url}/blob?sig=x", secure=False)
        assert address is not None
        async with httpx.AsyncClient(verify=TRUST) as client:
            place = Storage(
                address, client=client, timing=Clock().timing, limits=Limits(concurrency=1)
            )
            assert await place.put(seal(io.BytesIO(data))) is None

    asyncio.run(once())


def identities(blocks: list[Request]) -> list[str]:
    return [httpx.URL(block.path).params["blockid"] for block in blocks]


def test_only_so_many_blocks_are_under_way_at_once() -> None:
    limits = Limits(block_bytes=1000, concurrency=3)
    with ArtifactService(latency_s=0.005) as service:
        uploaded(service, files={"a": os.urandom(20_000)}, limits=limits)

    assert service.steps.count("block") == 21
    assert 1 < service.most_at_once <= 3


# Names and retention


@pytest.mark.parametrize(
    ("asked", "allowed", "kept"), [(5, "90", 5), (365, "90", 90), (5, "", 5), (None, "90", None)]
)
def test_an_artifact_is_kept_as_asked_but_not_longer_than_the_repository_allows(
    asked: int | None, allowed: str, kept: int | None
) -> None:
    with ArtifactService() as service:
        environ = {**service.environ, "GITHUB_RETENTION_DAYS": allowed}
        result = upload(environ, retention_days=asked, clock=Clock(at=0.0))

    assert isinstance(result, Uploaded)
    assert result.days == kept
    expires = service.artifacts[NAME].created.get("expires_at")
    days = {5: "2023-11-19", 90: "2024-02-12"}
    assert expires == (f"{days[kept]}T22:13:20.000Z" if kept else None)


def test_a_forbidden_name_is_trouble_before_anything_is_sent() -> None:
    with ArtifactService() as service:
        result = trouble(service.environ, name="a/b")

    assert result.kind is TroubleKind.NAME
    assert "its name has the character /" in result.message
    assert service.requests == []


def test_files_that_can_not_be_packed_are_trouble_before_anything_is_sent() -> None:
    with ArtifactService() as service:
        result = trouble(service.environ, files={"../x": b""})

    assert result.kind is TroubleKind.CONTENT
    assert service.requests == []


def test_a_second_artifact_of_the_same_name_is_a_conflict_that_is_not_tried_again() -> None:
    with ArtifactService() as service:
        uploaded(service)
        result = trouble(service.environ)

    assert result.kind is TroubleKind.CONFLICT
    assert result.level is Level.WARNING
    assert "its own `check-name`" in result.message
    assert service.steps.count("CreateArtifact") == 2


# Retries


@pytest.mark.parametrize("step", ["CreateArtifact", "block", "blocklist", "FinalizeArtifact"])
@pytest.mark.parametrize(
    "reply",
    [
        BUSY,
        Reply(status=429),
        Reply(status=500),
        Reply(status=502, body=b"<html>"),
        Reply(drop=True),
    ],
    ids=["503", "429", "500", "html", "drop"],
)
def test_what_passes_is_tried_again(step: str, reply: Reply) -> None:
    clock = Clock()
    with ArtifactService() as service:
        service.fail(step, reply, reply)
        uploaded(service, clock=clock)

    assert service.steps.count(step) == 3
    assert clock.slept == [0.25, 0.5]


@pytest.mark.parametrize("reply", [PAGE, Reply(body=b""), Reply(body=b"[]"), Reply(body=b"\xff")])
def test_a_success_that_is_not_readable_is_tried_again(reply: Reply) -> None:
    with ArtifactService() as service:
        service.fail("CreateArtifact", reply)
        uploaded(service)

    assert service.steps.count("CreateArtifact") == 2


def test_a_success_whose_second_half_is_missing_is_tried_again() -> None:
    with ArtifactService() as service:
        service.fail("CreateArtifact", Reply(body=b'{"ok": true}', cut=True))
        uploaded(service)


def test_a_service_that_asks_to_wait_is_left_alone_for_so_long() -> None:
    clock = Clock(chance=0.0)
    with ArtifactService() as service:
        service.fail("CreateArtifact", Reply(status=429, headers={"retry-after": "7"}))
        uploaded(service, clock=clock)

    assert sum(clock.slept) == pytest.approx(7.0)


@pytest.mark.parametrize("step", ["CreateArtifact", "block", "blocklist", "FinalizeArtifact"])
def test_a_service_that_stays_down_is_given_up(step: str) -> None:
    clock = Clock()
    with ArtifactService() as service:
        service.fail(step, *[BUSY] * 20)
        result = trouble(service.environ, clock=clock)

    assert result.kind is TroubleKind.UNAVAILABLE
    assert result.level is Level.WARNING
    assert "answers HTTP 503 (tried 5 times)" in result.message
    assert service.steps.count(step) == 5
    assert sum(clock.slept) < 120


def test_a_service_that_nobody_runs_is_given_up() -> None:
    with Server([]) as server:
        nowhere = server.url
    environ = {
        "ACTIONS_RUNTIME_TOKEN": token(),
        "ACTIONS_RESULTS_URL": nowhere,
    }

    result = trouble(environ)

    assert result.kind is TroubleKind.UNAVAILABLE
    assert result.message == (
        "the report was not uploaded as an artifact: `CreateArtifact` of the artifact service "
        "can't be reached, or hangs up: ConnectError (tried 5 times)"
    )


def test_after_a_block_failed_no_further_one_is_sent() -> None:
    limits = Limits(block_bytes=1000, concurrency=2)
    with ArtifactService() as service:
        service.fail("block", Reply(status=403))
        result = trouble(service.environ, files={"a": os.urandom(50_000)}, limits=limits)

    assert result.kind is TroubleKind.REFUSED
    assert service.steps.count("block") <= 4
    assert "blocklist" not in service.steps


def test_an_end_whose_answer_is_lost_is_looked_up() -> None:
    with ArtifactService() as service:
        service.fail("FinalizeArtifact", Reply(drop=True), applied=True)
        result = uploaded(service)

    assert result.id == 9000
    assert service.steps[-3:] == ["FinalizeArtifact", "FinalizeArtifact", "ListArtifacts"]


def test_a_claim_whose_answer_is_lost_says_that_it_may_be_our_own() -> None:
    with ArtifactService() as service:
        service.fail("CreateArtifact", Reply(drop=True), applied=True)
        result = trouble(service.environ)

    assert result.kind is TroubleKind.CONFLICT
    assert "an earlier try, whose answer was lost, has taken the name" in result.message


def test_the_artifact_of_another_is_not_taken_for_ours() -> None:
    with ArtifactService() as service:
        uploaded(service, files={"other": b""})
        service.fail("CreateArtifact", Reply(status=200, body=created(f"{service.url}/x")))
        service.fail("unknown", *[Reply(status=201)] * 2)
        result = trouble(service.environ)

    assert service.steps[-1] == "ListArtifacts"
    assert result.kind is TroubleKind.CONFLICT


def created(url: str) -> bytes:
    return json.dumps({"ok": True, "signed_upload_url": url}).encode()


# Refusals


def test_a_used_up_quota_is_a_warning_and_is_not_tried_again() -> None:
    with ArtifactService() as service:
        service.quota_is_used_up = True
        result = trouble(service.environ)

    assert result.kind is TroubleKind.QUOTA
    assert result.level is Level.WARNING
    assert "the storage for artifacts is used up" in result.message
    assert service.steps == ["CreateArtifact"]


def test_a_used_up_quota_is_one_even_as_a_status_that_passes() -> None:
    body = b'{"code": "resource_exhausted", "msg": "insufficient usage to create artifact"}'
    with ArtifactService() as service:
        service.fail("FinalizeArtifact", Reply(status=429, body=body))
        result = trouble(service.environ)

    assert result.kind is TroubleKind.QUOTA


def test_a_refusal_is_told_with_the_words_of_the_service() -> None:
    with ArtifactService() as service:
        environ = {**service.environ, "ACTIONS_RUNTIME_TOKEN": token(name="expired")}
        result = trouble(environ)

    assert result.kind is TroubleKind.REFUSED
    assert result.message == (
        "the report was not uploaded as an artifact: `CreateArtifact` of the artifact service "
        "answers HTTP 401, `missing or wrong token`"
    )
    assert service.steps == ["CreateArtifact"]


def test_a_refusal_of_the_storage_is_told_by_its_code() -> None:
    body = b"<Error><Code>AuthenticationFailed</Code><Message>sig=abc</Message></Error>"
    with ArtifactService() as service:
        service.fail("block", Reply(status=403, body=body))
        result = trouble(service.environ)

    assert result.message.endswith("the artifact storage answers HTTP 403, `AuthenticationFailed`")


def test_content_that_is_not_what_was_announced_is_trouble() -> None:
    with ArtifactService() as service:
        service.fail("FinalizeArtifact", Reply(body=b'{"ok": false}'))
        result = trouble(service.environ)

    assert result.kind is TroubleKind.BAD_RESPONSE


def test_outside_an_action_and_on_other_servers_nothing_is_sent() -> None:
    with ArtifactService() as service:
        absent = trouble({**service.environ, "ACTIONS_RUNTIME_TOKEN": ""})
        other = trouble({**service.environ, "GITHUB_SERVER_URL": "https://git.example"})

    assert (absent.kind, absent.level) == (TroubleKind.ABSENT, Level.NOTICE)
    assert (other.kind, other.level) == (TroubleKind.UNSUPPORTED, Level.NOTICE)
    assert service.requests == []


@pytest.mark.parametrize("scratch", ["RUNNER_TEMP", "nowhere"])
def test_it_is_packed_in_the_runners_folder_if_there_is_one(scratch: str, tmp_path: Path) -> None:
    with ArtifactService() as service:
        folder = tmp_path if scratch == "RUNNER_TEMP" else tmp_path / "none"
        assert isinstance(upload({**service.environ, "RUNNER_TEMP": str(folder)}), Uploaded)

    assert list(tmp_path.iterdir()) == []


# Hostile services


@pytest.mark.parametrize("step", ["CreateArtifact", "block", "blocklist"])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(step: str, status: int) -> None:
    with Server([Reply(status=201)]) as elsewhere, ArtifactService() as service:
        service.fail(step, Reply(status=status, headers={"location": elsewhere.url}))
        result = trouble(service.environ)

    assert result.kind is TroubleKind.BAD_RESPONSE
    assert "a redirect" in result.message
    assert elsewhere.requests == []


@pytest.mark.parametrize("step", ["CreateArtifact", "block", "FinalizeArtifact"])
def test_an_answer_of_any_length_is_not_read_to_its_end(step: str) -> None:
    with ArtifactService() as service:
        service.fail(step, Reply(status=200, body=b'{"ok": true, "x": "' + b"x" * 5_000_000))
        result = trouble(service.environ)

    assert result.kind is TroubleKind.BAD_RESPONSE
    assert "answers with more than 1048576 bytes" in result.message


def test_a_compressed_answer_is_not_inflated() -> None:
    with ArtifactService() as service:
        headers = {"content-encoding": "gzip"}
        service.fail("CreateArtifact", *[Reply(body=b"\x1f\x8b" * 9, headers=headers)] * 5)
        result = trouble(service.environ)

    assert result.kind is TroubleKind.BAD_RESPONSE


@pytest.mark.parametrize(
    "url",
    [
        "",
        "file:///etc/passwd",
        "//evil.example/x",
        "http://user:pw@127.0.0.1/x",
        "http://127.0.0.1:1/x\r\nx: y",
        "http://127.0.0.1:1/größe",
        "http://127.0.0.1:x/",
        "http://[::1/x",
        "http://" + "a" * 300 + "%/x",
        "http:///x",
    ],
)
def test_an_address_that_no_storage_has_is_trouble(url: str) -> None:
    with ArtifactService() as service:
        service.fail("CreateArtifact", Reply(body=created(url)))
        result = trouble(service.environ)

    assert result.kind is TroubleKind.BAD_RESPONSE
    assert result.message.endswith(
        ("answers an address that can't be used", "answers neither an address nor a reason")
    )


@pytest.mark.parametrize("host", ["a" * 64 + ".invalid", "xn--a.invalid", "a..b", ".", "a.:1"])
def test_a_host_that_no_resolver_takes_is_trouble(host: str) -> None:
    with ArtifactService() as service:
        service.fail("CreateArtifact", Reply(body=created(f"http://{host}/x")))
        result = trouble(service.environ)

    assert result.kind is TroubleKind.BAD_RESPONSE


def test_a_secure_service_can_not_send_us_to_an_open_storage() -> None:
    assert Address.parse("http://storage.example/x?sig=1", secure=True) is None
    assert Address.parse("https://storage.example/x?sig=1", secure=True) is not None


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"ok": true}',
        b'{"ok": true, "signed_upload_url": 7}',
        b'{"ok": "true", "signed_upload_url": "http://x/"}',
        b'{"ok": true, "signed_upload_url": null}',
    ],
)
def test_an_answer_without_an_address_is_trouble(body: bytes) -> None:
    with ArtifactService() as service:
        service.fail("CreateArtifact", Reply(body=body))
        assert trouble(service.environ).kind is TroubleKind.BAD_RESPONSE


@pytest.mark.parametrize(
    "artifact_id", [None, "", "x", "-1", "0", "1/../2", "9" * 30, True, 1.5, ["1"], " 1"]
)
def test_an_id_that_is_none_is_trouble(artifact_id: object) -> None:
    with ArtifactService() as service:
        body = json.dumps({"ok": True, "artifact_id": artifact_id}).encode()
        service.fail("FinalizeArtifact", Reply(body=body))
        assert trouble(service.environ).kind is TroubleKind.BAD_RESPONSE


def test_a_storage_that_stalls_is_left_after_a_while() -> None:
    limits = Limits(stall_s=0.05, attempts=2)
    with ArtifactService() as service:
        service.fail("block", *[Reply(status=201, delay_s=5.0)] * 2)
        result = trouble(service.environ, limits=limits)

    assert result.kind is TroubleKind.TIMEOUT
    assert "the artifact storage stalls for more than 0.05 s (tried 2 times)" in result.message


def test_a_request_that_takes_too_long_is_left_although_bytes_come() -> None:
    limits = Limits(attempt_s=0.05, attempts=1)
    with ArtifactService() as service:
        service.fail("block", Reply(status=201, delay_s=5.0))
        result = trouble(service.environ, limits=limits)

    assert result.kind is TroubleKind.TIMEOUT
    assert result.message.endswith("the artifact storage takes longer than 0.05 s")


def test_an_upload_that_takes_too_long_in_all_is_ended() -> None:
    limits = Limits(total_s=0.1, block_bytes=100)
    with ArtifactService(latency_s=0.02) as service:
        result = trouble(service.environ, files={"a": os.urandom(5000)}, limits=limits)

    assert result.kind is TroubleKind.TIMEOUT
    assert result.message.endswith("it takes longer than 0.1 s")


def test_a_cancelled_upload_ends_at_once_and_leaves_nothing(tmp_path: Path) -> None:
    async def cancelled(environ: Mapping[str, str]) -> None:
        async with httpx.AsyncClient(verify=TRUST) as client:
            running = asyncio.create_task(
                artifacts.upload(
                    FILES, name=NAME, environ=environ, client=client, timing=Clock().timing
                )
            )
            await asyncio.sleep(0.1)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

    with ArtifactService() as service:
        service.fail("block", Reply(status=201, delay_s=5.0))
        asyncio.run(cancelled({**service.environ, "RUNNER_TEMP": str(tmp_path)}))

    assert "blocklist" not in service.steps
    assert list(tmp_path.iterdir()) == []


# Secrets


def test_a_client_with_credentials_of_its_own_shows_them_to_nobody() -> None:
    client = httpx.AsyncClient(
        headers={"authorization": "Bearer other", "cookie": "a=b"},
        auth=("user", "password"),
        verify=TRUST,
    )
    with ArtifactService() as service:
        assert isinstance(upload(service.environ, client=client), Uploaded)

    for request in service.requests:
        assert request.headers.get("authorization") in {None, f"Bearer {token()}"}
        assert "cookie" not in request.headers


@pytest.mark.parametrize("step", ["CreateArtifact", "block", "blocklist", "FinalizeArtifact"])
@pytest.mark.parametrize("kind", ["refused", "down", "redirect", "drop"])
def test_a_signature_and_the_token_are_in_no_message_and_no_log(
    step: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with ArtifactService() as service:
        signed = storage.signed(service.url, NAME, "w")
        said = json.dumps({"code": "x", "msg": f"no: {signed} {token()}"}).encode()
        replies = {
            "refused": Reply(status=400, body=said),
            "down": Reply(status=503, body=said),
            "redirect": Reply(status=302, headers={"location": signed}, body=said),
            "drop": Reply(drop=True),
        }
        service.fail(step, *[replies[kind]] * 5)
        result = trouble(service.environ)

    assert "HTTP Request" in caplog.text or (step, kind) == ("CreateArtifact", "drop")
    for text in (result.message, repr(result), caplog.text):
        assert "s3cr3t" not in text  # how every spelling of the signature begins
        assert token() not in text
        assert token()[:-1] not in text


def test_what_a_service_says_is_shown_on_one_line_and_short() -> None:
    said = json.dumps({"msg": "a`b\n::error::x\x1b[31m\u202e" + "y" * 5000}).encode()
    with ArtifactService() as service:
        service.fail("CreateArtifact", Reply(status=400, body=said))
        message = trouble(service.environ).message

    assert "HTTP 400, `a'b ::error::x\\x1b[31m\\u202eyy" in message
    assert message.isprintable()
    assert len(message) < 400
