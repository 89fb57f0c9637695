"""The storage behind signed addresses: blocks are staged, then committed by a list of them."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.etree import ElementTree as ET

from mergebar.model.text import Json
from support.artifact_service.wire import SIGNATURE
from support.servers import Reply, Request

_BLOCK_LIMIT = 4000 * 1024 * 1024
_NAME_LIMIT = 64


@dataclass
class Stored:
    """An artifact and its blob, staged or committed."""

    id: int
    created: Mapping[str, Json]
    name: str
    blocks: dict[str, bytes] = field(default_factory=dict)
    blob: bytes | None = None
    content_type: str = ""
    digest: str | None = None
    final: bool = False


def signed(origin: str, name: str, permission: str) -> str:
    """An address that lets its holder read or write one blob."""
    path = f"/storage/actions-results/{quote(name, safe='')}.zip"
    return f"{origin}{path}?se=2030-01-01&sp={permission}&sig={quote(SIGNATURE, safe='')}"


def put(artifacts: Mapping[str, Stored], request: Request) -> Reply:
    stored, query = _found(artifacts, request)
    if stored is None or query.get("sp") != "w":
        return _storage_error(HTTPStatus.FORBIDDEN, "AuthenticationFailed")
    if "authorization" in request.headers:
        return _storage_error(HTTPStatus.BAD_REQUEST, "InvalidAuthenticationInfo")
    if query.get("comp") == "block":
        return _stage(stored, query.get("blockid", ""), request.body)
    if query.get("comp") == "blocklist":
        return _commit(stored, request)
    if request.headers.get("x-ms-blob-type") != "BlockBlob":
        return _storage_error(HTTPStatus.BAD_REQUEST, "MissingRequiredHeader")
    stored.blob = request.body
    return _created()


def download(artifacts: Mapping[str, Stored], request: Request) -> Reply:
    stored, query = _found(artifacts, request)
    if "authorization" in request.headers:
        return _storage_error(HTTPStatus.BAD_REQUEST, "InvalidAuthenticationInfo")
    if stored is None or query.get("sp") != "r" or stored.blob is None:
        return _storage_error(HTTPStatus.FORBIDDEN, "AuthenticationFailed")
    named = {"content-disposition": f'attachment; filename="{quote(stored.name)}.zip"'}
    return Reply(body=stored.blob, headers=named, content_type=stored.content_type)


def _found(
    artifacts: Mapping[str, Stored], request: Request
) -> tuple[Stored | None, Mapping[str, str]]:
    parts = urlsplit(request.path)
    query = {key: values[0] for key, values in parse_qs(parts.query).items()}
    name = unquote(parts.path.rpartition("/")[2]).removesuffix(".zip")
    is_signed = query.get("sig") == SIGNATURE
    return artifacts.get(name) if is_signed else None, query


def _stage(stored: Stored, identity: str, body: bytes) -> Reply:
    try:
        raw = base64.b64decode(identity, validate=True)
    except binascii.Error:
        raw = b""
    lengths = {len(other) for other in stored.blocks} | {len(identity)}
    if not raw or len(raw) > _NAME_LIMIT or len(lengths) > 1:
        return _storage_error(HTTPStatus.BAD_REQUEST, "InvalidBlobOrBlock")
    if not body or len(body) > _BLOCK_LIMIT:
        return _storage_error(HTTPStatus.BAD_REQUEST, "InvalidHeaderValue")
    stored.blocks[identity] = body
    return _created()


def _commit(stored: Stored, request: Request) -> Reply:
    try:
        root = ET.fromstring(request.body)  # noqa: S314 - our own test's XML
    except ET.ParseError:
        return _storage_error(HTTPStatus.BAD_REQUEST, "InvalidXmlDocument")
    names = [entry.text or "" for entry in root if entry.tag in {"Latest", "Uncommitted"}]
    if root.tag != "BlockList" or any(name not in stored.blocks for name in names):
        return _storage_error(HTTPStatus.BAD_REQUEST, "InvalidBlockList")
    stored.blob = b"".join(stored.blocks[name] for name in names)
    stored.content_type = request.headers.get("x-ms-blob-content-type", "")
    return _created()


def _created() -> Reply:
    moment = "Fri, 02 Jan 2026 03:04:05 GMT"
    headers = {"etag": '"0x1"', "last-modified": moment, "x-ms-request-server-encrypted": "true"}
    return Reply(status=HTTPStatus.CREATED, headers=headers, content_type="application/xml")


def _storage_error(status: HTTPStatus, code: str) -> Reply:
    body = f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code></Error>'
    return Reply(status=status, body=body.encode(), content_type="application/xml")
