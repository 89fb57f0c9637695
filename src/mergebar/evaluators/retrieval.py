"""An agent's diagnostics in; what it retrieved, as values, out.

Diagnostics are untrusted: any type may be anywhere, and what is wrong is said with its place.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mergebar.evaluators import scoring
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.text import Json, JsonObject

_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One retrieved result; `rank` is the stated one, else its place in the list from 1."""

    rank: int
    url: str | None
    extracts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One use of a retrieval capability. `None` is unknown."""

    capability: str | None
    status: str | None
    queries: tuple[str, ...]
    hits: tuple[Hit, ...]

    @property
    def failed(self) -> bool:
        """It says that it didn't succeed; an unknown status says nothing."""
        return self.status is not None and self.status.casefold() != "success"


def executions(diagnostics: JsonObject | None) -> tuple[Execution, ...] | Failure:
    """All executions in order; a `Failure` where there is no telling what was retrieved."""
    listed = None if diagnostics is None else diagnostics.get("retrieval_executions")
    if listed is None:
        return Failure(
            error_class=ErrorClass.EVALUATOR,
            message="the agent supplies no retrieval diagnostics (`retrieval_executions`), so what "
            "it retrieved can't be seen: let its adapter return them, or remove the evaluator",
            code="evaluatorError",
        )
    reader = _Reader()
    read = tuple(reader.execution(at, each) for at, each in reader.entries(("", listed)))
    return reader.failure() or read


def scoped(all_: Iterable[Execution], capability: str) -> tuple[Execution, ...]:
    """The executions of exactly this capability."""
    return tuple(each for each in all_ if each.capability == capability)


def nothing_scoped(all_: Iterable[Execution], capability: str) -> str:
    """Why no execution is of this capability, and the one that was perhaps meant."""
    names = list(dict.fromkeys(each.capability for each in all_ if each.capability))
    reason = f"the agent didn't use the capability `{capability}`"
    alike = [name for name in names if name.casefold() == capability.casefold()]
    if alike:
        return f"{reason}; it used `{_short(alike[0])}`, which differs in upper and lower case only"
    if names:
        used = ", ".join(f"`{_short(name)}`" for name in names[:_NAMED])
        return f"{reason}; it used {used}"
    return reason


def _short(text: str) -> str:
    return scoring.tidy(text, limit=60)


class _Reader:
    """Reads one value after the other and remembers what isn't as it should be."""

    def __init__(self) -> None:
        self._faults: list[str] = []

    def failure(self) -> Failure | None:
        if not self._faults:
            return None
        said = "; ".join(self._faults[:_NAMED])
        more = len(self._faults) - _NAMED
        return Failure(
            error_class=ErrorClass.BAD_RESPONSE,
            message="the agent's retrieval diagnostics can't be read: "
            + said
            + (f"; and {more} more" if more > 0 else ""),
            code="evaluatorError",
        )

    def execution(self, at: str, value: Json) -> Execution:
        fields = self._object(at, value)
        queries = [
            self._text(f"{place}.queryString", self._object(place, each).get("queryString"))
            for place, each in self.entries(self._at(at, fields, "queries"))
        ]
        hits = self.entries(self._at(at, fields, "retrievalHits"))
        return Execution(
            capability=self._text(*self._at(at, fields, "capability")),
            status=self._text(*self._at(at, fields, "status")),
            queries=tuple(query for query in queries if query is not None),
            hits=tuple(
                self._hit(place, each, position)
                for position, (place, each) in enumerate(hits, start=1)
            ),
        )

    def _hit(self, at: str, value: Json, position: int) -> Hit:
        fields = self._object(at, value)
        rank = self._whole(*self._at(at, fields, "rank"))
        texts = [
            self._text(f"{place}.text", self._object(place, each).get("text"))
            for place, each in self.entries(self._at(at, fields, "extracts"))
        ]
        return Hit(
            rank=position if rank is None else rank,
            url=self._text(*self._at(at, fields, "webUrl")),
            extracts=tuple(text for text in texts if text is not None),
        )

    def entries(self, placed: tuple[str, Json]) -> list[tuple[str, Json]]:
        """The entries of a list with their places; none where it is absent."""
        at, value = placed
        if value is None:
            return []
        if not isinstance(value, list):
            self._fault(at, value, "a list")
            return []
        return [(f"{at}[{index}]", each) for index, each in enumerate(value)]

    @staticmethod
    def _at(at: str, fields: JsonObject, key: str) -> tuple[str, Json]:
        return f"{at}.{key}", fields.get(key)

    def _object(self, at: str, value: Json) -> JsonObject:
        if isinstance(value, Mapping):
            return value
        self._fault(at, value, "an object")
        return {}

    def _text(self, at: str, value: Json) -> str | None:
        if value is None or isinstance(value, str):
            return value
        self._fault(at, value, "a string")
        return None

    def _whole(self, at: str, value: Json) -> int | None:
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
        self._fault(at, value, "a whole number")
        return None

    def _fault(self, at: str, value: Json, wanted: str) -> None:
        self._faults.append(f"`retrieval_executions{at}` is {_kind(value)} and not {wanted}")


def _kind(value: Json) -> str:
    kinds: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "true or false"),
        ((int, float), "a number"),
        (str, "a string"),
        (list, "a list"),
        (Mapping, "an object"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")
