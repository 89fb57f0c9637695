"""Agents for tests: configurations, questions, and processes that behave as told."""

import sys
from collections.abc import Mapping
from pathlib import Path

from mergebar.calling import timing
from mergebar.model.configuration import AgentConfig
from mergebar.model.contexts import AgentContext
from mergebar.model.conversations import Answer, Exchange, Question
from mergebar.model.problems import Location
from mergebar.model.text import Json, JsonObject


def python(code: str) -> list[Json]:
    """An argv that runs this code."""
    return [sys.executable, "-I", "-c", code]


def config(
    type: str = "command",  # noqa: A002 - the field's own name
    *,
    name: str = "support",
    timeout_s: float = 20.0,
    output_limit: int = 1_000_000,
    attempts: int = 1,
    concurrency: int = 4,
    options: JsonObject | None = None,
) -> AgentConfig:
    """An entry of `agents`; `options` are the keys of its type."""
    return AgentConfig(
        name=name,
        type=type,
        sources=(),
        concurrency=concurrency,
        timeout_s=timeout_s,
        attempts=attempts,
        output_limit=output_limit,
        cache=False,
        options=options or {},
        location=Location(path="mergebar.yml"),
    )


def context(root: Path, environ: Mapping[str, str] | None = None) -> AgentContext:
    """Works in `root`; the environment is empty where none is given."""
    return AgentContext(root=root, environ=environ or {}, timing=timing.REAL)


def question(
    prompt: str = "How do I reset it?",
    *,
    turn: int = 0,
    run: int = 0,
    case: str = "reset",
    history: tuple[Exchange, ...] = (),
    conversation_id: str | None = None,
    stored: Answer | None = None,
    last: bool = False,
) -> Question:
    """One turn of a case in `evals/hr.json`."""
    return Question(
        suite="evals/hr.json",
        case=case,
        turn=turn,
        run=run,
        prompt=prompt,
        history=history,
        conversation_id=conversation_id,
        stored=stored,
        last=last,
    )
