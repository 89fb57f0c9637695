"""What a host said of its trouble in; why a session shows nothing of the agent out."""

import re

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.untrusted import characters

_LOOK = 2_000
_SHOWN = 200
_CAUSES = {
    ErrorClass.AUTH: (
        r"invalid (x-)?api[ -]?key|please run /login|not logged in|oauth token|authentication"
        r"|unauthori[sz]ed|api error:? \(?40[13]|permission_error|api key (is )?not"
    ),
    ErrorClass.THROTTLED: r"api error:? \(?429|rate.?limit|usage limit|too many requests",
    ErrorClass.UNAVAILABLE: (
        r"api error|overloaded|credit balance|billing_error|connection error|server_error"
        r"|internal server error|request timed out"
    ),
}
_REMEDIES = {
    ErrorClass.AUTH: "let the agent log in, or give it its key, and record the session again",
    ErrorClass.THROTTLED: "record the session again when the limit is lifted",
}
_AGAIN = "record the session again"
_NOTHING = "the agent neither did nor said anything in it"


def known_trouble(text: str) -> ErrorClass | None:
    """What kind of trouble with its model a host speaks of; `None` if it is none that we know."""
    seen = text[:_LOOK]
    return next(
        (cause for cause, words in _CAUSES.items() if re.search(words, seen, re.IGNORECASE)), None
    )


def failure(said: str) -> Failure:
    """`said` is the host's own account, empty where it gave none."""
    cause = known_trouble(said)
    told = characters.line(said, limit=_SHOWN)
    return Failure(
        error_class=cause or ErrorClass.BAD_RESPONSE,
        message=(
            f"the session came to nothing: {told or _NOTHING}; "
            f"{_REMEDIES.get(cause, _AGAIN) if cause else _AGAIN}"
        ),
    )
