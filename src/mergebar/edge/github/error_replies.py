"""An answer that isn't what was asked for in; what it means, and whether to try again, out."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from mergebar.edge.github.exchange import Lost, Purpose, Reply
from mergebar.model.publishing import GitHubTrouble, TroubleKind
from mergebar.model.text import Json
from mergebar.untrusted import truncation

_SECONDARY_WAIT_S = 60.0
"""What GitHub asks for where a secondary limit doesn't say how long."""
_RESET_MARGIN_S = 1.0
_LONGEST_SAYING = 300
_LIMITS = ("rate limit", "abuse detection")
_DENIED = ("not accessible by", "must have", "permission", "scope")
"""What GitHub says where a token may not; it answers 403 for a locked conversation, too."""
_PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setback:
    """A request that didn't work. `again`: it may work later, `wait_s` from now if GitHub said so.

    Else the waits begin with `first_wait_s` and grow. `unsure`: GitHub may have done it all the
    same. `barred`: whatever else is asked will be refused for the same reason.
    """

    trouble: GitHubTrouble
    again: bool = False
    unsure: bool = False
    barred: bool = False
    wait_s: float | None = None
    first_wait_s: float = 1.0


def understand(
    answer: Reply | Lost, purpose: Purpose, *, now: float, forked: bool
) -> Reply | Setback:
    """The reply itself, unless something went wrong. `forked`: the token can only read."""
    if isinstance(answer, Lost):
        return unavailable(purpose, f"there was no answer ({answer.reason})")
    if answer.status < HTTPStatus.BAD_REQUEST:
        return answer
    saying = _saying(answer)
    if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR or answer.status in _PASSING:
        return unavailable(purpose, f"GitHub answered {answer.status}{saying}")
    if _is_limit(answer):
        return _limited(answer, purpose, now=now)
    if answer.status == HTTPStatus.UNAUTHORIZED:
        message = f"can't use GitHub: it refuses the token{saying}; pass a valid `github-token`"
        trouble = GitHubTrouble(kind=TroubleKind.PERMISSION, message=message)
        return Setback(trouble=trouble, barred=True)
    return Setback(trouble=_final(answer, purpose, saying, forked=forked))


def unavailable(purpose: Purpose, why: str) -> Setback:
    """GitHub or the way to it is broken, for now."""
    message = f"can't {purpose.what}: {why}"
    trouble = GitHubTrouble(kind=TroubleKind.UNAVAILABLE, message=message)
    return Setback(trouble=trouble, again=True, unsure=True)


def given_up(purpose: Purpose) -> Setback:
    """There is no patience left."""
    message = f"can't {purpose.what}: GitHub has taken too much time already, and isn't asked"
    return Setback(trouble=GitHubTrouble(kind=TroubleKind.UNAVAILABLE, message=message))


def _is_limit(reply: Reply) -> bool:
    if reply.status == HTTPStatus.TOO_MANY_REQUESTS:
        return True
    if reply.status != HTTPStatus.FORBIDDEN:
        return False
    said = reply.text.lower()
    return (
        "retry-after" in reply.headers
        or reply.headers.get("x-ratelimit-remaining") == "0"
        or any(limit in said for limit in _LIMITS)
    )


def _limited(reply: Reply, purpose: Purpose, *, now: float) -> Setback:
    wait_s = _wait_s(reply.headers, now=now)
    asks = "" if wait_s is None else f"; GitHub asks to wait {wait_s:.0f} s"
    message = f"can't {purpose.what}: the rate limit of the token is reached{asks}"
    trouble = GitHubTrouble(kind=TroubleKind.RATE_LIMITED, message=message)
    return Setback(trouble=trouble, again=True, wait_s=wait_s, first_wait_s=_SECONDARY_WAIT_S)


def _wait_s(headers: Mapping[str, str], *, now: float) -> float | None:
    """By `retry-after`, else by the reset of an exhausted limit."""
    seconds = headers.get("retry-after", "")
    if seconds.isdecimal():
        return float(seconds[:9])
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset[:12]) - now) + _RESET_MARGIN_S
    return None


def _final(reply: Reply, purpose: Purpose, saying: str, *, forked: bool) -> GitHubTrouble:
    """What no waiting mends."""
    cannot, needs = f"can't {purpose.what}", purpose.permission
    if reply.status == HTTPStatus.FORBIDDEN and _is_denial(saying):
        message = f"{cannot}{saying}; {_remedy(needs, forked=forked)}"
        return GitHubTrouble(kind=TroubleKind.PERMISSION, message=message, permission=needs)
    if reply.status == HTTPStatus.NOT_FOUND:
        hidden = f"it doesn't exist, or the token can't see it (`permissions: {needs}`)"
        return GitHubTrouble(
            kind=TroubleKind.NOT_FOUND, message=f"{cannot}: {hidden}", permission=needs
        )
    kind = TroubleKind.GONE if reply.status == HTTPStatus.GONE else TroubleKind.REJECTED
    message = f"{cannot}: GitHub answered {reply.status}{saying}"
    return GitHubTrouble(kind=kind, message=message)


def _is_denial(saying: str) -> bool:
    return not saying or any(words in saying.lower() for words in _DENIED)


def _remedy(needs: str, *, forked: bool) -> str:
    if forked and not needs.endswith(": read"):
        return (
            f"it takes `permissions: {needs}`, which a pull request from a fork or by Dependabot "
            "can't have: its token can only read"
        )
    return f"add `{needs}` to the `permissions:` of the job"


def _saying(reply: Reply) -> str:
    """GitHub's own words, on one line; nothing where a proxy sent a page."""
    try:
        body: Json = json.loads(reply.text)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(body, dict) or not isinstance(body.get("message"), str):
        return ""
    errors = body.get("errors")
    parts = [body["message"], *(errors if isinstance(errors, list) else [])]
    text = "; ".join(filter(None, map(_part, parts)))
    line = truncation.characters(" ".join(text.replace("`", "'").split()), _LONGEST_SAYING)
    return f" (`{line}`)" if line else ""


def _part(value: Json) -> str:
    if isinstance(value, str):
        return value
    fields = value if isinstance(value, dict) else {}
    named = [fields.get(name) for name in ("field", "message", "code")]
    return " ".join(one for one in named if isinstance(one, str))
