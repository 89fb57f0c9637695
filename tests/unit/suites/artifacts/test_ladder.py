"""The ladder of the vocabulary's authors (spec, section 8.1), case by case, in words of our own.

The verdicts are those of the vocabulary 1.0.0, which differs from the ladder in case 9.
"""

from textwrap import indent

import pytest

from mergebar.model.artifacts import Artifact
from mergebar.model.problems import Level
from mergebar.suites import artifacts
from support import suites

WRITTEN = """\
evals:
  - id: quiet
    assertion: The agent runs nothing.
  - id: list
    assertion: The agent shows the list.
    evidence: What it printed.
    severity: error
    examples: {pass: it showed all, fail: it showed none}
"""
HASH = f"sha256-{'0' * 64}"
OK = {
    "1 no metadata at all": "",
    "2 members of another tool only": "other-tool: {color: blue}",
    "3 one text": "evals: The agent says which pipe leaks.",
    "4 a list of texts": "evals: [The pipe is named., The tap is closed.]",
    "5 texts and objects": "evals:\n  - The pipe is named.\n  - {id: tap, assertion: It is closed.}",
    "6 graders of a session side by side": """\
evals:
  - {id: calls, grader: tool-usage, assertion: No shell., options: {tool: Bash, expect: not-used}}
  - {id: price, grader: cost, severity: warning, options: {maxTokens: 9000}}
  - {id: turns, grader: turn-count, options: {max: 4}}
""",
    "7 a judge with a provider, a type, evidence and examples": """\
evals:
  - id: kind
    grader: ai
    assertion: The agent stays kind.
    provider: openai
    type: capability
    evidence: The last message.
    examples: {pass: [thanks, gladly], fail: go away}
""",
    "8 skipped as a whole": "eval-skip: true",
    "10 an older file in the new spelling": WRITTEN,
    "11 a person, with evidence and severity": (
        "evals: [{id: tone, grader: human, assertion: It reads well., evidence: The answer.,"
        " severity: warning}]"
    ),
    "12 a command before and after it was written": f"""\
evals:
  - {{id: later, grader: command, assertion: The file is sorted.}}
  - id: now
    grader: command
    assertion: The file is sorted.
    command: [sort, -c, list.txt]
    success-exit-codes: [0]
    timeout-ms: 5000
    generated-assertion-hash: {HASH}
""",
    "P10 no assertion for what is counted": (
        "evals: [{id: calls, grader: tool-usage, options: {tool: Bash, expect: used}}]"
    ),
    "P11 weight, model and runs": (
        "evals: [{id: kind, grader: ai, assertion: It is kind., weight: 2, model: m, runs: 5}]"
    ),
    "P12 the last message": "evals: [{id: x, assertion: It ends well., target: last-message}]",
}
NO = {
    "9 the older name of provenance": "eval-provenance: [{source: {type: human}}]",
    "N1 a mapping with criteria": "evals: {criteria: [It is kind.]}",
    "N2 no id": "evals: [{assertion: It is kind.}]",
    "N3 a name in place of the id": "evals: [{name: kind, assertion: It is kind.}]",
    "N4 an id alone": "evals: [{id: kind}]",
    "N5 a key misspelt": "evals: [{id: kind, assertion: It is kind., severty: error}]",
    "N6 a truth as text": 'eval-skip: "true"',
    "N7 a number as example": "evals: [{id: x, assertion: It is kind., examples: {pass: 5}}]",
    "N8 a time limit for a judge": "evals: [{id: x, assertion: It is kind., timeout-ms: 5}]",
    "N9 a hash without a command": (
        f"evals: [{{id: x, grader: command, assertion: A., generated-assertion-hash: {HASH}}}]"
    ),
    "N10 a judge without an assertion": "evals: [{id: kind, grader: ai}]",
    "N11 an id alone, as a block": "evals:\n  - id: kind",
    "N12 a person without an assertion": "evals: [{id: kind, grader: human}]",
    "N13 no weight": "evals: [{id: x, assertion: It is kind., weight: 0}]",
    "N14 a target of other pages": "evals: [{id: x, assertion: It is kind., target: body}]",
    "N15 a key of the bag misspelt": "eval-skipp: true",
}


def read(metadata: str) -> Artifact:
    inner = f"metadata:\n{indent(metadata, '  ')}\n" if metadata else ""
    text = f"---\nname: mend\ndescription: Mends.\n{inner}---\nMend the leak.\n"
    return artifacts.read(text.encode(), path="skills/mend/SKILL.md", explain=suites.explain)


def errors(metadata: str) -> list[str]:
    return [one.rule for one in read(metadata).problems if one.level is Level.ERROR]


@pytest.mark.parametrize("case", OK)
def test_what_the_ladder_accepts_is_valid(case: str) -> None:
    assert errors(OK[case]) == []


@pytest.mark.parametrize("case", NO)
def test_what_the_ladder_rejects_is_invalid(case: str) -> None:
    rules = errors(NO[case])

    assert rules
    assert all(rule.startswith("schema/") for rule in rules)
    assert read(NO[case]).evals == ()


def test_a_grader_of_the_future_passes_the_schema_and_is_refused_by_name() -> None:
    """Case 13: whoever checks it has no package that brings it."""
    assert errors("evals: [{id: x, grader: memory-usage}]") == ["artifact/unknown-grader"]


def test_no_case_is_missing() -> None:
    assert len(OK) + len(NO) + 1 == 31
