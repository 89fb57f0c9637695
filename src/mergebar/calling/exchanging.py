"""One request in, one whole and successful reply, or why there is none, out."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus

from mergebar.calling import connections, refusals
from mergebar.calling.bodies import Received, TooLargeError, UnreadableError
from mergebar.calling.parties import Party
from mergebar.calling.refusals import MayPass, Reading
from mergebar.calling.sizes import size
from mergebar.calling.troubles import Refusal, Trouble
from mergebar.model.conversations import ErrorClass, Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On what terms a party is called.

    `raised` is what its client raises when a connection fails. `limit_key` is the key that bounds
    a reply, where there is one. `late_passes`: a call that was too slow is tried again.
    `too_long` is the class of a text that is too long for a model, where that is nobody's fault.
    `proxy` is the variable that names the proxy on the way, where there is one.
    """

    party: Party
    url: str
    timeout_s: float
    limit: int
    limit_key: str | None
    may_pass: MayPass
    late_passes: bool
    raised: tuple[type[Exception], ...]
    now: Callable[[], float]
    too_long: ErrorClass | None = None
    proxy: str | None = None


async def exchange(
    send: Callable[[], Awaitable[Received]], terms: Terms, *, model: str | None = None
) -> Received | Refusal:
    """Send once, within the time that is given to the whole exchange."""
    party = terms.party
    try:
        async with asyncio.timeout(terms.timeout_s):
            reply = await send()
    except TimeoutError:
        return _late(terms)
    except TooLargeError:
        limit = f" ({party.key(terms.limit_key)})" if terms.limit_key else ""
        message = f"{party.name} sent more than {size(terms.limit)}{limit} and was cut off"
        return refusals.refusal(ErrorClass.BAD_RESPONSE, message)
    except UnreadableError as error:
        return refusals.refusal(ErrorClass.BAD_RESPONSE, f"the reply of {party.name} {error}")
    except terms.raised as error:
        return connections.read(error, party=party, url=terms.url, proxy=terms.proxy)
    if HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES:
        return reply
    reading = Reading(
        party=party,
        model=model,
        too_long=terms.too_long,
        may_pass=terms.may_pass,
        now=terms.now(),
    )
    return refusals.read(reply, reading)


def _late(terms: Terms) -> Refusal:
    failure = Failure(
        error_class=ErrorClass.TIMEOUT,
        message=(
            f"{terms.party.name} did not answer within {terms.timeout_s:g} s "
            f"({terms.party.key('timeout')})"
        ),
    )
    return Refusal(trouble=Trouble(failure=failure, retry=terms.late_passes))
