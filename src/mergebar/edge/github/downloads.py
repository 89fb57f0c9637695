"""An address that GitHub redirected to in, the bytes there out: fetched without any token."""

from collections.abc import Callable
from http import HTTPStatus

import httpx

from mergebar.model.publishing import GitHubTrouble, TroubleKind

MOST_BYTES = 200 * 1024 * 1024
_REDIRECTS = 3

Opened = Callable[[], httpx.Client]


def client(timeout_s: float = 60.0) -> httpx.Client:
    """What downloads: it knows no token, and so can't leak one to the storage or a redirect."""
    return httpx.Client(timeout=timeout_s, follow_redirects=True, max_redirects=_REDIRECTS)


def fetch(url: str, *, opened: Opened = client, limit: int = MOST_BYTES) -> bytes | GitHubTrouble:
    """At most `limit` bytes. The address is signed, and so is in no message."""
    try:
        with opened() as connection, connection.stream("GET", url) as reply:
            if reply.status_code != HTTPStatus.OK:
                return _unavailable(f"its storage answered {reply.status_code}")
            return _read(reply, limit)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return _unavailable(f"its storage can't be reached ({type(error).__name__})")


def _read(reply: httpx.Response, limit: int) -> bytes | GitHubTrouble:
    data = bytearray()
    for part in reply.iter_bytes():
        data += part
        if len(data) > limit:
            message = f"can't download the artifact: it is larger than {limit:,} bytes"
            return GitHubTrouble(kind=TroubleKind.REJECTED, message=message)
    return bytes(data)


def _unavailable(why: str) -> GitHubTrouble:
    return GitHubTrouble(
        kind=TroubleKind.UNAVAILABLE, message=f"can't download the artifact: {why}"
    )
