"""The `openai` judge: an assessment in, one vote from any OpenAI-compatible endpoint out."""

import asyncio
import json
import secrets
from collections.abc import Sequence
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
from mergebar.model.judgements import Assessment, Judge, JudgeIdentity, Verdict
from mergebar.model.text import Json

_OPENAI = "https://api.openai.com/v1"
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_NO_KEY = "none"
_ADAPTATIONS = 6


def create(config: JudgeConfig, context: JudgeContext) -> Judge:
    """The judge of this entry; what is wrong with the entry is every vote's failure."""
    return OpenAIJudge(config, context)


class OpenAIJudge:
    """One client for the whole run. Retries, adaptations and early stops are ours, not the SDK's.

    `_stopped` is what no further call can mend: it is found once and then said at once.
    """

    def __init__(self, config: JudgeConfig, context: JudgeContext) -> None:
        base_url = str(config.options.get("base_url") or _OPENAI).strip()
        self._model = config.model or ""
        self._attempts = config.attempts
        self._timeout_s = config.timeout_s
        self._timing = context.timing
        self._limiter = Limiter(concurrency=config.concurrency, timing=context.timing)
        self._parameters = parameters.start(self._model)
        self._identity = _identity(config.model, self._parameters)
        key = str(config.options.get("api_key") or "").strip()
        self._stopped = _unfit(self._model, base_url, key)
        self._is_local = self._stopped is None and urlsplit(base_url).hostname in _LOCAL
        self._client = AsyncOpenAI(
            api_key=key or _NO_KEY,
            base_url=_OPENAI if self._stopped else base_url,
            max_retries=0,
            timeout=None,  # one limit on the whole exchange holds instead: see `_send`
        )

    @property
    def identity(self) -> JudgeIdentity:
        """The model, and the parameters that this judge begins with."""
        return self._identity

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """One vote; a reply that can't be used is asked for once more."""
        retrier = Retrier(attempts=self._attempts, timing=self._timing, limiter=self._limiter)
        fence = secrets.token_hex(8)
        used: list[Usage] = []
        again, factor = False, 1
        while True:
            messages = prompting.messages(assessment, fence=fence, again=again)
            completion = await self._complete(retrier, messages, factor)
            if isinstance(completion, Failure):
                return completion
            used.append(completion.usage)
            verdict = _verdict(completion, total_usage(used))
            if not isinstance(verdict, prompting.Unusable):
                return verdict
            if again:
                return _unparseable(verdict)
            again, factor = True, 2 if completion.cut else 1

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _complete(
        self, retrier: Retrier, messages: Sequence[prompting.Message], factor: int
    ) -> Completion | Failure:
        async def attempt() -> Completion | Failure | Trouble:
            return self._stopped or await self._adapting(messages, factor)

        result: Completion | Failure | Trouble = await retrier.call(attempt)
        return result.failure if isinstance(result, Trouble) else result

    async def _adapting(
        self, messages: Sequence[prompting.Message], factor: int
    ) -> Completion | Failure | Trouble:
        """Send, and learn from a refusal which parameters the model takes: once for all calls."""
        for _ in range(_ADAPTATIONS):
            sent = self._parameters
            result = await self._send(sent, messages, factor)
            if not isinstance(result, refusals.Refusal):
                return result
            better = parameters.adapted(sent, named=result.parameter) if result.parameter else None
            if better is None:
                return self._noted(result)
            if self._parameters == sent:
                self._parameters = better
        return _unsettled()

    async def _send(
        self, sent: Parameters, messages: Sequence[prompting.Message], factor: int
    ) -> Completion | Failure | refusals.Refusal:
        body: dict[str, Json] = {
            "model": self._model,
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
                error, model=self._model, is_local=self._is_local, now=self._timing.now()
            )
        except (ValueError, RecursionError):
            return completions.unreadable()
        return completions.read(_decoded(reply))

    def _noted(self, refusal: refusals.Refusal) -> Failure | Trouble:
        if refusal.final:
            self._stopped = self._stopped or refusal.trouble.failure
            return self._stopped
        return refusal.trouble


def _identity(model: str | None, begun: Parameters) -> JudgeIdentity:
    return JudgeIdentity(
        provider="openai",
        model=model,
        parameters={**begun.body(), "prompt_version": prompting.PROMPT_VERSION},
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


def _verdict(completion: Completion, used: Usage) -> Verdict | Failure | prompting.Unusable:
    if completion.refused is not None:
        message = f"the judge gave no verdict: {completion.refused}"
        return Failure(error_class=ErrorClass.REFUSED, message=message)
    verdict = prompting.parse_verdict(completion.text)
    if isinstance(verdict, Verdict):
        return Verdict(score=verdict.score, reason=verdict.reason, usage=used)
    if isinstance(verdict, prompting.Unusable) and completion.cut:
        return prompting.Unusable(message="it was cut off when its token budget ran out")
    return verdict


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
