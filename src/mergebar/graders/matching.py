"""Patterns and schemas of a stranger in, what they say of texts and values out, within bounds."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.text import Json, JsonObject
from mergebar.processes import environment
from mergebar.processes.workers import Lost, Worker

_WORKER = (sys.executable, "-I", "-m", "mergebar.graders.matching_worker")

_REPEATS = "simplify it (nested repeats like `(a+)+` take for ever on some texts)"
_BATCH = 1_048_576
"""Characters that are put at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Seconds for one question of at most a megabyte, and for all questions of one eval."""

    once_s: float = 2.0
    total_s: float = 60.0


class ProcessMatcher:
    """Asks a process, which can be ended; a regular expression can't be. Close it at the end."""

    def __init__(self, environ: Mapping[str, str], *, bounds: Bounds | None = None) -> None:
        self._worker = Worker(_WORKER, environ=environment.allowed(environ, named=()))
        self._bounds = bounds or Bounds()

    async def search(
        self, pattern: str, flags: str, texts: Sequence[str], /
    ) -> tuple[bool, ...] | Failure:
        """Whether the ECMAScript pattern matches somewhere in each text."""
        found: list[bool] = []
        most = max(1, int(self._bounds.total_s / self._bounds.once_s))
        for number, batch in enumerate(_batches(texts)):
            if number >= most:
                return _endless(f"was put to {most} MB of text and there is more", _REPEATS)
            said = await self._ask(
                {"do": "search", "pattern": pattern, "flags": flags, "texts": list(batch)},
                remedy=_REPEATS,
            )
            if isinstance(said, Failure):
                return said
            listed = said.get("found")
            found += [one is True for one in listed] if isinstance(listed, list) else []
        return tuple(found)

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


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start, size = 0, 0
    for place, text in enumerate(texts):
        if size and size + len(text) > _BATCH:
            yield texts[start:place]
            start, size = place, 0
        size += len(text)
    if start < len(texts):
        yield texts[start:]


def _endless(why: str, remedy: str) -> Failure:
    return Failure(error_class=ErrorClass.TIMEOUT, message=f"{why}: {remedy}")


def _lost(why: str) -> Failure:
    message = f"ended the process that looks at it, which {why}: simplify it"
    return Failure(error_class=ErrorClass.EVALUATOR, message=message)
