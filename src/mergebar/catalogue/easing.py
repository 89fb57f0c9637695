"""The options of evaluators and graders whose values ask for more or for less, and which way."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mergebar.catalogue import graders
from mergebar.catalogue.graders import Bound
from mergebar.model.text import Json

CITATION_FORMATS = ("oai_unicode", "bracket", "markdown", "mixed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Easing:
    """By the option's name: which numbers a bound lets through; what all has to hold, so that a
    shorter list asks for less; and its values, those behind the first bar that ask for the least.
    """

    bounds: Mapping[str, Bound] = field(default_factory=dict)
    terms: frozenset[str] = frozenset()
    choices: Mapping[str, tuple[tuple[Json, ...], tuple[Json, ...]]] = field(default_factory=dict)


_CASE = Easing(choices={"case_sensitive": ((True,), (False,))})
EVALUATORS: Mapping[str, Easing] = {
    "Citations": Easing(
        choices={"citation_format": (CITATION_FORMATS[:-1], (CITATION_FORMATS[-1], "inline"))}
    ),
    "ExactMatch": _CASE,
    "PartialMatch": _CASE,
    "RetrievalQuery": Easing(terms=frozenset({"includes", "excludes"})),
    "RetrievalResult": Easing(
        bounds={"max_rank": Bound.CEILING, "min_expected_count": Bound.FLOOR},
        terms=frozenset({"expected_items"}),
    ),
}
GRADERS = Easing(bounds=graders.BOUNDS)
NOTHING = Easing()


def of_evaluator(name: str) -> Easing:
    """None of one that isn't built in is known."""
    return EVALUATORS.get(name, NOTHING)
