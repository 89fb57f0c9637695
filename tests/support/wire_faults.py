"""Everything that goes wrong on a wire, with what each who calls over one makes of it.

One row is one fault; its cells say what an `http` agent, an `openai` agent and a judge make of it.
"""

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from mergebar.calling.retrying import TOTAL_S
from mergebar.model.conversations import ErrorClass
from mergebar.model.text import Json, JsonObject
from support import agent_server
from support.servers import Reply

A, T, X, U, B, C = (
    ErrorClass.AUTH,
    ErrorClass.THROTTLED,
    ErrorClass.TIMEOUT,
    ErrorClass.UNAVAILABLE,
    ErrorClass.BAD_RESPONSE,
    ErrorClass.CONFIG,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What happens, and what each party makes of it: the class (`None`: an answer) and the tries.

    `reply` is made of the reply that would be well. `waits` are all waits between the tries, at
    most; with a chance of nothing, only those that were asked for.
    """

    reply: Callable[[Reply], Reply]
    http: tuple[ErrorClass | None, int]
    openai: tuple[ErrorClass | None, int]
    judge: tuple[ErrorClass | None, int]
    said: str
    waits: float = 0.0


def status(code: int, **headers: str) -> Callable[[Reply], Reply]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: agent_server.error(code, "said so", headers=sent)


def _same(
    reply: Callable[[Reply], Reply],
    error_class: ErrorClass | None,
    tries: tuple[int, int, int],
    said: str,
    *,
    waits: float = 0.0,
) -> Fault:
    """Of one class for all."""
    http, openai, judge = ((error_class, one) for one in tries)
    return Fault(reply=reply, http=http, openai=openai, judge=judge, said=said, waits=waits)


def _odd(keys: JsonObject) -> Callable[[Reply], Reply]:
    value: Json = {"error": {"message": "said so", **keys}}
    return lambda _: Reply(status=400, body=json.dumps(value).encode())


ONCE, ALWAYS, JUDGE_ONLY = (1, 1, 1), (3, 3, 3), (1, 1, 3)

FAULTS: Mapping[str, Fault] = {
    "401": _same(status(401), A, ONCE, "refused the key"),
    "403": _same(status(403), A, ONCE, "refused the key"),
    "404": _same(status(404), C, ONCE, "check `"),
    "408": _same(status(408), X, JUDGE_ONLY, "was too slow"),
    "409": _same(status(409), U, JUDGE_ONLY, "is not available"),
    "429": _same(status(429), T, ALWAYS, "takes no more calls: lower `"),
    "429, wait 2 s": _same(status(429, retry_after="2"), T, ALWAYS, "no more calls", waits=4.0),
    "429, wait an hour": _same(
        status(429, retry_after="3600"), T, ALWAYS, "no more calls", waits=TOTAL_S
    ),
    "500": _same(status(500), U, JUDGE_ONLY, "is not available"),
    "502": _same(status(502), U, ALWAYS, "is not available"),
    "503": _same(status(503), U, ALWAYS, "is not available"),
    "503, wait 2 s": _same(status(503, retry_after="2"), U, ALWAYS, "not available", waits=4.0),
    "504": _same(status(504), X, ALWAYS, "was too slow"),
    "dropped": _same(lambda _: Reply(drop=True), U, ALWAYS, "broke off"),
    "reset in the middle of the body": _same(
        lambda well: replace(well, cut=True), U, ALWAYS, "broke off"
    ),
    "slow headers": _same(lambda well: replace(well, delay_s=5), X, JUDGE_ONLY, "within 0.25 s"),
    "slow body": _same(lambda well: replace(well, drip_s=0.1), X, JUDGE_ONLY, "within 0.25 s"),
    "hang": _same(lambda _: Reply(delay_s=60), X, JUDGE_ONLY, "within 0.25 s"),
    "truncated JSON": _same(lambda well: replace(well, body=well.body[:-9]), B, ONCE, "JSON"),
    "HTML page": _same(lambda _: agent_server.page(), B, ONCE, "a page instead of JSON"),
    "HTML error page": _same(lambda _: agent_server.page(502), U, ALWAYS, "Sign in"),
    "wrong content type": _same(
        lambda well: replace(well, content_type="text/plain"), None, ONCE, ""
    ),
    "200 with an error inside": _same(
        lambda _: Reply(body=b'{"error": {"message": "overloaded", "code": 500}}'),
        B,
        ONCE,
        "overloaded",
    ),
    "redirect loop": _same(status(307, location="/ask"), C, ONCE, "redirects to `/ask`"),
    "10 MB": _same(lambda _: Reply(body=b" " * 10_000_000), B, ONCE, "sent more than 1 M"),
    "10 MB of nothing, compressed": _same(
        lambda _: Reply(body=_squeezed(), headers={"content-encoding": "gzip"}),
        B,
        ONCE,
        "sent more than 1 M",
    ),
    "a body that breaks off within its compression": _same(
        lambda well: replace(
            well, body=gzip.compress(well.body)[:-8], headers={"content-encoding": "gzip"}
        ),
        B,
        ONCE,
        "breaks off within what is compressed as `gzip`",
    ),
    "a body in two pieces, each compressed": _same(
        lambda well: replace(
            well,
            body=gzip.compress(well.body[:9]) + gzip.compress(well.body[9:]),
            headers={"content-encoding": "gzip"},
        ),
        None,
        ONCE,
        "",
    ),
    "400, with a code that is no text": _same(_odd({"code": ["odd"]}), C, ONCE, "HTTP 400: said"),
    "400, with an inner code that is no text": _same(
        _odd({"innererror": {"code": {}}}), C, ONCE, "HTTP 400: said"
    ),
    "400, with a message that is a list": _same(
        lambda _: Reply(status=400, body=b'{"detail": [{"loc": ["body"], "msg": "not sent"}]}'),
        C,
        ONCE,
        "HTTP 400: not sent",
    ),
    "400, with an error that has no words": _same(
        lambda _: Reply(status=400, body=b'{"fault": 17}'), C, ONCE, 'HTTP 400: {"fault": 17}'
    ),
    "407": _same(status(407), A, ONCE, "the proxy on the way to `"),
    "402": _same(status(402), A, ONCE, "has no credit left"),
    "500, with an error in an error, and so on": _same(
        lambda _: Reply(status=500, body=b'{"error": ' * 600 + b'"x"' + b"}" * 600),
        U,
        JUDGE_ONLY,
        "is not available",
    ),
    "200 with an error in an error, and so on": _same(
        lambda _: Reply(body=b'{"error": ' * 600 + b'"x"' + b"}" * 600), B, ONCE, "sent"
    ),
    "429, wait nothing": _same(status(429, retry_after="0"), T, ALWAYS, "no more calls"),
    "a compression that nobody asked for": _same(
        lambda well: replace(well, headers={"content-encoding": "br"}),
        B,
        ONCE,
        "compressed as `br`",
    ),
}


def _squeezed() -> bytes:
    return gzip.compress(b" " * 10_000_000)
