"""A reply that is no success in, in our words out: the class, whether it passes, the remedy."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from mergebar.calling import http_statuses, replies
from mergebar.calling.bodies import Received
from mergebar.calling.parties import Party
from mergebar.calling.troubles import Refusal, Trouble
from mergebar.model.conversations import ErrorClass, Failure

_UNPROCESSABLE = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}
_TOO_LARGE = 413
_FILTERS = {"content_filter", "ResponsibleAIPolicyViolation"}
_TOO_LONG = {"context_length_exceeded", "exceed_context_size_error"}
_TOO_LONG_WORDS = ("context length", "context size", "context window", "prompt is too long")
"""What services say that have no code for it, as vLLM, llama.cpp and Anthropic do."""

MayPass = Callable[[int, str], bool]
"""Whether a request may succeed later, by its status and the code in its body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reply is read with. `model` is what was asked for, where a model is.

    `too_long` is the class of a request that is too long for the model, where it has one of its
    own. `now` is for a `Retry-After` that is a date.
    """

    party: Party
    model: str | None
    too_long: ErrorClass | None
    may_pass: MayPass
    now: float


def read(reply: Received, given: Reading) -> Refusal:
    """The refusal that a reply stands for."""
    party, model = given.party, given.model
    status, error = reply.status, _error(reply)
    if _is_filtered(error):
        details = error.get("innererror")
        found = details.get("content_filter_result") if isinstance(details, dict) else None
        message = f"the content filter of {party.name} refused the text{replies.filtered(found)}"
        return refusal(ErrorClass.REFUSED, message)
    said = f"(HTTP {status}: {replies.error_text(error, body=reply.body)})"
    code = str(error.get("code") or error.get("type") or "")
    if given.too_long and _is_too_long(status, error):
        return refusal(given.too_long, f"this is too long for {party.name} {said}")
    error_class = http_statuses.error_class(status)
    wait_s = http_statuses.retry_after(reply.headers, now=given.now)
    return Refusal(
        trouble=Trouble(
            failure=Failure(
                error_class=error_class,
                message=f"{_why(error_class, reply, party, model, code)} {said}",
            ),
            retry=given.may_pass(status, code),
            retry_after_s=wait_s,
            throttled=status == HTTPStatus.TOO_MANY_REQUESTS or wait_s is not None,
        ),
        parameter=str(error.get("param") or error) if status in _UNPROCESSABLE else "",
        final=_is_final(error_class, status, code, model),
    )


def refusal(error_class: ErrorClass, message: str) -> Refusal:
    """One that stands alone, and that no further try mends."""
    return Refusal(trouble=Trouble(failure=Failure(error_class=error_class, message=message)))


def _why(
    error_class: ErrorClass, reply: Received, party: Party, model: str | None, code: str
) -> str:
    if code == http_statuses.QUOTA_EXHAUSTED or reply.status == HTTPStatus.PAYMENT_REQUIRED:
        return f"the account at {party.name} has no credit left: top it up"
    if reply.status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        return (
            f"the proxy on the way to {party.url_key} wants to be signed in to: give name and "
            "password in the variable that names it"
        )
    if http_statuses.is_redirect(reply.status):
        target = _target(reply.headers.get("location", ""))
        return f"{party.name} redirects{target}, which is not followed: mend {party.url_key}"
    if reply.status == HTTPStatus.NOT_FOUND:
        return _unknown(party, model)
    words = {
        ErrorClass.AUTH: _unauthorized(party),
        ErrorClass.THROTTLED: f"{party.name} takes no more calls: lower {party.key('concurrency')}",
        ErrorClass.TIMEOUT: f"{party.name} was too slow",
        ErrorClass.UNAVAILABLE: f"{party.name} is not available",
        ErrorClass.CONFIG: f"{party.name} refused the request: check `{party.entry}`",
    }
    return words.get(error_class, f"{party.name} gave no answer")


def _unauthorized(party: Party) -> str:
    if party.keyless:
        return f"{party.name} wants a key at {party.url_key}: set {party.secret_key}"
    return f"{party.name} refused the key: check {party.secret_key} and what it may use"


def _unknown(party: Party, model: str | None) -> str:
    if model:
        where = f"check {party.key('model')} and {party.url_key}"
        return f"{party.name} has no model `{model}`: {where}"
    return f"{party.name} is not at this address: check {party.url_key}"


def _target(location: str) -> str:
    """Where a redirect leads, without what may be secret in it."""
    try:
        parts = urlsplit(location)
        host = f"{parts.scheme}://{parts.hostname}" if parts.hostname else ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    shown = replies.one_line(f"{host}{port}{parts.path}")
    return f" to `{shown}`" if shown else ""


def _is_final(error_class: ErrorClass, status: int, code: str, model: str | None) -> bool:
    return (
        error_class is ErrorClass.AUTH
        or (status == HTTPStatus.NOT_FOUND and model is not None)
        or http_statuses.is_redirect(status)
        or code == http_statuses.QUOTA_EXHAUSTED
    )


def _error(reply: Received) -> dict[str, object]:
    """The error object of the body, whatever shape the service has for it."""
    try:
        value = json.loads(reply.body)
    except (ValueError, RecursionError):
        return {"message": replies.begins(reply.body)}
    if isinstance(value, dict):
        inner = value.get("error")
        return inner if isinstance(inner, dict) else value
    return {"message": value}


def _is_filtered(error: dict[str, object]) -> bool:
    details = error.get("innererror")
    inner = details.get("code") if isinstance(details, dict) else None
    return any(isinstance(code, str) and code in _FILTERS for code in (error.get("code"), inner))


def _is_too_long(status: int, error: dict[str, object]) -> bool:
    if status == _TOO_LARGE or any(error.get(key) in [*_TOO_LONG] for key in ("code", "type")):
        return True
    said = replies.error_text(error).lower()
    return status in _UNPROCESSABLE and any(words in said for words in _TOO_LONG_WORDS)
