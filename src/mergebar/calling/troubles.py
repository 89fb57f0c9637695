"""What became of a failed attempt, as whoever tries again needs to know it."""

from dataclasses import dataclass

from mergebar.model.conversations import Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """An attempt that failed. `retry`: the same call may succeed later, `retry_after_s` from now.

    `throttled`: the endpoint wants fewer calls, so that all others wait as well. `unreached`: there
    was no connection, so that nothing can be said of what is behind the address.
    """

    failure: Failure
    retry: bool = False
    retry_after_s: float | None = None
    throttled: bool = False
    unreached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A failed attempt. `parameter` is what a refused request names, for an adaptation.

    `final`: no other call will fare better, so that none has to be made.
    """

    trouble: Trouble
    parameter: str = ""
    final: bool = False
