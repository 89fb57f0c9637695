"""The SDK's client as we use it: a path and a body in, the reply as bytes out.

The SDK reads the environment for an organization, a project, further headers and more. What goes
out is what the configuration says, so that only the headers named here leave.
"""

from collections.abc import AsyncIterator, Mapping

import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient

from mergebar.calling import bodies, trust
from mergebar.calling.addresses import Address
from mergebar.calling.bodies import Received
from mergebar.calling.proxies import Proxy
from mergebar.model.text import JsonObject

RAISED = (APIConnectionError,)
"""What `post` raises for want of a connection."""

_KEPT = frozenset(
    {
        "accept",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
    }
)
_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=100)
_UNUSED = "none"
"""The SDK wants a key; the one that is sent is put in by the hook."""


class OpenAIClient:
    """One pool of connections. `credentials` are the headers that let us in; set them at will."""

    def __init__(self, address: Address, *, limit: int, proxy: Proxy | None = None) -> None:
        self.credentials: Mapping[str, str] = {}
        self._limit = limit
        self._sdk = AsyncOpenAI(
            api_key=_UNUSED,
            base_url=address.url,
            default_query=dict(address.query),
            max_retries=0,
            timeout=None,  # one limit on the whole exchange holds instead
            http_client=DefaultAsyncHttpxClient(
                timeout=None,
                follow_redirects=False,
                transport=httpx2.AsyncHTTPTransport(
                    verify=trust.of(httpx2.create_ssl_context),
                    proxy=None if proxy is None else proxy.url,
                    limits=_LIMITS,
                ),
                event_hooks={"request": [self._sends], "response": [self._receives]},
            ),
        )

    async def post(self, path: str, body: JsonObject) -> Received:
        """Send it; any status comes back. Raises what `RAISED` and `bodies` name."""
        try:
            reply = await self._sdk.post(path, body=dict(body), cast_to=httpx2.Response)
        except APIStatusError as error:
            reply = error.response
        return Received(status=reply.status_code, headers=reply.headers, body=reply.content)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._sdk.close()

    async def _sends(self, request: httpx2.Request) -> None:
        for name in list(request.headers):
            if name not in _KEPT:
                del request.headers[name]
        request.headers["accept-encoding"] = "identity"
        request.headers.update(self.credentials)

    async def _receives(self, response: httpx2.Response) -> None:
        """Put bounds on the body before anything reads it."""
        encoding = response.headers.pop(bodies.ENCODING, None)
        chunks = response.stream
        if isinstance(chunks, httpx2.AsyncByteStream):
            response.stream = _Bounded(chunks, encoding=encoding, limit=self._limit)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, *, encoding: str | None, limit: int) -> None:
        self._stream = stream
        self._encoding = encoding
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in bodies.bounded(
            aiter(self._stream), encoding=self._encoding, limit=self._limit
        ):
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
