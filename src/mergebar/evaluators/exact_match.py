"""A response and the expected response in; whether they are the same text, out."""

from mergebar.evaluators import scoring
from mergebar.evaluators.measuring import Measured
from mergebar.model.evaluations import Evaluator, Evidence, Score
from mergebar.model.text import JsonObject


def create() -> Evaluator:
    return Measured(name="ExactMatch", measure=_measure)


def _measure(evidence: Evidence, options: JsonObject, _threshold: float) -> Score:
    case_sensitive = options.get("case_sensitive") is True
    expected = evidence.expected_response or ""
    given = scoring.composed(evidence.response.strip(), case_sensitive=case_sensitive)
    wanted = scoring.composed(expected.strip(), case_sensitive=case_sensitive)
    match = given == wanted
    return scoring.fixed(
        score=1.0 if match else 0.0,
        passed=match,
        reason=_reason(given, wanted),
        extra={"match": match},
    )


def _reason(given: str, wanted: str) -> str:
    """Without a word of the answer: where it differs is enough to find it."""
    if given == wanted:
        return "the answer is the expected response"
    if given.casefold() == wanted.casefold():
        return "the answer differs from the expected response in upper and lower case only"
    if wanted and wanted in given:
        return (
            f"the answer contains the expected response and {len(given) - len(wanted)} characters "
            "more; `PartialMatch` measures overlap"
        )
    agreeing = next(
        (index for index, (a, b) in enumerate(zip(given, wanted, strict=False)) if a != b),
        min(len(given), len(wanted)),
    )
    return f"the answer differs from the expected response at character {agreeing + 1}"
