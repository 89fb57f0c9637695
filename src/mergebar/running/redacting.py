"""A result of a check in, the same without what its texts may hold of a secret, out.

Whoever scores sees an answer, or a session, as it is, and may say of it what no longer holds a
secret whole. So everything that is said is taken for a text that was made of another one.
"""

from collections.abc import Mapping
from dataclasses import replace

from mergebar.model.conversations import Failure
from mergebar.model.plans import Withholding
from mergebar.model.results import RunResult
from mergebar.model.text import Json, JsonObject
from mergebar.untrusted.redaction import Redactor


def result(found: RunResult | Withholding, redactor: Redactor) -> RunResult | Withholding:
    """Reasons, remarks and records; never a number or an outcome."""
    if isinstance(found, Withholding):
        return replace(found, reason=redactor.redact_derived(found.reason))
    return replace(
        found,
        reason=redactor.redact_derived(found.reason),
        record=_record(found.record, redactor),
        error=None if found.error is None else _failure(found.error, redactor),
        notices=tuple(map(redactor.redact_derived, found.notices)),
        look=redactor.redact_derived(found.look),
    )


def _failure(found: Failure, redactor: Redactor) -> Failure:
    return replace(found, message=redactor.redact_derived(found.message))


def _record(record: JsonObject, redactor: Redactor) -> JsonObject:
    """Keys too: who scores may choose them."""
    return {redactor.redact_derived(key): _value(each, redactor) for key, each in record.items()}


def _value(value: Json, redactor: Redactor) -> Json:
    if isinstance(value, str):
        return redactor.redact_derived(value)
    if isinstance(value, list | tuple):
        return [_value(each, redactor) for each in value]
    if isinstance(value, Mapping):
        return dict(_record(value, redactor))
    return value
