"""A path and a commit in, the bytes of the file out: for what is read from the base."""

import base64
import binascii
from dataclasses import dataclass

from pydantic import TypeAdapter

from mergebar.edge.github.client import Client, quoted
from mergebar.edge.github.exchange import Purpose
from mergebar.edge.github.shapes import Sha
from mergebar.model.publishing import GitHubTrouble, TroubleKind
from mergebar.reading.limits import MAX_BYTES

_UNSAFE = {"", ".", ".."}


@dataclass(frozen=True)
class _Entry:
    """`type` is `file`, `symlink` or `submodule`; a file over 1 MiB comes without its content."""

    type: str
    sha: Sha
    size: int
    encoding: str | None = None
    content: str | None = None


@dataclass(frozen=True)
class _Listed:
    type: str


@dataclass(frozen=True)
class _Blob:
    encoding: str
    content: str


_ENTRY: TypeAdapter[_Entry | tuple[_Listed, ...]] = TypeAdapter(_Entry | tuple[_Listed, ...])
_BLOB = TypeAdapter(_Blob)


def read(
    client: Client, path: str, commit: str, *, limit: int = MAX_BYTES
) -> bytes | GitHubTrouble:
    """The file at `path` in the tree of `commit`; a symbolic link within it is followed."""
    purpose = Purpose(what=f"read `{path}` at `{commit[:12]}`", permission="contents: read")
    if _UNSAFE & set(path.split("/")):
        return _refusal(purpose, "that is no path within a repository")
    place = "/".join(map(quoted, path.split("/")))
    entry = client.get(_ENTRY, f"/contents/{place}", purpose, ref=commit)
    if isinstance(entry, GitHubTrouble):
        return entry
    unfit = _unfit(entry, limit)
    if unfit or isinstance(entry, tuple):
        return _refusal(purpose, unfit)
    if entry.encoding == "base64" and entry.content is not None:
        return _decoded(entry.content, purpose)
    return _blob(client, entry.sha, purpose)


def _unfit(entry: _Entry | tuple[_Listed, ...], limit: int) -> str:
    """Why it can't be read as a file; empty if it can."""
    kind = "directory" if isinstance(entry, tuple) else entry.type
    if isinstance(entry, tuple) or kind != "file":
        return f"it is a {kind}, and a file is wanted"
    if entry.size > limit:
        return f"it has {entry.size:,} bytes, and the limit is {limit:,}"
    return ""


def _blob(client: Client, sha: str, purpose: Purpose) -> bytes | GitHubTrouble:
    """A file that is too large for the contents API, in base64 again.

    Its raw form would have been decoded as text by the time it gets here.
    """
    blob = client.get(_BLOB, f"/git/blobs/{quoted(sha)}", purpose)
    if isinstance(blob, GitHubTrouble):
        return blob
    return _decoded(blob.content, purpose) if blob.encoding == "base64" else blob.content.encode()


def _decoded(content: str, purpose: Purpose) -> bytes | GitHubTrouble:
    try:
        return base64.b64decode("".join(content.split()), validate=True)
    except (binascii.Error, ValueError):
        return _refusal(purpose, "GitHub's reply isn't the base64 that it says")


def _refusal(purpose: Purpose, why: str) -> GitHubTrouble:
    return GitHubTrouble(kind=TroubleKind.REJECTED, message=f"can't {purpose.what}: {why}")
