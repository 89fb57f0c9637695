"""What came of one put turn in, the fields that a document with results gives it out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import jsonschema_rs

from mergebar import catalogue, statuses
from mergebar.model.configuration import Responses
from mergebar.model.conversations import Answer, Citation, Failure
from mergebar.model.results import AskedTurn, Outcome, RunResult
from mergebar.model.text import Json, JsonObject
from mergebar.reading import schemas
from mergebar.report import quoting
from mergebar.statuses import TurnStatus

FOREIGN = "io.github.mergebar.diagnostics"
"""Where diagnostics go that don't have the shape that the schema gives their names."""

_STATED = frozenset({"result", "diagnostic_code"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the output may hold: the minor of its schema, and whether anything may be quoted."""

    minor: int
    responses: Responses

    @property
    def silent(self) -> bool:
        """Whether answers and what quotes them stay out."""
        return self.responses is Responses.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """The output fields of a turn, in order, and the status that its thread counts."""

    fields: JsonObject
    status: TurnStatus | None


def fill(asked: AskedTurn, runs: Mapping[str, RunResult], shape: Shape) -> Filled:
    """`runs` has the result of each attempted evaluator by its name, in order."""
    answer = asked.answer
    attempted = {name: run for name, run in runs.items() if not run.agent_failed}
    spoken = _spoken(answer, silent=shape.silent)
    status = statuses.of_turn(spoken, attempted.values(), minor=shape.minor)
    fields: dict[str, Json] = {}
    if isinstance(answer, Answer):
        fields |= {} if shape.silent else _answered(answer, shape)
    else:
        fields["response"] = ""
        attempted = {}
    fields["scores"] = {_key(name): _record(run, shape) for name, run in attempted.items()}
    if status is not None:
        fields["status"] = status.status.value
        fields |= {"error": dict(status.error)} if status.error is not None else {}
    return Filled(fields=fields, status=status)


def _spoken(answer: Answer | Failure | None, *, silent: bool) -> Answer | Failure | None:
    """The answer; of a failure, as much as may be said."""
    if not (silent and isinstance(answer, Failure)):
        return answer
    return Failure(
        error_class=answer.error_class,
        message=quoting.own_words(answer.error_class, answer.message),
        code=answer.code,
    )


def _answered(answer: Answer, shape: Shape) -> dict[str, Json]:
    fields: dict[str, Json] = {"response": answer.response}
    if answer.citations:
        fields["citations"] = _citations(answer.citations)
    if answer.diagnostics is not None:
        fields["diagnostics"] = _diagnostics(answer.diagnostics, shape.minor)
    return fields


def _citations(citations: Sequence[Citation]) -> list[Json]:
    """Their own numbers where those count from 1, as the schema wants it; else by position."""
    own = all(citation.index >= 1 for citation in citations)
    return [
        {
            "index": citation.index if own else position,
            **({} if citation.text is None else {"text": citation.text}),
            **({} if citation.source is None else {"source": citation.source}),
        }
        for position, citation in enumerate(citations, start=1)
    ]


def _diagnostics(diagnostics: JsonObject, minor: int) -> Json:
    given = dict(diagnostics)
    return given if _validator(minor).is_valid(given) else {FOREIGN: given}


@cache
def _validator(minor: int) -> jsonschema_rs.Draft202012Validator:
    schema = schemas.eval_document(minor)
    return jsonschema_rs.Draft202012Validator(
        {"$defs": schema["$defs"], "$ref": "#/$defs/diagnostics"}
    )


def _key(name: str) -> str:
    """A built-in evaluator's key; a custom one's name as it is."""
    spec = catalogue.find(name)
    return name if spec is None else spec.key


def _record(run: RunResult, shape: Shape) -> dict[str, Json]:
    if run.outcome is Outcome.ERROR and run.error is not None:
        return _errored(run.error, shape)
    if not shape.silent:
        return dict(run.record)
    return {key: value for key, value in run.record.items() if _says_nothing(key, value)}


def _errored(failure: Failure, shape: Shape) -> dict[str, Json]:
    own = quoting.own_words(failure.error_class, failure.message)
    message = own if shape.silent else failure.message
    said = Failure(error_class=failure.error_class, message=message, code=failure.code)
    return statuses.errored_score(said, minor=shape.minor)


def _says_nothing(key: str, value: Json) -> bool:
    """Numbers, and words of the schema's own."""
    return key in _STATED or isinstance(value, bool | int | float)
