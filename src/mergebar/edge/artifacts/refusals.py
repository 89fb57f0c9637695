"""An answer of the artifact service or of its storage in, what it means for an upload out."""

import re
from http import HTTPStatus

from mergebar.calling import http_statuses, machine_json
from mergebar.calling.troubles import Trouble
from mergebar.edge.artifacts import exchanges
from mergebar.edge.artifacts.exchanges import Call, Reply
from mergebar.edge.artifacts.outcomes import ArtifactTrouble, Ending, TroubleKind, not_uploaded
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.text import JsonObject

_QUOTA = "insufficient usage"
_STORAGE_CODE = re.compile(rb"<Code>([A-Za-z]{1,60})</Code>")


def read(
    call: Call, reply: Reply, *, token: str, tried: int
) -> JsonObject | ArtifactTrouble | Trouble:
    """The service's answer to the try number `tried`: its fields, or why there are none."""
    fields = machine_json.parse(reply.body)
    said = _said(fields, token)
    if _QUOTA in said:
        return not_uploaded(
            TroubleKind.QUOTA,
            "the storage for artifacts is used up; delete old ones, set `retention-days`, or "
            "raise the spending limit",
        )
    if _is_success(reply):
        return _unparsable(call, fields) if isinstance(fields, machine_json.Fault) else fields
    if reply.status == HTTPStatus.CONFLICT:
        return _conflict(tried)
    if http_statuses.is_passing(reply.status):
        return exchanges.lost(call, reply)
    return _refused(call, reply, said, not_uploaded)


def read_storage(
    call: Call, reply: Reply, *, ending: Ending = not_uploaded
) -> ArtifactTrouble | Trouble | None:
    """The storage's answer; `None` when it took what it was given."""
    if _is_success(reply):
        return None
    if http_statuses.is_passing(reply.status) and reply.status != HTTPStatus.CONFLICT:
        return exchanges.lost(call, reply)
    code = _STORAGE_CODE.search(reply.body)
    return _refused(call, reply, code.group(1).decode("ascii") if code else "", ending)


def _is_success(reply: Reply) -> bool:
    return HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES


def _said(fields: JsonObject | machine_json.Fault, token: str) -> str:
    message = None if isinstance(fields, machine_json.Fault) else fields.get("msg")
    return exchanges.quoted(message, secret=token) if isinstance(message, str) else ""


def _unparsable(call: Call, fault: machine_json.Fault) -> Trouble:
    message = f"{call.who} answers with something that {fault.message}"
    failure = Failure(error_class=ErrorClass.BAD_RESPONSE, message=message)
    return Trouble(failure=failure, retry=True)


def _conflict(tried: int) -> ArtifactTrouble:
    if tried > 1:
        why = "an earlier try, whose answer was lost, has taken the name; run the job again"
    else:
        why = (
            "this run has an artifact of that name already; give each gate, and each job of a "
            "matrix, its own `check-name`"
        )
    return not_uploaded(TroubleKind.CONFLICT, why)


def _refused(call: Call, reply: Reply, said: str, ending: Ending) -> ArtifactTrouble:
    if reply.location is not None:
        what = "with a redirect, which mergebar doesn't follow there"
        return ending(TroubleKind.BAD_RESPONSE, f"{call.who} answers {what}")
    quote = f", `{said}`" if said else ""
    return ending(TroubleKind.REFUSED, f"{call.who} answers HTTP {reply.status}{quote}")
