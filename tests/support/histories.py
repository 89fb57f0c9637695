"""Commits held in memory, and the pipeline run on them: what a baseline, a base and a change are.

Two documents of three cases; the agent answers from a file, which is its source.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Never, TypeAlias

from mergebar import pipeline, plugins
from mergebar.evaluators import exact_match
from mergebar.model.changes import Change, Changes, Status
from mergebar.model.comparisons import Baseline
from mergebar.model.conversations import Answer, Failure, Question
from mergebar.model.problems import Problem
from mergebar.model.reports import Report
from mergebar.planning import PlanOptions
from support import builders, reports, scenarios

ANSWERS = "prompts/answers.json"
DOCUMENTS = ("evals/x.json", "evals/y.json")
CASES = ("a", "b", "c")
CONFIG = builders.config(documents=[builders.group("evals/*.json")])

Tree: TypeAlias = Mapping[str, bytes]
Place: TypeAlias = tuple[str, str]
"""A document and a case of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """What is expected and how it weighs, where that isn't `yes` and 1; what the agent says no to.

    `turned` are the documents that stand the other way round; `words` are in the README.
    """

    expected_no: frozenset[Place] = frozenset()
    heavy: frozenset[Place] = frozenset()
    answered_no: frozenset[str] = frozenset()
    turned: frozenset[str] = frozenset()
    words: int = 0

    def tree(self) -> Tree:
        answers = {name: "no" if name in self.answered_no else "yes" for name in CASES}
        written = {ANSWERS: json.dumps(answers), "README.md": f"{self.words}"}
        return {
            **{name: text.encode() for name, text in written.items()},
            **{path: self._document(path).encode() for path in DOCUMENTS},
        }

    def _document(self, path: str) -> str:
        cases = [
            scenarios.item(
                name,
                expected="no" if (path, name) in self.expected_no else "yes",
                weight=2.0 if (path, name) in self.heavy else 1.0,
            )
            for name in CASES
        ]
        return scenarios.document(*(reversed(cases) if path in self.turned else cases))


class Agent:
    """Says what its file says."""

    def __init__(self, tree: Tree) -> None:
        self._says = json.loads(tree[ANSWERS])

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    async def ask(self, question: Question, /) -> Answer | Failure:
        return Answer(response=self._says[question.prompt])

    async def aclose(self) -> None:
        return


def differing(old: Tree, new: Tree) -> tuple[Change, ...]:
    return tuple(
        Change(path=path, status=Status.MODIFIED) for path in new if old[path] != new[path]
    )


def origin(old: Tree, new: Tree) -> pipeline.Origin:
    """What `new` is held against."""
    return pipeline.Origin(changes=Changes(files=differing(old, new)), read=old.get, config=None)


def measured(tree: Tree) -> Report:
    """All of a commit, compared with nothing."""
    everything = pipeline.Origin(changes=Changes(everything=True))
    return run(tree, everything)


def held_against(head: Tree, *, base: Tree, baseline: Tree) -> Report:
    """The run of a change: `baseline` is the commit that a report was left at."""
    compared = pipeline.Compared(
        report=measured(baseline),
        baseline=Baseline(commit="b" * 40, age_s=None, source="artifact"),
        since=None if baseline == base else origin(baseline, head),
    )
    return run(head, origin(base, head), compared)


def run(tree: Tree, base: pipeline.Origin, compared: pipeline.Compared | None = None) -> Report:
    inputs = pipeline.Inputs(
        config=CONFIG,
        paths=DOCUMENTS,
        base=base,
        options=PlanOptions(),
        run=replace(reports.run(), judge=None),
        compared=compared,
    )
    return asyncio.run(pipeline.execute(inputs, _effects(tree), stop=asyncio.Event())).report


def prepared(tree: Tree, base: pipeline.Origin) -> pipeline.Prepared:
    """Only planned."""
    inputs = pipeline.Inputs(
        config=CONFIG, paths=DOCUMENTS, base=base, options=PlanOptions(), run=reports.run()
    )
    return pipeline.prepare(inputs, _effects(tree))


def _effects(tree: Tree) -> pipeline.Effects:
    def read(path: str) -> bytes | Problem:
        return tree[path]

    def missing(*_: object) -> Never:
        raise AssertionError

    return pipeline.Effects(
        read=read,
        explain=plugins.explain,
        agent=lambda _: Agent(tree),
        judge=missing,
        evaluator=lambda _: exact_match.create(),
        sessions=missing,
        clock=lambda: 0.0,
        now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
    )
