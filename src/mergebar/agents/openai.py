"""The `openai` agent: a question in, one call of a model with its system prompt, its answer out."""

from dataclasses import replace

from mergebar.agents import chat_answers, openai_entry
from mergebar.calling import addresses, http_statuses, openai_client, parties, proxies
from mergebar.calling.addresses import Address
from mergebar.calling.bodies import Received
from mergebar.calling.endpoints import Endpoint
from mergebar.calling.exchanging import Terms, exchange
from mergebar.calling.openai_client import OpenAIClient
from mergebar.calling.retrying import Retrier
from mergebar.calling.troubles import Refusal, Trouble
from mergebar.model.configuration import AgentConfig
from mergebar.model.contexts import AgentContext
from mergebar.model.conversations import Agent, Answer, Failure, Question
from mergebar.model.text import Json, JsonObject

_RESPONSES = "responses"


def create(config: AgentConfig, context: AgentContext) -> Agent:
    """The agent of this entry; what is wrong with the entry is every answer's failure."""
    return OpenAIAgent(config, context)


class OpenAIAgent:
    """Holds connections and the system prompt; the conversation is sent again with each turn."""

    def __init__(self, config: AgentConfig, context: AgentContext) -> None:
        options = config.options
        self._party = replace(parties.agent(config.name), **addresses.implied(options))
        self._attempts = config.attempts
        self._timing = context.timing
        self._model = str(options.get("model") or "")
        self._responses = options.get("api") == _RESPONSES
        address = addresses.read(str(options.get("base_url") or ""))
        key = str(options.get("api_key") or "").strip()
        system = openai_entry.system(options, context.root)
        self._system = system if isinstance(system, str) else None
        known = address or Address(url=addresses.OPENAI, query={}, is_azure=False)
        proxy = proxies.of(known.url, context.environ)
        faults = openai_entry.faults(options, context.root)
        self._stopped = self._party.unfit(faults) or (proxy.failure if proxy else None)
        self._endpoint = Endpoint(
            self._party,
            concurrency=config.concurrency,
            timing=context.timing,
            shared=context.limits,
            url=known.url,
        )
        self._terms = Terms(
            party=self._party,
            url=known.url,
            timeout_s=config.timeout_s,
            limit=config.output_limit,
            limit_key="output_limit",
            may_pass=http_statuses.is_passing_for_agents,
            late_passes=False,
            raised=openai_client.RAISED,
            now=context.timing.now,
            proxy=None if proxy is None else proxy.variable,
        )
        self._client = OpenAIClient(
            known, limit=config.output_limit, proxy=None if self._stopped else proxy
        )
        self._client.credentials = {} if self._stopped else known.credentials(key)

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether it was given up."""
        return self._endpoint.notes

    @property
    def throttled(self) -> int:
        """How often it was told to slow down."""
        return self._endpoint.throttled

    async def ask(self, question: Question, /) -> Answer | Failure:
        """One call per turn, more only where that is safe."""
        retrier = Retrier(attempts=self._attempts, timing=self._timing, endpoint=self._endpoint)

        async def attempt() -> Received | Failure | Trouble:
            return self._stopped or await self._try(question)

        reply: Received | Failure | Trouble = await retrier.call(attempt)
        if isinstance(reply, Trouble):
            return reply.failure
        if isinstance(reply, Failure):
            return reply
        read = chat_answers.of_responses if self._responses else chat_answers.of_chat
        answer = read(reply)
        if isinstance(answer, Answer):
            return answer
        return replace(answer, message=f"{self._party.name} {answer.message}")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _try(self, question: Question) -> Received | Failure | Trouble:
        path, body = self._request(question)
        reply = await exchange(
            lambda: self._client.post(path, body), self._terms, model=self._model
        )
        if not isinstance(reply, Refusal):
            return reply
        if reply.final:
            self._stopped = self._stopped or reply.trouble.failure
            return self._stopped
        return reply.trouble

    def _request(self, question: Question) -> tuple[str, JsonObject]:
        messages: list[Json] = []
        for one in question.history:
            messages.append({"role": "user", "content": one.prompt})
            messages.append({"role": "assistant", "content": one.response})
        messages.append({"role": "user", "content": question.prompt})
        if self._responses:
            instructions = {"instructions": self._system} if self._system else {}
            return "/responses", {"model": self._model, **instructions, "input": messages}
        if self._system:
            messages.insert(0, {"role": "system", "content": self._system})
        return "/chat/completions", {"model": self._model, "messages": messages}
