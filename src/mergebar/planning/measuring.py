"""A turn and an evaluator in; the parts of what they measure, as digests, out."""

from collections.abc import Iterator, Mapping, Sequence

from mergebar import catalogue, identity, rubrics
from mergebar.catalogue import defaults, easing
from mergebar.model.configuration import JudgeConfig
from mergebar.model.definitions import Measured
from mergebar.model.documents import EvaluatorUse, Turn
from mergebar.model.text import Json

_LENGTH = 12
_PROMPTS: Mapping[str, str] = {rubric.name: rubric.version for rubric in rubrics.RUBRICS}


def parts(
    turn: Turn,
    use: EvaluatorUse,
    *,
    prompts: Sequence[str],
    runs: int,
    judge: JudgeConfig | None,
) -> Measured:
    """What is measured, part by part; `prompts` are those up to and with the turn's own.

    An evaluator that isn't built in may ask the judge, so it counts as one that does.
    """
    spec = catalogue.find(use.name)
    judged = spec is None or spec.judged
    asked = judge if judged else None
    return Measured(
        prompt=_short(list(prompts)),
        expected_response=_optional(turn.expected_response),
        context=_optional(turn.context),
        options=dict(sorted(_options(use))),
        judged=judged,
        judge_prompt=_PROMPTS.get(use.name) if judged else None,
        runs=runs,
        votes=asked.runs if asked else 0,
        confirm_failures=asked.confirm_failures if asked else 0,
    )


def _options(use: EvaluatorUse) -> Iterator[tuple[str, Json]]:
    """Bounds as they are, lists text by text: so it can be told whether they ask for less."""
    known = easing.of_evaluator(use.name)
    for name, value in defaults.without(use.options, defaults.of_evaluator(use.name)).items():
        if name in known.bounds:
            yield name, value
        elif name in known.terms and isinstance(value, list):
            yield name, [_short(one) for one in value]
        else:
            yield name, _short(value)


def _optional(text: str | None) -> str | None:
    return None if text is None else _short(text)


def _short(value: Json) -> str:
    """Enough to tell two versions of one part apart."""
    return identity.digest(value)[:_LENGTH]
