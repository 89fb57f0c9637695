"""Turns with their evaluators in, findings about the inputs that these lack out (spec, 1.10)."""

from collections.abc import Iterable
from dataclasses import dataclass

from mergebar import catalogue
from mergebar.model.documents import Origin
from mergebar.model.text import JsonObject
from mergebar.suites.findings import Finding, Pointer, error, warning
from mergebar.suites.resolution import Entries

RULE = "document/missing-input"

_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """A turn without what an inherited evaluator needs; `place` says where, as a person counts."""

    evaluator: str
    pointer: Pointer


def check_turn(
    turn: JsonObject, pointer: Pointer, *, entries: Entries, found: list[Finding]
) -> tuple[Lack, ...]:
    """An evaluator that the turn names itself and can't serve is an error.

    What comes from the defaults is returned: those checks err when they run, and all turns of a
    document are told in one warning.
    """
    lacks = []
    if catalogue.is_blank(turn.get("expected_response")):
        for entry in entries.values():
            if catalogue.EXPECTED_RESPONSE not in entry.spec.needs:
                continue
            if entry.origin is Origin.ITEM:
                found.append(_missing(entry.spec.name, entry.pointer))
            else:
                lacks.append(Lack(evaluator=entry.spec.name, pointer=pointer))
        if "Groundedness" in entries and catalogue.is_blank(turn.get("context")):
            lacks.append(Lack(evaluator="Groundedness", pointer=pointer))
    return tuple(lacks)


def depend_on_inputs(entries: Entries) -> bool:
    """Whether a turn with these evaluators has to bring anything besides its prompt."""
    return any(
        name == "Groundedness" or catalogue.EXPECTED_RESPONSE in entry.spec.needs
        for name, entry in entries.items()
    )


def summarise(lacks: Iterable[Lack]) -> list[Finding]:
    """One warning per evaluator, at the first of the turns."""
    turns: dict[str, list[Pointer]] = {}
    for lack in lacks:
        turns.setdefault(lack.evaluator, []).append(lack.pointer)
    return [_summary(evaluator, pointers) for evaluator, pointers in turns.items()]


def _missing(evaluator: str, pointer: Pointer) -> Finding:
    message = f"`{evaluator}` compares with `expected_response`, and there is none: add it"
    return error(RULE, message, pointer, on_key=True)


def _summary(evaluator: str, pointers: list[Pointer]) -> Finding:
    if evaluator == "Groundedness":
        message = (
            "`Groundedness` has neither `context` nor `expected_response` to hold the answer "
            f"against{_also(pointers)}: add one of them"
        )
        return warning("document/groundedness-context", message, pointers[0])
    message = (
        f"`{evaluator}` from the defaults needs `expected_response`, and there is none"
        f"{_also(pointers)}: the check can't be measured; add it, or choose the evaluators here "
        'with `evaluators_mode` "replace"'
    )
    return warning(RULE, message, pointers[0])


def _also(pointers: list[Pointer]) -> str:
    others = [_name(pointer) for pointer in pointers[1:]]
    if not others:
        return ""
    named = ", ".join(others[:_NAMED])
    more = len(others) - _NAMED
    return f" (nor in {named}{f' and {more} more' if more > 0 else ''})"


def _name(pointer: Pointer) -> str:
    numbers = [step + 1 for step in pointer if isinstance(step, int)]
    return "item " + ".".join(map(str, numbers))
