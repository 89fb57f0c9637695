"""A service that is called: what all calls to it share, and whether it is called at all.

It must not know what is called, or how: results of calls in, a standing failure or none out.
"""

from mergebar.calling import limiting
from mergebar.calling.parties import Party
from mergebar.calling.troubles import Trouble
from mergebar.model.contexts import Timing
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.limits import Limiter, Limits

NEVER_REACHED = 3
"""So many calls in a row to an endpoint that has never answered, and it is down."""

GONE = 10
"""So many failed calls in a row, and it is down although it has answered before."""

_SIGNS = frozenset({ErrorClass.UNAVAILABLE, ErrorClass.TIMEOUT})


class Endpoint:
    """Its limiter, and `down`: the failure of every further call once it is plainly down.

    The limiter is `shared` with everyone else who calls the host of `url`; `throttled` counts our
    own tries that were one too many. Each call counts once, with all its tries; any reply that
    isn't a sign of trouble starts the count again.
    """

    def __init__(
        self,
        party: Party,
        *,
        concurrency: int,
        timing: Timing,
        shared: Limits | None = None,
        url: str = "",
    ) -> None:
        self.party = party
        self.limiter: Limiter = (
            limiting.Limiter(concurrency=concurrency, timing=timing)
            if shared is None or not url
            else shared.join(url, concurrency=concurrency)
        )
        self.throttled = 0
        self.down: Failure | None = None
        self._answered = False
        self._failed = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """Said once for the whole run, where it was given up."""
        if self.down is None:
            return ()
        said = self.down.message.removeprefix("not asked: ")
        return (f"{said[:1].upper()}{said[1:]}; it was not asked again",)

    def ended(self, result: object) -> None:
        """Take down how a call came out after its last try."""
        failure = result.failure if isinstance(result, Trouble) else None
        if failure is None or failure.error_class not in _SIGNS:
            self._answered, self._failed = True, 0
            return
        self._failed += 1
        self._answered = self._answered or not _is_unreached(result)
        if self._failed >= (GONE if self._answered else NEVER_REACHED) and self.down is None:
            self.down = Failure(
                error_class=ErrorClass.UNAVAILABLE,
                message=(
                    f"not asked: {self.party.name} is down, {self._failed} calls in a row came to "
                    f"nothing: {failure.message}"
                ),
            )


def _is_unreached(result: object) -> bool:
    return isinstance(result, Trouble) and result.unreached
