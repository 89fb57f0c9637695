"""What agents and judges said, and what is asked about it, in; the same without secrets out.

A recording is there to be committed. Its digests are of what a replay asks: the earlier answers of
a thread, and the response that is judged, then come out of the recording itself, without secrets.
"""

from collections.abc import Sequence
from dataclasses import replace

from mergebar.model.conversations import Answer, Exchange
from mergebar.model.judgements import Assessment, Opinion, Verdict
from mergebar.model.text import Json, JsonObject
from mergebar.untrusted.redaction import Redactor


def history(said: Sequence[Exchange], redactor: Redactor) -> tuple[Exchange, ...]:
    """The prompts are the document's and stay; the responses were said."""
    return tuple(replace(one, response=redactor.redact(one.response)) for one in said)


def assessment(asked: Assessment, redactor: Redactor) -> Assessment:
    """What is judged was said; the context may have been."""
    material = asked.material
    context = material.context
    return replace(
        asked,
        material=replace(
            material,
            response=redactor.redact(material.response),
            history=history(material.history, redactor),
            context=None if context is None else redactor.redact(context),
        ),
    )


def answer(said: Answer, redactor: Redactor) -> Answer:
    """All of its texts, keys of objects included."""
    return replace(
        said,
        response=redactor.redact(said.response),
        conversation_id=_maybe(said.conversation_id, redactor),
        citations=tuple(
            replace(one, text=_maybe(one.text, redactor), source=_maybe(one.source, redactor))
            for one in said.citations
        ),
        diagnostics=_object(said.diagnostics, redactor),
        tool_calls=_list(said.tool_calls, redactor),
    )


def verdict(said: Verdict, redactor: Redactor) -> Verdict:
    """The reason quotes what was judged."""
    return replace(said, reason=redactor.redact_derived(said.reason))


def opinion(said: Opinion, redactor: Redactor) -> Opinion:
    """The same for all of its words."""
    return replace(
        said,
        claim=redactor.redact_derived(said.claim),
        observed=redactor.redact_derived(said.observed),
        reason=redactor.redact_derived(said.reason),
    )


def _maybe(text: str | None, redactor: Redactor) -> str | None:
    return None if text is None else redactor.redact(text)


def _object(value: JsonObject | None, redactor: Redactor) -> JsonObject | None:
    found = None if value is None else redactor.redact_json(dict(value))
    return found if isinstance(found, dict) else None


def _list(values: tuple[Json, ...] | None, redactor: Redactor) -> tuple[Json, ...] | None:
    return None if values is None else tuple(redactor.redact_json(one) for one in values)
