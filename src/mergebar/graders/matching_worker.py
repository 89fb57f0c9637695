"""Lines on stdin in, one answer each on stdout out: patterns and schemas of a stranger, applied.

Run as a process of its own, which whoever asks may end at any time.
"""

import json
import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import TextIO

import jsonschema_rs

from mergebar.model.text import Json, JsonObject
from mergebar.patterns import ecmascript

_MEMORY = 2 * 1024**3
_MOST = 20
_LONGEST = 300


def answer(line: str) -> JsonObject:
    """What a question is answered with; `fault` where it can't be."""
    try:
        asked = json.loads(line)
        if asked["do"] == "search":
            pattern, flags = asked["pattern"], asked["flags"]
            return {"found": [ecmascript.search(pattern, flags, text) for text in asked["texts"]]}
        return {"violations": list(_violations(asked["schema"], asked["value"]))}
    except (ValueError, RecursionError, MemoryError) as error:
        return {"fault": _line(str(error).partition("\n")[0] or type(error).__name__)}


def _violations(schema: JsonObject, value: Json) -> Iterator[str]:
    validator = jsonschema_rs.validator_for(dict(schema), retriever=_refuse)
    errors = validator.iter_errors(value)
    for error in islice(errors, _MOST):
        place = "".join(f"/{step}" for step in error.instance_path)
        yield _line(f"at `{place}`: {error.message}" if place else error.message)
    if next(iter(errors), None) is not None:
        yield f"more than {_MOST} violations: the others aren't listed"


def _refuse(address: str) -> Json:
    message = f"{address} is not fetched"
    raise ValueError(message)


def _line(text: str) -> str:
    whole = " ".join(text.encode("utf-8", "replace").decode().split())
    return whole if len(whole) <= _LONGEST else whole[: _LONGEST - 1] + "…"


def _bound() -> None:
    """What can't be bounded here is bounded by the time that it may take."""
    for kind, most in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CORE, 0)):
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))


def serve(questions: TextIO, answers: TextIO) -> None:
    """Answer until there are no more questions."""
    answers.write("ready\n")
    answers.flush()
    for line in questions:
        answers.write(json.dumps(answer(line)) + "\n")
        answers.flush()


if __name__ == "__main__":
    _bound()
    serve(sys.stdin, sys.stdout)
