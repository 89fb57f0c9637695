"""The `result` records of a stream in; how the run ended and what they prove missing out."""

from collections.abc import Iterator

from mergebar.model.conversations import Failure
from mergebar.model.gaps import Gap, Missing
from mergebar.model.sessions import TokenUsage
from mergebar.model.text import Json, JsonObject
from mergebar.traces import idle, missing, tokens
from mergebar.traces.building import DENIED, TOOL_CALL, Building
from mergebar.traces.tokens import Ledger

_SUCCESS = "success"
_FAILED = "error"
"""How the subtype of a run that failed begins."""


class Results:
    """All of a stream: one for each prompt that it was given."""

    def __init__(self) -> None:
        self.all: list[JsonObject] = []
        self.denied: list[Json] = []

    @property
    def last(self) -> JsonObject:
        """The last one; empty where there is none."""
        return self.all[-1] if self.all else {}

    @property
    def is_error(self) -> bool:
        """Whether the run says that it failed, in whichever way."""
        return bool(self.last.get("is_error")) or str(self.last.get("subtype")).startswith(_FAILED)

    @property
    def reason(self) -> str | None:
        """Why the run ended."""
        reasons = (self.last.get(key) for key in ("terminal_reason", "subtype"))
        return next((reason for reason in reasons if isinstance(reason, str)), None)

    def add(self, record: JsonObject) -> None:
        """The next one."""
        self.all.append(record)
        denials = record.get("permission_denials")
        self.denied += denials if isinstance(denials, list) else []

    def usage(self, ledger: Ledger) -> TokenUsage | None:
        """What the last one states; without its tokens, the sum over the replies that came."""
        stated = tokens.stated(self.last.get("usage"), self.last.get("total_cost_usd"))
        return tokens.settled(stated, ledger.total())

    def mark_denied(self, building: Building) -> None:
        """A denied call has an error for a result, and is named here."""
        for key in map(_key, self.denied):
            call = building.failed.get(key) if key is not None else None
            if call is not None:
                building.call_statuses[call] = DENIED

    def idle(self, building: Building, trouble: str) -> Failure | None:
        """Why the run came to nothing, if it did. `trouble` is what the host said in a reply."""
        said = self._said() or trouble
        if not missing.agent_acted(building):
            answered = isinstance(self.last.get("result"), str) and not self.is_error
            return None if answered and not trouble else idle.failure(said)
        failed = self.is_error and idle.known_trouble(said) is not None
        return idle.failure(said) if failed and TOOL_CALL not in building.kinds else None

    def gaps(self, building: Building, *, goes_on: bool) -> Iterator[Gap]:
        """`goes_on`: somebody speaks after the last result."""
        if not self.all:
            yield Gap(missing=Missing.END, what="the stream ends without a `result`")
        elif goes_on:
            what = "the stream ends without a `result` for its last turn"
            yield Gap(missing=Missing.END, what=what)
        if self.is_error:
            # An error of its host ends a run in an error that calls itself a success.
            why = "" if self.reason in {None, _SUCCESS} else f" (`{self.reason}`)"
            yield Gap(missing=Missing.END, what=f"the run ended in an error{why}")
        if self.all and not missing.agent_acted(building):
            what = "only what the run ended with is in the trace"
            yield Gap(missing=Missing.MIDDLE, what=what)
        known = frozenset(building.call_keys) if self.denied else frozenset[int]()
        lost = sum(1 for key in map(_key, self.denied) if key is None or hash(key) not in known)
        if lost:
            many = "a call that was denied isn't" if lost == 1 else f"{lost} denied calls aren't"
            yield Gap(missing=Missing.MIDDLE, what=f"{many} among the records of the stream")

    def _said(self) -> str:
        """The host's account of an error."""
        if not self.is_error:
            return ""
        errors = self.last.get("errors")
        told = [self.last.get("result"), *(errors if isinstance(errors, list) else ())]
        return " ".join(one for one in told if isinstance(one, str)) or str(self.reason or "")


def _key(denial: Json) -> str | None:
    key = denial.get("tool_use_id") if isinstance(denial, dict) else None
    return key if isinstance(key, str) else None
