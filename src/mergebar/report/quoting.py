"""A check in, and what of its reason may be shown where responses may not go, out.

Reasons are held to quote a prompt or a response unless it is known that they don't: a judge's
reason may, a hit or a query or a word of the answer does, a position and a count don't.
"""

from mergebar.model.configuration import Responses
from mergebar.model.conversations import ErrorClass
from mergebar.model.reports import ReportCheck

COUNTED = frozenset({"ExactMatch", "Citations"})
"""Evaluators whose reasons are made of our own words and of numbers alone."""

STDERR = "; stderr: "
"""What precedes the end of an agent's stderr in a failure's message; agents log prompts there."""


def reason_quotes(name: str) -> bool:
    """Whether the reason of an evaluator that could say may quote."""
    return name not in COUNTED


def message_quotes(error_class: str, message: str) -> bool:
    """Whether a failure's message carries more than our own words."""
    return own_words(error_class, message) != message


def own_words(error_class: str, message: str) -> str:
    """A failure's message without the agent's stderr, and without a refusal in a model's words."""
    said = message.partition(STDERR)[0]
    return said.partition(": ")[0] if error_class == ErrorClass.REFUSED else said


def is_cut(check: ReportCheck, responses: Responses) -> bool:
    """Whether there is, or was, more to say of a check than may be said here."""
    if not check.quotes or responses is Responses.EVERYWHERE:
        return False
    text = check.reason if check.error is None else check.error.message
    # Where they may go nowhere, they were taken out of the report too.
    return responses is Responses.NONE or reason(check, responses) != text


def reason(check: ReportCheck, responses: Responses) -> str:
    """What a comment, a summary or a log may say about a check; empty where it may say nothing."""
    text = check.reason if check.error is None else check.error.message
    if not check.quotes or responses is Responses.EVERYWHERE:
        return text
    return "" if check.error is None else own_words(check.error.error_class, text)
