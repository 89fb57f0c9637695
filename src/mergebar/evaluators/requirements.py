"""One turn's evidence in; what an evaluator lacks to score it, as a failure, out."""

from mergebar import catalogue
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.evaluations import Evidence


def unmet(evidence: Evidence, *, name: str) -> Failure | None:
    """What the built-in evaluator of this name needs and doesn't find; `None` if all is there."""
    needs = catalogue.EVALUATORS[name].needs
    if catalogue.EXPECTED_RESPONSE in needs and catalogue.is_blank(evidence.expected_response):
        return misconfigured(
            f"`{name}` compares with `expected_response`, and this turn has none: "
            "add one, or remove the evaluator"
        )
    if catalogue.RETRIEVAL not in needs and catalogue.is_blank(evidence.response):
        return Failure(
            error_class=ErrorClass.BAD_RESPONSE,
            message="the agent's answer is empty: there is nothing to score",
            code="emptyAgentResponse",
        )
    return None


def misconfigured(message: str) -> Failure:
    """The document asks for something that can't be measured."""
    return Failure(
        error_class=ErrorClass.EVALUATOR, message=message, code="evaluatorConfigurationError"
    )
