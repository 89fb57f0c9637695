"""Run a built-in evaluator by its registered name on one turn, with a scripted judge."""

import asyncio
import importlib
import re
from dataclasses import dataclass, field

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.evaluations import Evaluator, Evidence, Score, Votes
from mergebar.model.judgements import Material, Rubric, Verdict
from mergebar.model.text import JsonObject


@dataclass
class ScriptedJudge:
    """Gives the same votes, or the same failure, to all; remembers what it was shown."""

    reply: Votes | Failure
    asked: list[tuple[Rubric, Material]] = field(default_factory=list)

    async def __call__(self, rubric: Rubric, material: Material, /) -> Votes | Failure:
        self.asked.append((rubric, material))
        return self.reply


def judge(score: float, reason: str = "It answers the question.") -> ScriptedJudge:
    verdict = Verdict(score=score, reason=reason)
    return ScriptedJudge(Votes(score=score, reason=reason, votes=(verdict,)))


def broken_judge() -> ScriptedJudge:
    return ScriptedJudge(Failure(error_class=ErrorClass.TIMEOUT, message="no reply within 60 s"))


def create(name: str) -> Evaluator:
    module = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    evaluator: Evaluator = importlib.import_module(f"mergebar.evaluators.{module}").create()
    return evaluator


def evaluate(
    name: str,
    evidence: Evidence,
    *,
    options: JsonObject | None = None,
    threshold: float | None = None,
    ask: ScriptedJudge | None = None,
) -> Score | Failure:
    return asyncio.run(
        create(name).evaluate(
            evidence, options=options or {}, threshold=threshold, ask=ask or judge(4)
        )
    )


def score(
    name: str,
    evidence: Evidence,
    *,
    options: JsonObject | None = None,
    threshold: float | None = None,
    ask: ScriptedJudge | None = None,
) -> Score:
    """As `evaluate`, where only a score will do."""
    scored = evaluate(name, evidence, options=options, threshold=threshold, ask=ask)
    assert isinstance(scored, Score), scored
    return scored


def failure(
    name: str,
    evidence: Evidence,
    *,
    options: JsonObject | None = None,
    ask: ScriptedJudge | None = None,
) -> Failure:
    """As `evaluate`, where only a failure will do."""
    failed = evaluate(name, evidence, options=options, ask=ask)
    assert isinstance(failed, Failure), failed
    return failed


def answered(
    response: str, expected_response: str | None = None, context: str | None = None
) -> Evidence:
    return Evidence(
        prompt="How do I reset it?",
        response=response,
        expected_response=expected_response,
        context=context,
    )


def retrieved(*executions: object) -> Evidence:
    """A turn whose agent reports these retrieval executions, whatever they are."""
    listed: list[object] = list(executions)
    return Evidence(
        prompt="How do I reset it?",
        response="Hold the button.",
        diagnostics={"retrieval_executions": listed},  # type: ignore[dict-item]
    )
