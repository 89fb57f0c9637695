"""A document now and as it was in; which of its cases measure something else out.

Cases are compared by content: order, layout, severity and weight measure nothing.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from mergebar.model.documents import Case, Document, EvaluatorUse, Turn

EDITED = "this case was edited"
ADDED = "this case is new"


def changed(document: Document, before: Document, *, stored: bool) -> Mapping[int, str]:
    """Why cases are affected, by their index; `stored`: the responses in the document count."""
    known = Counter(_content(case, stored=stored) for case in before.cases)
    keys = {case.key for case in before.cases}
    found = {}
    for case in document.cases:
        content = _content(case, stored=stored)
        if known[content]:
            known[content] -= 1
        else:
            found[case.index] = EDITED if case.key in keys else ADDED
    return found


def responses_differ(document: Document, before: Document | None) -> bool:
    """Whether a document carries a response that it didn't carry, or another one."""
    was = set(_responses(before)) if before is not None else set()
    return not was >= set(_responses(document))


def _responses(document: Document) -> Iterator[tuple[str, str]]:
    for case in document.cases:
        for turn in case.turns:
            if turn.stored is not None:
                yield turn.prompt, repr(turn.stored)


def _content(case: Case, *, stored: bool) -> tuple[object, ...]:
    """All of a case that makes a difference to what is measured; its label stands for its name."""
    turns = tuple(_turn(turn, stored=stored) for turn in case.turns)
    return (case.kind, case.label, case.runs, turns)


def _turn(turn: Turn, *, stored: bool) -> tuple[object, ...]:
    return (
        turn.prompt,
        turn.expected_response,
        turn.context,
        frozenset(map(_use, turn.evaluators)),
        repr(turn.stored) if stored else "",
    )


def _use(use: EvaluatorUse) -> tuple[str, float | None, str]:
    options = json.dumps(use.options, sort_keys=True) if use.options else ""
    return use.name, use.threshold, options


def named(cases: AbstractSet[int], document: Document) -> str:
    """How many of a document's cases changed, as a clause."""
    total = len(document.cases)
    if len(cases) == total:
        return "its only case changed" if total == 1 else f"all of its {total} cases changed"
    return f"{len(cases)} of its {total} cases changed"
