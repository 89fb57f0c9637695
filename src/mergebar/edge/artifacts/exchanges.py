"""One request out, one answer in: bounded in time and size, never redirected, no address retold.

A signed address is a secret. It goes onto the wire and nowhere else: messages don't have it, and
the HTTP client, which logs what it calls, is told the part without the signature.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Self
from urllib.parse import urlsplit

import httpx

from mergebar.calling import http_statuses
from mergebar.calling.proxied import ProxyTroubleError
from mergebar.calling.troubles import Trouble
from mergebar.edge.artifacts import runtimes
from mergebar.edge.artifacts.limits import Limits
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.untrusted import characters
from mergebar.untrusted.redaction import MASK, Redactor

_TARGET = re.compile("[!-~]+")
_SIGNATURE = re.compile(r"\b(sig(?:nature)?(?:=|%3D))[^&\s\"'<>`]+", re.IGNORECASE)
_LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a request goes: `shown` is without the query, `target` is path and query as given."""

    shown: str
    target: str = field(repr=False)

    @classmethod
    def parse(cls, url: str, *, secure: bool) -> Self | None:
        """`None` for what no service signs. `secure`: as the service that names it, it is https."""
        origin = runtimes.origin(url)
        if origin is None or not _TARGET.fullmatch(url) or (secure and origin[:6] != "https:"):
            return None
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if not _is_callable(origin + parts.path):
            return None
        return cls(shown=origin + parts.path, target=target)

    def extended(self, query: str) -> Self:
        """The same with more in its query."""
        joint = "&" if "?" in self.target else "?"
        return type(self)(shown=self.shown, target=f"{self.target}{joint}{query}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request. `who` is asked, as the beginning of a sentence."""

    who: str
    method: str
    address: Address
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer. `location` is where it redirects to, if it does."""

    status: int
    body: bytes
    location: str | None
    retry_after_s: float | None


Sink = Callable[[bytes], object]


async def exchange(
    client: httpx.AsyncClient, call: Call, *, limits: Limits, now: Callable[[], float]
) -> Reply | Trouble:
    """The answer, with whatever status; trouble where none came whole."""
    return await receive(client, call, limits=limits, now=now, at_most=limits.answer_bytes)


async def receive(
    client: httpx.AsyncClient,
    call: Call,
    *,
    limits: Limits,
    now: Callable[[], float],
    at_most: int,
    sink: Sink | None = None,
) -> Reply | Trouble:
    """The same. The body of a success goes to `sink`, if there is one, as it comes in."""
    try:
        async with asyncio.timeout(limits.attempt_s):
            response = await client.send(
                _request(client, call, limits), stream=True, auth=None, follow_redirects=False
            )
            try:
                return await _reply(call, response, at_most=at_most, sink=sink, now=now())
            finally:
                await response.aclose()
    except httpx.TimeoutException:
        return _lost(ErrorClass.TIMEOUT, call, f"stalls for more than {limits.stall_s:g} s")
    except TimeoutError:
        return _lost(ErrorClass.TIMEOUT, call, f"takes longer than {limits.attempt_s:g} s")
    except ProxyTroubleError as error:
        failure = _failure(ErrorClass.UNAVAILABLE, call, f"can't be reached: {error}")
        return Trouble(failure=failure, retry=error.passing)
    except httpx.TransportError as error:
        what = f"can't be reached, or hangs up: {type(error).__name__}"
        return _lost(ErrorClass.UNAVAILABLE, call, what)


def lost(call: Call, reply: Reply) -> Trouble:
    """An answer that may be a better one later."""
    throttled = reply.status == HTTPStatus.TOO_MANY_REQUESTS
    failure = Failure(
        error_class=http_statuses.error_class(reply.status),
        message=f"{call.who} answers HTTP {reply.status}",
    )
    return Trouble(
        failure=failure, retry=True, retry_after_s=reply.retry_after_s, throttled=throttled
    )


def quoted(text: str, *, secret: str = "") -> str:
    """What a service says, for a message: on one line, short, and without secrets."""
    plain = _SIGNATURE.sub(rf"\1{MASK}", Redactor([secret]).redact(text))
    return characters.line(plain).replace("`", "'")[:_LONGEST_QUOTE]


def _is_callable(url: str) -> bool:
    """Whether the client takes it: the name of a host may be wrongly encoded."""
    try:
        return bool(httpx.URL(url).host)
    except (httpx.InvalidURL, ValueError):
        return False


def _request(client: httpx.AsyncClient, call: Call, limits: Limits) -> httpx.Request:
    request = client.build_request(
        call.method,
        call.address.shown,
        headers={"accept-encoding": "identity", **call.headers},
        content=call.body,
        timeout=httpx.Timeout(limits.stall_s),
        extensions={"target": call.address.target.encode("ascii")},
    )
    for name in {"authorization", "cookie"} - {name.lower() for name in call.headers}:
        request.headers.pop(name, None)  # a signed address refuses both, whatever the client has
    return request


async def _reply(
    call: Call, response: httpx.Response, *, at_most: int, sink: Sink | None, now: float
) -> Reply | Trouble:
    kept = bytearray()
    keep = sink if sink and response.is_success else kept.extend
    count = 0
    async for chunk in response.aiter_raw():
        count += len(chunk)
        if count > at_most:
            return Trouble(failure=_failure(ErrorClass.BAD_RESPONSE, call, _too_large(at_most)))
        keep(chunk)
    return Reply(
        status=response.status_code,
        body=bytes(kept),
        location=response.headers.get("location") if response.is_redirect else None,
        retry_after_s=http_statuses.retry_after(response.headers, now=now),
    )


def _too_large(at_most: int) -> str:
    return f"answers with more than {at_most} bytes"


def _lost(error_class: ErrorClass, call: Call, what: str) -> Trouble:
    return Trouble(failure=_failure(error_class, call, what), retry=True)


def _failure(error_class: ErrorClass, call: Call, what: str) -> Failure:
    return Failure(error_class=error_class, message=f"{call.who} {what}")
