"""What can go wrong at GitHub, by script: `github.faults.append(down("POST", "/comments"))`."""

from dataclasses import dataclass

from support.github.answers import Answer, error

FORBIDDEN = 403


@dataclass(slots=True, kw_only=True)
class Fault:
    """For so many `times`, requests with this method and this in their path fail.

    The first ones of them don't: as many as `after`.
    `answer` is what is sent, `None` closes the connection. `carried_out`: it is done all the same.
    `described`: the answer is one that GitHub's description allows.
    """

    method: str
    within: str
    answer: Answer | None
    times: int = 1
    carried_out: bool = False
    described: bool = True
    after: int = 0


def down(
    method: str, within: str = "", *, status: int = 502, times: int = 1, carried_out: bool = False
) -> Fault:
    """A server error."""
    return Fault(
        method=method,
        within=within,
        answer=error(status, "Server Error"),
        times=times,
        carried_out=carried_out,
    )


def dropped(method: str, within: str = "", *, times: int = 1, carried_out: bool = False) -> Fault:
    """The connection is closed without an answer."""
    return Fault(method=method, within=within, answer=None, times=times, carried_out=carried_out)


def secondary(
    method: str,
    within: str = "",
    *,
    retry_after: int | None = None,
    status: int = 403,
    times: int = 1,
) -> Fault:
    """The secondary rate limit, which may say for how long."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    message = "You have exceeded a secondary rate limit. Please wait a few minutes."
    return Fault(method=method, within=within, answer=error(status, message, headers), times=times)


def primary(method: str, within: str = "", *, reset: int, times: int = 1) -> Fault:
    """The primary rate limit: no request is left until `reset`, in seconds since 1970."""
    headers = {
        "X-RateLimit-Limit": "1000",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": str(reset),
    }
    message = "API rate limit exceeded for installation ID 1."
    return Fault(method=method, within=within, answer=error(403, message, headers), times=times)


def refusal(
    method: str, within: str = "", *, status: int, message: str = "", times: int = 99
) -> Fault:
    """A refusal that no waiting mends; 403 is for want of a permission, unless it says otherwise."""
    message = message or ("Resource not accessible by integration" if status == FORBIDDEN else "no")
    return Fault(method=method, within=within, answer=error(status, message), times=times)


def page_of_a_proxy(
    method: str, within: str = "", *, status: int = 200, carried_out: bool = False
) -> Fault:
    """A reply that isn't GitHub's."""
    return Fault(
        method=method,
        within=within,
        answer=Answer(status=status, body=b"<html>Sign in</html>"),
        carried_out=carried_out,
        described=False,
    )
