"""An exception for want of a connection in; why, in our words, and whether it passes, out."""

import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from mergebar.calling import replies
from mergebar.calling.parties import Party
from mergebar.calling.troubles import Refusal, Trouble
from mergebar.model.conversations import ErrorClass, Failure

_LOCAL = {"localhost", "127.0.0.1", "::1", "0.0.0.0"}  # noqa: S104 - compared with, not bound to
_PROXY_ERROR = "ProxyError"
_CONTAINER = (
    "; inside a container `localhost` is the container itself: give the address of the host"
)


def read(error: BaseException, *, party: Party, url: str, proxy: str | None = None) -> Refusal:
    """The trouble that the exception stands for. A broken connection is worth another try.

    `proxy` is the variable that names the proxy on the way, where there is one.
    """
    causes = tuple(_causes(error))
    refused = next(filter(None, map(_refused, causes)), None)
    if proxy is not None and refused is not None:
        return _refusal(_barred(refused, proxy, party), retry=refused[:1] == "5", unreached=True)
    why, passing, unreached = f"the connection to {party.name} broke off", True, False
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        hint = _CONTAINER if urlsplit(url).hostname in _LOCAL else ""
        why, unreached = f"nothing listens at {party.url_key}{hint}", True
    elif any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        why, passing = f"the certificate of {party.url_key} can't be verified", False
    elif any(isinstance(cause, socket.gaierror) for cause in causes):
        why, unreached = f"the host name in {party.url_key} is not known", True
    elif any(isinstance(cause, ssl.SSLError) for cause in causes):
        why, passing = f"no TLS connection to {party.url_key}: is it `http:` instead?", False
    if unreached and party.standing_in and party.keyless:
        why = f"{why}; {party.secret_key} is not set either: name the service that is meant"
    if proxy is not None:
        why = _through(proxy, party, why, unreached=unreached)
    return _refusal(why, retry=passing, unreached=unreached or not passing)


def _refusal(why: str, *, retry: bool, unreached: bool) -> Refusal:
    failure = Failure(error_class=ErrorClass.UNAVAILABLE, message=why)
    return Refusal(trouble=Trouble(failure=failure, retry=retry, unreached=unreached))


def _refused(cause: BaseException) -> str | None:
    """The status and the words with which a proxy doesn't connect us, as clients have them.

    Two clients have a class of that name each, and neither is loaded for the other.
    """
    said = replies.one_line(str(cause), 80)
    return said if type(cause).__name__ == _PROXY_ERROR and said[:1] in {"4", "5"} else None


def _barred(said: str, proxy: str, party: Party) -> str:
    remedy = "give name and password in the variable" if said[:3] == "407" else "mend the variable"
    return (
        f"the proxy in `{proxy}` doesn't connect to {party.url_key} ({said}): {remedy}, or put the "
        "host into `NO_PROXY`"
    )


def _through(proxy: str, party: Party, why: str, *, unreached: bool) -> str:
    """Who didn't answer was the proxy, and not who is behind it."""
    if unreached:
        return (
            f"the proxy in `{proxy}`, through which {party.url_key} is called, can't be reached: "
            "mend the variable, or put the host into `NO_PROXY`"
        )
    return f"{why}, on the way through the proxy in `{proxy}`"


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
