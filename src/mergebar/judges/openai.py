"""The `openai` judge: an assessment in, one vote from any OpenAI-compatible endpoint out."""

import asyncio
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import urlsplit

from openai import APIError, AsyncOpenAI

from mergebar import prompting
from mergebar.calling.limiting import Limiter
from mergebar.calling.retrying import Retrier, Trouble
from mergebar.judges import completions, parameters, refusals
from mergebar.judges.completions import Completion
from mergebar.judges.parameters import Parameters
from mergebar.model.configuration import JudgeConfig
from mergebar.model.contexts import JudgeContext
from mergebar.model.conversations import ErrorClass, Failure, Usage, total_usage
from mergebar.model.judgements import (
    Assessment,
    Inquiry,
    Judge,
    JudgeIdentity,
    Opinion,
    Verdict,
)
from mergebar.model.text import Json

_OPENAI = "https://api.openai.com/v1"
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_NO_KEY = "none"
_ADAPTATIONS = 6

_Vote = TypeVar("_Vote", Verdict, Opinion)
_Put = Callable[[bool], Sequence[prompting.Message]]
"""Makes the messages; the argument says whether it is for the second time."""


@dataclass(slots=True)
class _Line:
    """What was learnt of one model; `stopped` is what no further call can mend."""

    model: str
    parameters: Parameters
    stopped: Failure | None = None


def create(config: JudgeConfig, context: JudgeContext) -> Judge:
    """The judge of this entry; what is wrong with the entry is every vote's failure."""
    return OpenAIJudge(config, context)


class OpenAIJudge:
    """One client for the whole run. Retries, adaptations and early stops are ours, not the SDK's.

    What no further call can mend is found once for each model, and then said at once.
    """

    def __init__(self, config: JudgeConfig, context: JudgeContext) -> None:
        base_url = str(config.options.get("base_url") or _OPENAI).strip()
        self._model = config.model or ""
        self._attempts = config.attempts
        self._timeout_s = config.timeout_s
        self._timing = context.timing
        self._limiter = Limiter(concurrency=config.concurrency, timing=context.timing)
        self._identity = _identity(config.model, parameters.start(self._model))
        key = str(config.options.get("api_key") or "").strip()
        self._unfit = _unfit(self._model, base_url, key)
        self._lines: dict[str, _Line] = {}
        self._is_local = self._unfit is None and urlsplit(base_url).hostname in _LOCAL
        self._client = AsyncOpenAI(
            api_key=key or _NO_KEY,
            base_url=_OPENAI if self._unfit else base_url,
            max_retries=0,
            timeout=None,  # one limit on the whole exchange holds instead: see `_send`
        )

    @property
    def identity(self) -> JudgeIdentity:
        """The model, and the parameters that this judge begins with."""
        return self._identity

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """One vote; a reply that can't be used is asked for once more."""
        fence = secrets.token_hex(8)

        def put(again: bool) -> Sequence[prompting.Message]:  # noqa: FBT001 - `_Put`
            return prompting.messages(assessment, fence=fence, again=again)

        return await self._vote(self._line(self._model), put, prompting.parse_verdict)

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        """One vote on an assertion, of the model that the eval names or else the judge's own."""
        fence = secrets.token_hex(8)

        def put(again: bool) -> Sequence[prompting.Message]:  # noqa: FBT001 - `_Put`
            return prompting.claim_messages(inquiry.claim, fence=fence, again=again)

        line = self._line(inquiry.model or self._model)
        return await self._vote(line, put, prompting.parse_opinion)

    async def _vote(
        self,
        line: _Line,
        put: _Put,
        parse: Callable[[str], _Vote | Failure | prompting.Unusable],
    ) -> _Vote | Failure:
        retrier = Retrier(attempts=self._attempts, timing=self._timing, limiter=self._limiter)
        used: list[Usage] = []
        again, factor = False, 1
        while True:
            completion = await self._complete(line, retrier, put(again), factor)
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
            self._lines[model] = _Line(model, parameters.start(model), stopped=self._unfit)
        return self._lines[model]

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _complete(
        self, line: _Line, retrier: Retrier, messages: Sequence[prompting.Message], factor: int
    ) -> Completion | Failure:
        async def attempt() -> Completion | Failure | Trouble:
            return line.stopped or await self._adapting(line, messages, factor)

        result: Completion | Failure | Trouble = await retrier.call(attempt)
        return result.failure if isinstance(result, Trouble) else result

    async def _adapting(
        self, line: _Line, messages: Sequence[prompting.Message], factor: int
    ) -> Completion | Failure | Trouble:
        """Send, and learn from a refusal which parameters the model takes: once for all calls."""
        for _ in range(_ADAPTATIONS):
            sent = line.parameters
            result = await self._send(line.model, sent, messages, factor)
            if not isinstance(result, refusals.Refusal):
                return result
            better = parameters.adapted(sent, named=result.parameter) if result.parameter else None
            if better is None:
                return _noted(line, result)
            if line.parameters == sent:
                line.parameters = better
        return _unsettled()

    async def _send(
        self, model: str, sent: Parameters, messages: Sequence[prompting.Message], factor: int
    ) -> Completion | Failure | refusals.Refusal:
        body: dict[str, Json] = {
            "model": model,
            "messages": [{"role": one.role, "content": one.content} for one in messages],
            **sent.body(factor=factor),
        }
        try:
            async with asyncio.timeout(self._timeout_s):
                reply = await self._client.post("/chat/completions", body=body, cast_to=object)
        except TimeoutError:
            return _late(self._timeout_s)
        except APIError as error:
            return refusals.read(
                error, model=model, is_local=self._is_local, now=self._timing.now()
            )
        except (ValueError, RecursionError):
            return completions.unreadable()
        return completions.read(_decoded(reply))


def _noted(line: _Line, refusal: refusals.Refusal) -> Failure | Trouble:
    if refusal.final:
        line.stopped = line.stopped or refusal.trouble.failure
        return line.stopped
    return refusal.trouble


def _identity(model: str | None, begun: Parameters) -> JudgeIdentity:
    return JudgeIdentity(
        provider="openai",
        model=model,
        parameters={
            **begun.body(),
            "prompt_version": prompting.PROMPT_VERSION,
        },
    )


def _unfit(model: str, base_url: str, key: str) -> Failure | None:
    message = None
    if not model:
        message = "`judge.model` is not set: name the model, it is part of the result"
    elif not _is_url(base_url):
        message = "`judge.base_url` must be a URL that begins with `http://` or `https://`"
    elif not key.isascii() or not key.isprintable():
        message = "`judge.api_key` holds characters that no key has: was it pasted with others?"
    return Failure(error_class=ErrorClass.CONFIG, message=message) if message else None


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _read(
    completion: Completion, parse: Callable[[str], _Vote | Failure | prompting.Unusable]
) -> _Vote | Failure | prompting.Unusable:
    if completion.refused is not None:
        message = f"the judge gave no verdict: {completion.refused}"
        return Failure(error_class=ErrorClass.REFUSED, message=message)
    vote = parse(completion.text)
    if isinstance(vote, prompting.Unusable) and completion.cut:
        return prompting.Unusable(message="it was cut off when its token budget ran out")
    return vote


def _unparseable(why: prompting.Unusable) -> Failure:
    return Failure(
        error_class=ErrorClass.BAD_RESPONSE,
        message=f"the judge's reply is no verdict, asked twice: {why.message}",
    )


def _late(timeout_s: float) -> refusals.Refusal:
    failure = Failure(
        error_class=ErrorClass.TIMEOUT,
        message=f"the judge did not answer within {timeout_s:g} s (`judge.timeout`)",
    )
    return refusals.Refusal(trouble=Trouble(failure=failure, retry=True))


def _unsettled() -> Failure:
    return Failure(
        error_class=ErrorClass.CONFIG,
        message="the judge refuses every set of parameters: is `judge.model` a chat model?",
    )


def _decoded(reply: object) -> object:
    """Some services send JSON under another content type; the SDK hands that on as text."""
    if not isinstance(reply, str):
        return reply
    try:
        value: object = json.loads(reply)
    except (ValueError, RecursionError):
        return reply
    return value
