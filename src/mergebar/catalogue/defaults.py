"""Options in; those that say more than their absence would, out.

What is written out as it is anyway measures nothing else.
"""

from collections.abc import Mapping

from mergebar.model.text import Json, JsonObject

EVALUATORS: Mapping[str, JsonObject] = {
    "Citations": {"citation_format": "oai_unicode"},
    "ExactMatch": {"case_sensitive": False},
    "PartialMatch": {"case_sensitive": False},
    "RetrievalResult": {"max_rank": 10},
}
"""The documented value of each option that has one, but for thresholds."""

GRADERS: Mapping[str, JsonObject] = {
    "tool-usage": {"expect": "used", "includeSidechains": False},
    "tool-order": {"includeSidechains": False},
    "skill-invoked": {"expect": "used"},
    "file-access": {"expect": "accessed"},
    "regex": {"on": "assistant", "expect": "match", "flags": ""},
}

DECLARED: JsonObject = {
    "target": "transcript",
    "options": {},
    "examples": {},
    "success-exit-codes": [0],
    "timeout-ms": 30_000,
    "runs": 3,
}
"""The same for what an eval says beside its options."""

_NOTHING: JsonObject = {}


def without(options: JsonObject, defaults: JsonObject | None) -> JsonObject:
    """The options less those that have their default value; `None` is an unknown name."""
    if not defaults:
        return options
    return {
        name: value
        for name, value in options.items()
        if name not in defaults or not _same(value, defaults[name])
    }


def of_evaluator(name: str) -> JsonObject:
    """The defaults of an evaluator; none for one that isn't built in."""
    return EVALUATORS.get(name, _NOTHING)


def of_grader(name: str) -> JsonObject:
    """The defaults of a grader's options."""
    return GRADERS.get(name, _NOTHING)


def _same(one: Json, other: Json) -> bool:
    """`0` is no `false`."""
    return isinstance(one, bool) is isinstance(other, bool) and one == other
