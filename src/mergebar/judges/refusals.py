"""What the openai client raised in, in our words out: the class, whether it passes, the remedy."""

import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus

import openai

from mergebar.calling import http_statuses
from mergebar.calling.retrying import Trouble
from mergebar.judges import completions
from mergebar.model.conversations import ErrorClass, Failure

_UNPROCESSABLE = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}
_TOO_LARGE = 413
_CONTAINER = (
    "; inside a container `localhost` is the container itself: give the address of the host"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A failed attempt. `parameter` is what a refused request names, for an adaptation.

    `final`: no other call will fare better, so that none has to be made.
    """

    trouble: Trouble
    parameter: str = ""
    final: bool = False


def read(error: openai.APIError, *, model: str, is_local: bool, now: float) -> Refusal:
    """The refusal that the exception stands for; `now` is for a `Retry-After` that is a date."""
    if isinstance(error, openai.APIStatusError):
        return _status(error, model=model, now=now)
    if isinstance(error, openai.APIConnectionError):
        return _connection(error, is_local=is_local)
    return _refusal(ErrorClass.BAD_RESPONSE, f"the judge's reply can't be read: {error.message}")


def _status(error: openai.APIStatusError, *, model: str, now: float) -> Refusal:
    status, body = error.status_code, _body(error)
    text = completions.error_text(body)
    if _is_filtered(body):
        details = body.get("innererror")
        found = details.get("content_filter_result") if isinstance(details, dict) else None
        categories = completions.filtered(found)
        message = f"the judge's content filter refused the material{categories}"
        return _refusal(ErrorClass.REFUSED, message)
    said = f"(HTTP {status}: {text})"
    if body.get("code") == "context_length_exceeded" or status == _TOO_LARGE:
        return _refusal(ErrorClass.EVALUATOR, f"this is too long for the judge {said}")
    error_class = http_statuses.error_class(status)
    code = str(body.get("code") or body.get("type") or "")
    trouble = Trouble(
        failure=Failure(
            error_class=error_class, message=f"{_why(error_class, status, model, code)} {said}"
        ),
        retry=http_statuses.is_passing(status, code=code),
        retry_after_s=http_statuses.retry_after(error.response.headers, now=now),
        throttled=status == HTTPStatus.TOO_MANY_REQUESTS,
    )
    return Refusal(
        trouble=trouble,
        parameter=str(body.get("param") or body) if status in _UNPROCESSABLE else "",
        final=_is_final(error_class, status, code),
    )


def _why(error_class: ErrorClass, status: int, model: str, code: str) -> str:
    if code == http_statuses.QUOTA_EXHAUSTED:
        return "the judge's account has no credit left: top it up"
    if status == HTTPStatus.NOT_FOUND:
        return f"the judge has no model `{model}`: check `judge.model` and `judge.base_url`"
    words = {
        ErrorClass.AUTH: "the judge refused the key: check `judge.api_key` and what it may use",
        ErrorClass.THROTTLED: "the judge takes no more calls: lower `judge.concurrency`",
        ErrorClass.TIMEOUT: "the judge was too slow",
        ErrorClass.UNAVAILABLE: "the judge is not available",
        ErrorClass.CONFIG: "the judge refused the request: check `judge`",
    }
    return words.get(error_class, "the judge gave no answer")


def _is_final(error_class: ErrorClass, status: int, code: str) -> bool:
    return (
        error_class is ErrorClass.AUTH
        or status == HTTPStatus.NOT_FOUND
        or code == http_statuses.QUOTA_EXHAUSTED
    )


def _body(error: openai.APIStatusError) -> dict[str, object]:
    if isinstance(error.body, dict):
        return error.body
    return {"message": error.body if isinstance(error.body, str) else "no message"}


def _is_filtered(body: dict[str, object]) -> bool:
    details = body.get("innererror")
    inner = details.get("code") if isinstance(details, dict) else None
    return body.get("code") == "content_filter" or inner == "ResponsibleAIPolicyViolation"


def _connection(error: openai.APIConnectionError, *, is_local: bool) -> Refusal:
    causes = tuple(_causes(error))
    why, passing = "the connection to the judge broke off", True
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        why = "nothing listens at `judge.base_url`" + (_CONTAINER if is_local else "")
    elif any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        why, passing = "the certificate of `judge.base_url` can't be verified", False
    elif any(isinstance(cause, socket.gaierror) for cause in causes):
        why = "the host name in `judge.base_url` is not known"
    elif any(isinstance(cause, ssl.SSLError) for cause in causes):
        why, passing = "no TLS connection to `judge.base_url`: is it `http:` instead?", False
    return _refusal(ErrorClass.UNAVAILABLE, why, retry=passing)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What led to the exception: causes, contexts, and the members of groups."""
    open_, seen = [error], set[int]()
    while open_:
        one = open_.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        open_ += [cause for cause in (one.__cause__, one.__context__) if cause is not None]
        if isinstance(one, BaseExceptionGroup):
            open_ += one.exceptions


def _refusal(error_class: ErrorClass, message: str, *, retry: bool = False) -> Refusal:
    failure = Failure(error_class=error_class, message=message)
    return Refusal(trouble=Trouble(failure=failure, retry=retry))
