"""The artifact service, its storage and its part of the REST API on loopback, with their rules.

`GITHUB` speaks snake_case and ignores fields that it doesn't know; `ACT` speaks camelCase and
answers them with HTTP 500.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from http import HTTPStatus
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

from mergebar.model.text import Json
from support.artifact_service import storage, wire
from support.artifact_service.storage import Stored
from support.servers import Reply, Request, Server

_SERVICE = "/twirp/github.actions.results.api.v1.ArtifactService/"
_FIELDS: Mapping[str, frozenset[str]] = {
    "CreateArtifact": frozenset({"name", "version", "expires_at"}),
    "FinalizeArtifact": frozenset({"name", "size", "hash"}),
    "ListArtifacts": frozenset({"name_filter", "id_filter"}),
    "GetSignedArtifactURL": frozenset({"name"}),
}
_IDS = ("workflow_run_backend_id", "workflow_job_run_backend_id")
_VERSIONS = {4, 7}
_FORBIDDEN = set('":<>|*?\r\n\\/')


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    step: str
    reply: Reply
    applied: bool


class ArtifactService:
    """`with ArtifactService() as service: …`; `environ` is what a runner would hand over."""

    def __init__(self, *, dialect: str = wire.GITHUB, latency_s: float = 0.0) -> None:
        self.artifacts: dict[str, Stored] = {}
        self._faults: list[_Fault] = []
        self.quota_is_used_up = False
        self.steps: list[str] = []
        self._dialect = dialect
        self._server = Server(self._script, latency_s=latency_s)

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.__exit__(kind, error, trace)

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def requests(self) -> list[Request]:
        return self._server.requests

    @property
    def most_at_once(self) -> int:
        return self._server.most_at_once

    @property
    def environ(self) -> dict[str, str]:
        """The environment of a step of the run whose artifacts these are."""
        return {
            "ACTIONS_RUNTIME_TOKEN": wire.token(),
            "ACTIONS_RESULTS_URL": f"{self.url}/ignored/path/",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_API_URL": self.url,
            "GITHUB_REPOSITORY": wire.REPOSITORY,
            "GITHUB_RUN_ID": str(wire.RUN_ID),
            "GITHUB_RETENTION_DAYS": "90",
        }

    def fail(self, step: str, *replies: Reply, applied: bool = False) -> None:
        """Answer the next calls of a step with these replies, in order.

        `applied`: the service does what it was asked for first, so that only its word is lost.
        """
        self._faults += [_Fault(step=step, reply=reply, applied=applied) for reply in replies]

    def content(self, name: str) -> bytes:
        """What is kept under a name, once it is final."""
        stored = self.artifacts[name]
        assert stored.final
        assert stored.blob is not None
        return stored.blob

    def _script(self, request: Request) -> Reply:
        step, answer = self._route(request)
        self.steps.append(step)
        fault = next((fault for fault in self._faults if fault.step == step), None)
        if fault is None:
            return answer(request)
        self._faults.remove(fault)
        if fault.applied:
            answer(request)
        return fault.reply

    def _route(self, request: Request) -> tuple[str, Callable[[Request], Reply]]:
        parts = urlsplit(request.path)
        if request.method == "POST" and parts.path.startswith(_SERVICE):
            return parts.path.removeprefix(_SERVICE), self._twirp
        if parts.path.startswith("/storage/"):
            if request.method == "GET":
                return "download", partial(storage.download, self.artifacts)
            kind = parse_qs(parts.query).get("comp", ["blob"])[0]
            return kind, partial(storage.put, self.artifacts)
        if parts.path.startswith(f"/repos/{wire.REPOSITORY}/actions/"):
            return "rest", self._rest
        return "unknown", lambda _: wire.error(HTTPStatus.NOT_FOUND, "bad_route", "no such path")

    # The service

    def _twirp(self, request: Request) -> Reply:
        method = urlsplit(request.path).path.removeprefix(_SERVICE)
        refusal = self._refusal(method, request)
        if refusal:
            return refusal
        answer = {
            "CreateArtifact": self._create,
            "FinalizeArtifact": self._finalize,
            "ListArtifacts": self._list,
            "GetSignedArtifactURL": self._sign,
        }[method]
        return answer(wire.snake(request.json))

    def _refusal(self, method: str, request: Request) -> Reply | None:
        if method not in _FIELDS:
            return wire.error(HTTPStatus.NOT_FOUND, "bad_route", "no such method")
        if request.headers.get("authorization") != f"Bearer {wire.token()}":
            return wire.error(HTTPStatus.UNAUTHORIZED, "unauthenticated", "missing or wrong token")
        if request.headers.get("content-type") != "application/json":
            return wire.error(HTTPStatus.BAD_REQUEST, "malformed", "not JSON")
        fields = wire.snake(request.json)
        if self._dialect == wire.ACT and not {*fields} <= _FIELDS[method] | {*_IDS}:
            return wire.error(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "unknown field")
        if [fields.get(name) for name in _IDS] != [wire.RUN, wire.JOB]:
            return wire.error(HTTPStatus.FORBIDDEN, "permission_denied", "another run's ids")
        return None

    def _create(self, fields: Mapping[str, Json]) -> Reply:
        name = fields.get("name")
        if not isinstance(name, str) or not name or set(name) & _FORBIDDEN:
            return wire.error(HTTPStatus.BAD_REQUEST, "invalid_argument", "bad name")
        if fields.get("version") not in _VERSIONS or not _is_moment(fields.get("expires_at")):
            return wire.error(HTTPStatus.BAD_REQUEST, "invalid_argument", "bad version or expiry")
        if self.quota_is_used_up:
            message = "cannot create: insufficient usage to create artifact"
            return wire.error(HTTPStatus.FORBIDDEN, "resource_exhausted", message)
        if name in self.artifacts:
            message = "an artifact with this name already exists on the workflow run"
            return wire.error(HTTPStatus.CONFLICT, "already_exists", message)
        number = 9000 + len(self.artifacts)
        self.artifacts[name] = Stored(id=number, created=fields, name=name)
        return self._said({"ok": True, "signed_upload_url": storage.signed(self.url, name, "w")})

    def _finalize(self, fields: Mapping[str, Json]) -> Reply:
        stored = self.artifacts.get(str(fields.get("name")))
        if stored is None or stored.blob is None:
            return wire.error(HTTPStatus.NOT_FOUND, "not_found", "no content was committed")
        if stored.final:
            return wire.error(HTTPStatus.CONFLICT, "already_exists", "it is final")
        digest = "sha256:" + hashlib.sha256(stored.blob).hexdigest()
        wanted = (fields.get("size"), fields.get("hash"))
        if wanted != (str(len(stored.blob)), digest):
            return self._said({"ok": False, "artifact_id": "0"})
        stored.final, stored.digest = True, digest
        return self._said({"ok": True, "artifact_id": str(stored.id)})

    def _list(self, fields: Mapping[str, Json]) -> Reply:
        rows: list[Json] = [
            _row(stored)
            for stored in self.artifacts.values()
            if stored.final
            and fields.get("name_filter", stored.name) == stored.name
            and str(fields.get("id_filter", stored.id)) == str(stored.id)
        ]
        return self._said({"artifacts": rows})

    def _sign(self, fields: Mapping[str, Json]) -> Reply:
        name = str(fields.get("name"))
        if name not in self.artifacts:
            return wire.error(HTTPStatus.NOT_FOUND, "not_found", "no such artifact")
        return self._said({"signed_url": storage.signed(self.url, name, "r")})

    def _said(self, fields: dict[str, Json]) -> Reply:
        value = fields if self._dialect == wire.GITHUB else wire.camel(fields)
        return Reply(body=json.dumps(value).encode())

    # The REST API

    def _rest(self, request: Request) -> Reply:
        parts = urlsplit(request.path)
        if not request.headers.get("authorization"):
            return Reply(status=HTTPStatus.UNAUTHORIZED, body=b'{"message": "Bad credentials"}')
        final = [stored for stored in self.artifacts.values() if stored.final]
        if parts.path.endswith("/zip"):
            number = parts.path.split("/")[-2]
            found = next((stored for stored in final if str(stored.id) == number), None)
            if found is None:
                return Reply(status=HTTPStatus.NOT_FOUND, body=b'{"message": "Not Found"}')
            location = {"location": storage.signed(self.url, found.name, "r")}
            return Reply(status=HTTPStatus.FOUND, headers=location)
        names = parse_qs(parts.query).get("name")
        rows = [self._rest_row(stored) for stored in final if not names or stored.name in names]
        return Reply(body=json.dumps({"total_count": len(rows), "artifacts": rows}).encode())

    def _rest_row(self, stored: Stored) -> dict[str, Json]:
        url = f"{self.url}/repos/{wire.REPOSITORY}/actions/artifacts/{stored.id}"
        return {
            "id": stored.id,
            "node_id": f"MDg6QXJ0aWZhY3Q{stored.id}",
            "name": stored.name,
            "size_in_bytes": len(stored.blob or b""),
            "url": url,
            "archive_download_url": f"{url}/zip",
            "expired": False,
            "created_at": "2026-01-02T03:04:05Z",
            "updated_at": "2026-01-02T03:04:05Z",
            "expires_at": "2026-04-02T03:04:05Z",
            "digest": stored.digest,
            "workflow_run": {
                "id": wire.RUN_ID,
                "repository_id": 1,
                "head_repository_id": 1,
                "head_branch": "main",
                "head_sha": "a" * 40,
            },
        }


def _row(stored: Stored) -> Json:
    return {
        "workflow_run_backend_id": wire.RUN,
        "workflow_job_run_backend_id": wire.JOB,
        "database_id": str(stored.id),
        "name": stored.name,
        "size": str(len(stored.blob or b"")),
        "created_at": "2026-01-02T03:04:05Z",
        "digest": stored.digest,
    }


def _is_moment(value: Json) -> bool:
    """Whether an expiry is absent, or a time to come of at most 400 days."""
    if value is None:
        return True
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return False
    return str(value).endswith("Z") and moment <= datetime.now(tz=UTC) + timedelta(days=401)
