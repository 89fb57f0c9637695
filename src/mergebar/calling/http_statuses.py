"""What an HTTP status means: its error class, whether to try again, and when."""

import math
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from mergebar.model.conversations import ErrorClass

QUOTA_EXHAUSTED = "insufficient_quota"
"""The code of a 429 that no waiting mends (OpenAI: the account has no credit left)."""

_CLASSES: Mapping[int, ErrorClass] = {
    HTTPStatus.UNAUTHORIZED: ErrorClass.AUTH,
    HTTPStatus.PAYMENT_REQUIRED: ErrorClass.AUTH,
    HTTPStatus.FORBIDDEN: ErrorClass.AUTH,
    HTTPStatus.PROXY_AUTHENTICATION_REQUIRED: ErrorClass.AUTH,
    HTTPStatus.REQUEST_TIMEOUT: ErrorClass.TIMEOUT,
    HTTPStatus.CONFLICT: ErrorClass.UNAVAILABLE,
    HTTPStatus.TOO_MANY_REQUESTS: ErrorClass.THROTTLED,
    HTTPStatus.GATEWAY_TIMEOUT: ErrorClass.TIMEOUT,
}
_PASSING = {
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.CONFLICT,
    HTTPStatus.TOO_MANY_REQUESTS,
}
_PASSING_FOR_AGENTS = {
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
}


def error_class(status: int) -> ErrorClass:
    """The class of a failed response; a request that was refused as such is `config`."""
    if status in _CLASSES:
        return _CLASSES[status]
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ErrorClass.UNAVAILABLE
    if status >= HTTPStatus.BAD_REQUEST or is_redirect(status):
        return ErrorClass.CONFIG
    return ErrorClass.BAD_RESPONSE


def is_redirect(status: int) -> bool:
    """Whether it points elsewhere."""
    return HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST


def is_passing(status: int, code: str = "") -> bool:
    """Whether the same question to a judge may succeed later. `code` is that of the body."""
    if code == QUOTA_EXHAUSTED:
        return False
    return status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def is_passing_for_agents(status: int, code: str = "") -> bool:
    """The same for agents, which may have acted already: only where that is unlikely."""
    return status in _PASSING_FOR_AGENTS and code != QUOTA_EXHAUSTED


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """The seconds that a response asks to wait; `None` where it asks for none, or unreadably.

    `headers` must ignore case, as those of an HTTP client do. `retry-after-ms` is Azure's; the
    standard one holds seconds or a date (RFC 9110, section 10.2.3). A date is compared with the
    server's own `Date` where it sends one: the clocks needn't agree.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None:
        return seconds
    until, sent = _date(value), _date(headers.get("date"))
    return None if until is None else max(0.0, until - (now if sent is None else sent))


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _date(value: str | None) -> float | None:
    try:
        found = parsedate_to_datetime(value or "")
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
