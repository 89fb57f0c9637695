"""The documents of the example, put to its real agent: what README.md says of them holds."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from mergebar import catalogue
from mergebar.model.conversations import Exchange
from mergebar.model.documents import Document, EvaluatorUse, Origin
from mergebar.model.evaluations import Evidence, Score
from mergebar.suites import documents
from support import suites
from support.evaluating import evaluate

ROOT = Path(__file__).parent.parent.parent.parent
EXAMPLE = ROOT / "examples" / "support-agent"
FAILS_ON_PURPOSE = ("warranty-in-short", 0, "PartialMatch")


@dataclass(frozen=True, kw_only=True)
class Check:
    """One evaluator on one really answered turn."""

    suite: str
    case: str
    turn: int
    use: EvaluatorUse
    evidence: Evidence


def read(path: Path) -> Document:
    name = path.relative_to(ROOT).as_posix()
    return documents.read(path.read_bytes(), path=name, explain=suites.explain)


def answered(prompt: str, history: list[Exchange]) -> dict[str, Any]:
    question = {
        "prompt": prompt,
        "history": [{"prompt": each.prompt, "response": each.response} for each in history],
    }
    done = subprocess.run(
        [sys.executable, "agent.py"],
        input=json.dumps(question) + "\n",
        cwd=EXAMPLE,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return cast("dict[str, Any]", json.loads(done.stdout))


def put(document: Document) -> Iterator[Check]:
    for case in document.cases:
        history: list[Exchange] = []
        for turn in case.turns:
            reply = answered(turn.prompt, history)
            evidence = Evidence(
                prompt=turn.prompt,
                response=reply["response"],
                history=tuple(history),
                expected_response=turn.expected_response,
                context=turn.context,
                diagnostics=reply["diagnostics"],
            )
            history.append(Exchange(prompt=turn.prompt, response=reply["response"]))
            for use in turn.evaluators:
                yield Check(
                    suite=document.path,
                    case=case.key,
                    turn=turn.index,
                    use=use,
                    evidence=evidence,
                )


@pytest.fixture(scope="module")
def read_documents() -> list[Document]:
    return [read(path) for path in sorted((EXAMPLE / "evals").glob("*.json"))]


@pytest.fixture(scope="module")
def checks(read_documents: list[Document]) -> list[Check]:
    return [check for document in read_documents for check in put(document)]


def test_nothing_is_wrong_with_the_documents(read_documents: list[Document]) -> None:
    assert [document.problems for document in read_documents] == [()] * len(read_documents)
    assert len(read_documents) >= 3


def test_they_use_every_built_in_evaluator_and_every_origin(checks: list[Check]) -> None:
    assert {check.use.name for check in checks} == set(catalogue.EVALUATORS)
    assert {check.use.origin for check in checks} == set(Origin)


def test_every_check_without_a_judge_passes_but_for_the_one_that_fails_on_purpose(
    checks: list[Check],
) -> None:
    failing = []
    for check in checks:
        if not catalogue.EVALUATORS[check.use.name].judged:
            scored = evaluate(
                check.use.name,
                check.evidence,
                options=check.use.options,
                threshold=check.use.threshold,
            )
            assert isinstance(scored, Score), scored
            if not scored.passed:
                failing.append((check.case, check.turn, check.use.name))

    assert failing == [FAILS_ON_PURPOSE]


def test_the_check_that_fails_on_purpose_only_warns(read_documents: list[Document]) -> None:
    [declared] = [
        case.turns[0].declared.severity
        for document in read_documents
        for case in document.cases
        if case.key == FAILS_ON_PURPOSE[0]
    ]

    assert declared == "warning"


def recorded(suite: str) -> dict[str, Any]:
    path = EXAMPLE / "recordings" / f"{suite}.json"
    return cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))


def test_every_judged_check_has_a_verdict_by_hand_that_passes(checks: list[Check]) -> None:
    wanted: dict[str, set[tuple[str, int, str]]] = {}
    thresholds = {}
    for check in checks:
        if catalogue.EVALUATORS[check.use.name].judged:
            wanted.setdefault(check.suite, set()).add((check.case, check.turn, check.use.name))
            thresholds[check.suite, check.case, check.turn, check.use.name] = check.use.threshold

    for suite, keys in wanted.items():
        verdicts = recorded(suite)["verdicts"]
        assert {(each["case"], each["turn"], each["evaluator"]) for each in verdicts} == keys
        for each in verdicts:
            key = (suite, each["case"], each["turn"], each["evaluator"])
            assert each["score"] >= (thresholds[key] or 0), key


def test_the_recordings_say_that_a_person_wrote_them() -> None:
    files = sorted((EXAMPLE / "recordings").rglob("*.json"))

    assert files
    for file in files:
        recording = json.loads(file.read_text(encoding="utf-8"))
        assert recording["schema"] == "mergebar.recording/1"
        assert "Written by hand" in recording["note"]
        opinions = recording.get("opinions", [])
        assert {each["digest"] for each in [*recording["verdicts"], *opinions]} == {None}
        keys = [
            (each["case"], each["turn"], each["evaluator"], each["run"], each["vote"])
            for each in recording["verdicts"]
        ]
        assert keys == sorted(keys)
