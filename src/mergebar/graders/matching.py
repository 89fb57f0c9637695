"""Patterns and schemas of a stranger in, what they say of texts and values out, within bounds."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.text import Json, JsonObject
from mergebar.processes import environment
from mergebar.processes.workers import Lost, Worker

_WORKER = (sys.executable, "-I", "-m", "mergebar.graders.matching_worker")

_REPEATS = "simplify it (nested repeats like `(a+)+` take for ever on some texts)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Seconds for one question; whoever asks puts no more than a few megabytes at once."""

    once_s: float = 2.0


class ProcessMatcher:
    """Asks a process, which can be ended; a regular expression can't be. Close it at the end."""

    def __init__(self, environ: Mapping[str, str], *, bounds: Bounds | None = None) -> None:
        self._worker = Worker(_WORKER, environ=environment.allowed(environ, named=()))
        self._bounds = bounds or Bounds()

    async def search(
        self, pattern: str, flags: str, texts: Sequence[str], /
    ) -> tuple[bool, ...] | Failure:
        """Whether the ECMAScript pattern matches somewhere in each text."""
        if not texts:
            return ()
        said = await self._ask(
            {"do": "search", "pattern": pattern, "flags": flags, "texts": list(texts)},
            remedy=_REPEATS,
        )
        if isinstance(said, Failure):
            return said
        listed = said.get("found")
        return tuple(one is True for one in listed) if isinstance(listed, list) else ()

    async def violations(self, schema: JsonObject, value: Json, /) -> tuple[str, ...] | Failure:
        """What of a JSON Schema a value violates, a sentence each; bounded in number and length."""
        question: JsonObject = {"do": "violations", "schema": dict(schema), "value": value}
        said = await self._ask(question, remedy="simplify the schema")
        if isinstance(said, Failure):
            return said
        listed = said.get("violations")
        return tuple(str(one) for one in listed) if isinstance(listed, list) else ()

    async def aclose(self) -> None:
        """End the process."""
        await self._worker.aclose()

    async def _ask(self, question: JsonObject, *, remedy: str) -> JsonObject | Failure:
        line = json.dumps(question).encode()
        answer = await self._worker.ask(line, timeout_s=self._bounds.once_s)
        if isinstance(answer, Lost):
            return _endless(answer.message, remedy) if answer.late else _lost(answer.message)
        said = json.loads(answer)
        if "fault" in said:
            return Failure(error_class=ErrorClass.CONFIG, message=str(said["fault"]))
        known: JsonObject = said
        return known


def _endless(why: str, remedy: str) -> Failure:
    return Failure(error_class=ErrorClass.TIMEOUT, message=f"{why}: {remedy}")


def _lost(why: str) -> Failure:
    message = f"ended the process that looks at it, which {why}: simplify it"
    return Failure(error_class=ErrorClass.EVALUATOR, message=message)
