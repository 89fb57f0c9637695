"""An environment in, a transport that goes to each address through the proxy named there, out."""

from collections.abc import Mapping

import httpx

from mergebar.calling import proxies, trust


class ProxyTroubleError(httpx.TransportError):
    """The proxy is in the way; the text says which variable names it. `passing`: try again."""

    def __init__(self, message: str, *, passing: bool) -> None:
        super().__init__(message)
        self.passing = passing


class Transport(httpx.AsyncBaseTransport):
    """For clients that call several hosts, which by themselves would read the environment."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._made: dict[str | None, httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send it. Raises ProxyTroubleError beside what the client raises by itself."""
        proxy = proxies.of(str(request.url), self._environ)
        if proxy is None:
            return await self._by(None).handle_async_request(request)
        if proxy.failure is not None:
            raise ProxyTroubleError(proxy.failure.message, passing=False)
        try:
            return await self._by(proxy.url).handle_async_request(request)
        except (httpx.ConnectError, httpx.ProxyError) as error:
            message = f"the proxy in `{proxy.variable}` can't be reached, or doesn't let us through"
            raise ProxyTroubleError(message, passing=True) from error

    async def aclose(self) -> None:
        """Close all connections."""
        for transport in self._made.values():
            await transport.aclose()

    def _by(self, url: str | None) -> httpx.AsyncHTTPTransport:
        if url not in self._made:
            verify = trust.of(httpx.create_ssl_context)
            self._made[url] = httpx.AsyncHTTPTransport(verify=verify, proxy=url)
        return self._made[url]
