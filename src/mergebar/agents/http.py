"""The `http` agent: a question in, one request to an endpoint of any shape, its answer out."""

from collections.abc import Mapping
from dataclasses import replace
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from mergebar.agents import http_entry, http_replies, selecting
from mergebar.agents.http_templates import Request, Template
from mergebar.agents.selecting import Selectors
from mergebar.calling import bodies, http_statuses, parties, proxies, trust
from mergebar.calling.bodies import Received
from mergebar.calling.endpoints import Endpoint
from mergebar.calling.exchanging import Terms, exchange
from mergebar.calling.proxies import Proxy
from mergebar.calling.retrying import Retrier
from mergebar.calling.troubles import Refusal, Trouble
from mergebar.model.configuration import AgentConfig
from mergebar.model.contexts import AgentContext
from mergebar.model.conversations import Agent, Answer, ErrorClass, Failure, Question
from mergebar.model.text import Json

_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=100)
_ACCEPT = "application/json, text/event-stream;q=0.9, */*;q=0.5"


def create(config: AgentConfig, context: AgentContext) -> Agent:
    """The agent of this entry; what is wrong with the entry is every answer's failure."""
    return HttpAgent(config, context)


class HttpAgent:
    """Holds connections and nothing of a conversation: cookies are neither kept nor sent."""

    def __init__(self, config: AgentConfig, context: AgentContext) -> None:
        self._name = config.name
        self._party = parties.agent(config.name, url="url", secret="headers")  # noqa: S106 - a key
        self._attempts = config.attempts
        self._timing = context.timing
        self._template = _template(config.options)
        faults = http_entry.faults(config.options, context.root)
        proxy = proxies.of(self._template.url, context.environ)
        self._stopped = self._party.unfit(faults) or (proxy.failure if proxy else None)
        self._endpoint = Endpoint(
            self._party,
            concurrency=config.concurrency,
            timing=context.timing,
            shared=context.limits,
            url=self._template.url if self._stopped is None else "",
        )
        self._selectors = _selectors(config.options, unfit=self._stopped is not None)
        self._terms = Terms(
            party=self._party,
            url=self._template.url if self._stopped is None else "",
            timeout_s=config.timeout_s,
            limit=config.output_limit,
            limit_key="output_limit",
            may_pass=http_statuses.is_passing_for_agents,
            late_passes=False,
            raised=(httpx.TransportError,),
            now=context.timing.now,
            proxy=None if proxy is None else proxy.variable,
        )
        self._client = httpx.AsyncClient(
            transport=_transport(None if self._stopped else proxy),
            timeout=None,  # noqa: S113 - one limit on the whole exchange holds instead
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={"accept": _ACCEPT, "accept-encoding": "identity", "user-agent": "mergebar"},
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether it was given up."""
        return self._endpoint.notes

    @property
    def throttled(self) -> int:
        """How often it was told to slow down."""
        return self._endpoint.throttled

    async def ask(self, question: Question, /) -> Answer | Failure:
        """One request per turn, more only where that is safe."""
        if self._stopped is not None:
            return self._stopped
        request = self._template.fill(question)
        retrier = Retrier(attempts=self._attempts, timing=self._timing, endpoint=self._endpoint)

        async def attempt() -> Received | Failure | Trouble:
            return self._stopped or await self._try(request)

        reply: Received | Failure | Trouble = await retrier.call(attempt)
        if isinstance(reply, Trouble):
            return reply.failure
        return reply if isinstance(reply, Failure) else self._read(reply)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _try(self, request: Request) -> Received | Failure | Trouble:
        try:
            reply = await exchange(lambda: self._send(request), self._terms)
        except (httpx.InvalidURL, UnicodeError) as error:  # of the whole, or of a host's name
            message = f"{self._party.url_key} becomes no URL with this turn in it: {error}"
            return Failure(error_class=ErrorClass.CONFIG, message=message)
        if not isinstance(reply, Refusal):
            return reply
        if reply.final:
            self._stopped = self._stopped or reply.trouble.failure
            return self._stopped
        return reply.trouble

    async def _send(self, request: Request) -> Received:
        async with self._client.stream(
            self._template.method, request.url, headers=request.headers, content=request.content
        ) as response:
            reply = Received(status=response.status_code, headers=response.headers, body=b"")
            streamed = reply.media_type == http_replies.EVENT_STREAM
            body = await bodies.read(
                response.aiter_raw(),
                encoding=response.headers.get(bodies.ENCODING),
                limit=self._terms.limit,
                is_whole=http_replies.is_ended if streamed else lambda _: False,
            )
        return Received(status=reply.status, headers=reply.headers, body=body)

    def _read(self, reply: Received) -> Answer | Failure:
        content = http_replies.read(reply)
        if isinstance(content, str):
            message = f"{self._party.name} {content}"
            return Failure(error_class=ErrorClass.BAD_RESPONSE, message=message)
        answer = self._selectors.read(content)
        if isinstance(answer, Answer):
            return answer
        return replace(answer, message=f"{self._party.name} {answer.message}")


def _transport(proxy: Proxy | None) -> httpx.AsyncHTTPTransport:
    """One of its own: a client that makes it would read proxies from the environment."""
    return httpx.AsyncHTTPTransport(
        verify=trust.of(httpx.create_ssl_context),
        proxy=None if proxy is None else proxy.url,
        limits=_LIMITS,
    )


def _selectors(options: Mapping[str, Json], *, unfit: bool) -> Selectors:
    return selecting.compiled(None if unfit else options.get("select"))


def _template(options: Mapping[str, Json]) -> Template:
    headers = options.get("headers")
    given = headers if isinstance(headers, dict) else {}
    return Template(
        url=str(options.get("url") or "").strip(),
        method=str(options.get("method") or "POST"),
        headers={name: str(text).strip() for name, text in given.items() if text is not None},
        body=options.get("body"),
        has_body=options.get("body") is not None,
    )
