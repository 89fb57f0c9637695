"""A judge behind Chat Completions: an assessment or a claim in, one vote out."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

from mergebar import prompting
from mergebar.calling import http_statuses, openai_client
from mergebar.calling.endpoints import Endpoint
from mergebar.calling.exchanging import Terms, exchange
from mergebar.calling.openai_client import OpenAIClient
from mergebar.calling.retrying import Retrier
from mergebar.calling.troubles import Refusal, Trouble
from mergebar.judges import completions, parameters
from mergebar.judges.access import Access
from mergebar.judges.completions import Completion
from mergebar.judges.parameters import Parameters
from mergebar.model.configuration import JudgeConfig
from mergebar.model.contexts import Timing
from mergebar.model.conversations import ErrorClass, Failure, Usage, total_usage
from mergebar.model.judgements import Assessment, Inquiry, JudgeIdentity, Opinion, Verdict
from mergebar.model.limits import Limits
from mergebar.model.text import Json

REPLY_LIMIT = 1024 * 1024
"""A verdict takes a few hundred bytes."""

_Vote = TypeVar("_Vote", Verdict, Opinion)


class _Put(Protocol):
    """Makes the messages; `again` asks a second time."""

    def __call__(self, *, again: bool) -> Sequence[prompting.Message]: ...


@dataclass(slots=True)
class _Line:
    """What was learnt of one model; `stopped` is what no further call can mend."""

    model: str
    parameters: Parameters
    stopped: Failure | None = None


class ChatJudge:
    """One client for the whole run. Retries, adaptations and early stops are ours, not the SDK's.

    What no further call can mend is found once for each model, and then said at once.
    """

    def __init__(
        self,
        config: JudgeConfig,
        access: Access,
        *,
        identity: JudgeIdentity,
        timing: Timing,
        limits: Limits | None = None,
    ) -> None:
        self._access = access
        self._identity = identity
        self._attempts = config.attempts
        self._timing = timing
        self._endpoint = Endpoint(
            access.party,
            concurrency=config.concurrency,
            timing=timing,
            shared=limits,
            url=access.address.url,
        )
        self._lines: dict[str, _Line] = {}
        self._client = OpenAIClient(access.address, limit=REPLY_LIMIT, proxy=access.proxy)
        self._terms = Terms(
            party=access.party,
            url=access.address.url,
            timeout_s=config.timeout_s,
            limit=REPLY_LIMIT,
            limit_key=None,
            may_pass=http_statuses.is_passing,
            late_passes=True,
            raised=openai_client.RAISED,
            now=timing.now,
            too_long=ErrorClass.EVALUATOR,
            proxy=None if access.proxy is None else access.proxy.variable,
        )

    @property
    def identity(self) -> JudgeIdentity:
        """The model, and the parameters that this judge begins with."""
        return self._identity

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether it was given up."""
        return self._endpoint.notes

    @property
    def throttled(self) -> int:
        """How often it was told to slow down."""
        return self._endpoint.throttled

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """One vote; a reply that can't be used is asked for once more."""
        put = partial(prompting.messages, assessment, fence=secrets.token_hex(8))
        return await self._vote(self._line(self._access.model), put, prompting.parse_verdict)

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        """One vote on an assertion, of the model that the eval names or else the judge's own."""
        put = partial(prompting.claim_messages, inquiry.claim, fence=secrets.token_hex(8))
        line = self._line(inquiry.model or self._access.model)
        return await self._vote(line, put, prompting.parse_opinion)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._access.credentials.aclose()
        await self._client.aclose()

    async def _vote(
        self,
        line: _Line,
        put: _Put,
        parse: Callable[[str], _Vote | Failure | prompting.Unusable],
    ) -> _Vote | Failure:
        retrier = Retrier(attempts=self._attempts, timing=self._timing, endpoint=self._endpoint)
        used: list[Usage] = []
        again, factor = False, 1
        while True:
            completion = await self._complete(line, retrier, put(again=again), factor)
            if isinstance(completion, Failure):
                return completion
            used.append(completion.usage)
            vote = _read(completion, parse)
            if isinstance(vote, Failure):
                return vote
            if not isinstance(vote, prompting.Unusable):
                return replace(vote, usage=total_usage(used))
            if again:
                return _unparseable(vote)
            again, factor = True, 2 if completion.cut else 1

    def _line(self, model: str) -> _Line:
        if model not in self._lines:
            self._lines[model] = _Line(model, parameters.start(model))
        return self._lines[model]

    async def _complete(
        self, line: _Line, retrier: Retrier, messages: Sequence[prompting.Message], factor: int
    ) -> Completion | Failure:
        tried: list[Parameters] = []

        async def attempt() -> Completion | Failure | Trouble:
            return line.stopped or await self._adapting(line, tried, messages, factor)

        result: Completion | Failure | Trouble = await retrier.call(attempt)
        return result.failure if isinstance(result, Trouble) else result

    async def _adapting(
        self,
        line: _Line,
        tried: list[Parameters],
        messages: Sequence[prompting.Message],
        factor: int,
    ) -> Completion | Failure | Trouble:
        """Send, and learn from a refusal which parameters the model takes.

        What it took is sent by all calls from then on; a refusal that no parameter mends is no
        reason to send others another time.
        """
        if not tried:
            tried.append(line.parameters)
        while True:
            sent = tried[-1]
            result = await self._send(line.model, sent, messages, factor)
            if not isinstance(result, Refusal):
                if len(tried) > 1:
                    line.parameters = sent
                return result
            better = parameters.adapted(sent, named=result.parameter) if result.parameter else None
            if better is None or better in tried:
                return _noted(line, result)
            tried.append(better)

    async def _send(
        self, model: str, sent: Parameters, messages: Sequence[prompting.Message], factor: int
    ) -> Completion | Failure | Refusal:
        let_in = await self._access.credentials.headers()
        if isinstance(let_in, Failure):
            return Refusal(trouble=Trouble(failure=let_in), final=True)
        self._client.credentials = let_in
        path, name = self._access.place(model)
        body: dict[str, Json] = {
            "model": name,
            "messages": [{"role": one.role, "content": one.content} for one in messages],
            **sent.body(factor=factor),
        }
        reply = await exchange(lambda: self._client.post(path, body), self._terms, model=model)
        if isinstance(reply, Refusal):
            return reply
        return completions.read(reply, party=self._access.party)


class UnfitJudge:
    """Stands for an entry that no call can be made with; every vote is its failure."""

    def __init__(self, failure: Failure, *, identity: JudgeIdentity) -> None:
        self._failure = failure
        self._identity = identity

    @property
    def identity(self) -> JudgeIdentity:
        """Whom the entry names."""
        return self._identity

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """What is wrong with the entry."""
        del assessment
        return self._failure

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        """What is wrong with the entry."""
        del inquiry
        return self._failure

    async def aclose(self) -> None:
        """Nothing is held."""


def _noted(line: _Line, refusal: Refusal) -> Failure | Trouble:
    if refusal.final:
        line.stopped = line.stopped or refusal.trouble.failure
        return line.stopped
    return refusal.trouble


def _read(
    completion: Completion, parse: Callable[[str], _Vote | Failure | prompting.Unusable]
) -> _Vote | Failure | prompting.Unusable:
    if completion.refused is not None:
        message = f"the judge gave no verdict: {completion.refused}"
        return Failure(error_class=ErrorClass.REFUSED, message=message)
    vote = parse(completion.text)
    # An object in words that went on is a draft, or one that is quoted.
    is_whole = completion.text.rstrip().endswith(("}", "```"))
    if completion.cut and (isinstance(vote, prompting.Unusable) or not is_whole):
        return prompting.Unusable(message="it was cut off when its token budget ran out")
    return vote


def _unparseable(why: prompting.Unusable) -> Failure:
    return Failure(
        error_class=ErrorClass.BAD_RESPONSE,
        message=f"the judge's reply is no verdict, asked twice: {why.message}",
    )
