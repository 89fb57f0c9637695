"""Our artifacts and those of GitHub's own client, each read by the other."""

import asyncio
import io
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from mergebar.edge import artifacts
from mergebar.edge.artifacts import Archive, ArtifactTrouble, Limits, Uploaded
from mergebar.model.text import Json
from support.artifact_service import ArtifactService
from support.clocks import Clock

ROOT = Path(__file__).parent.parent.parent
DRIVER = ROOT / "tests" / "support" / "node" / "artifact_client.mjs"
NAME = "mergebar-report-mergebar"
CONTENTS: Mapping[str, bytes] = {
    "report.json": b'{"schema": "mergebar.report/1", "text": "gr\xc3\xb6\xc3\x9fe"}',
    "documents/evals/refunds.json": os.urandom(300_000),
    "documents/empty.json": b"",
}


@pytest.fixture(scope="module")
def node() -> str:
    """Node.js, where `@actions/artifact` is installed for it."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("`node` is absent: GitHub's own client needs it")
    if not (ROOT / "node_modules" / "@actions" / "artifact").is_dir():
        pytest.skip("`@actions/artifact` is absent: `npm install --no-save @actions/artifact`")
    return found


def theirs(node: str, service: ArtifactService, home: Path, command: str, **given: Json) -> Json:
    """What GitHub's own client returns; it prints workflow commands, so that goes by a file."""
    answer = home / "answer.json"
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "RUNNER_TEMP": str(home),
        "GITHUB_WORKSPACE": str(home),
        **service.environ,
    }
    done = subprocess.run(
        [node, str(DRIVER), command, json.dumps({"answer": str(answer), **given})],
        env=environ,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Json] = json.loads(answer.read_text("utf-8"))
    assert "error" not in said, said["error"]
    return said["value"]


def ours(service: ArtifactService, *, limits: Limits) -> Uploaded:
    async def once() -> Uploaded | ArtifactTrouble:
        async with httpx.AsyncClient() as client:
            return await artifacts.upload(
                CONTENTS,
                name=NAME,
                environ=service.environ,
                client=client,
                timing=Clock().timing,
                limits=limits,
            )

    result = asyncio.run(once())
    assert isinstance(result, Uploaded), result
    return result


def found_by(service: ArtifactService) -> Json:
    owner, _, repository = service.environ["GITHUB_REPOSITORY"].partition("/")
    return {
        "token": "t",
        "workflowRunId": int(service.environ["GITHUB_RUN_ID"]),
        "repositoryOwner": owner,
        "repositoryName": repository,
    }


def files_below(folder: Path) -> Mapping[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("by", ["run", "api"])
def test_what_we_upload_githubs_own_client_lists_downloads_and_verifies(
    node: str, tmp_path: Path, by: str
) -> None:
    target = tmp_path / "target"
    with ArtifactService() as service:
        result = ours(service, limits=Limits(block_bytes=100_000))
        finding = {"findBy": found_by(service)} if by == "api" else {}
        listed = theirs(node, service, tmp_path, "list", **finding)
        downloaded = theirs(
            node,
            service,
            tmp_path,
            "download",
            id=result.id,
            folder=str(target),
            digest=result.digest,
            **finding,
        )

    assert isinstance(listed, dict)
    rows = listed["artifacts"]
    assert isinstance(rows, list)
    (row,) = rows
    assert isinstance(row, dict)
    assert (row["id"], row["name"]) == (result.id, NAME)
    assert (row["size"], row["digest"]) == (result.size, result.digest)
    assert isinstance(downloaded, dict)
    assert downloaded["digestMismatch"] is False
    assert files_below(target) == CONTENTS


def test_what_githubs_own_client_uploads_we_can_fetch_and_read(node: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    for path, content in CONTENTS.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_bytes(content)

    with ArtifactService() as service:
        uploaded = theirs(
            node, service, tmp_path, "upload", name=NAME, files=[*CONTENTS], root=str(source)
        )
        assert isinstance(uploaded, dict)
        row, location = asked_of_the_api(service)
        with tempfile.TemporaryFile() as stream:
            archive = fetched(location, stream, digest=str(row["digest"]))
            read = {path: artifacts.file_in(archive, path, limit=10**6) for path in CONTENTS}

    assert row["id"] == uploaded["id"]
    assert archive.digest == f"sha256:{uploaded['digest']}"
    assert read == CONTENTS


def asked_of_the_api(service: ArtifactService) -> tuple[Mapping[str, Json], str]:
    """The artifact's row, and where its content is: as the API tells a workflow's token."""
    headers = {"authorization": "Bearer t"}
    repository, run = service.environ["GITHUB_REPOSITORY"], service.environ["GITHUB_RUN_ID"]
    url = f"{service.url}/repos/{repository}/actions/runs/{run}/artifacts"
    (row,) = httpx.get(url, params={"name": NAME}, headers=headers).json()["artifacts"]
    redirect = httpx.get(row["archive_download_url"], headers=headers)
    assert redirect.status_code == 302
    return row, redirect.headers["location"]


def fetched(url: str, into: io.IOBase, *, digest: str) -> Archive:
    async def once() -> Archive | ArtifactTrouble:
        async with httpx.AsyncClient() as client:
            return await artifacts.fetch(
                url,
                into,  # type: ignore[arg-type]  # any binary file does
                client=client,
                timing=Clock().timing,
                digest=digest,
                secure=False,
            )

    result = asyncio.run(once())
    assert isinstance(result, Archive), result
    return result


def test_our_name_is_taken_for_githubs_own_client_too(node: str, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_bytes(b"{}")
    with ArtifactService() as service:
        ours(service, limits=Limits())
        with pytest.raises(AssertionError, match="409"):
            theirs(
                node,
                service,
                tmp_path,
                "upload",
                name=NAME,
                files=["report.json"],
                root=str(tmp_path),
            )
