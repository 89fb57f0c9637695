"""The policy of the base, and what a change may say meanwhile."""

import pytest

from mergebar import config, plugins
from mergebar.config import policy
from mergebar.model.configuration import Config

DOCUMENTS = """
version: 1
agents: {a: {type: replay}, b: {type: command, command: [x], sources: []}}
documents: [{paths: ["evals/*.json"], agent: a}]
"""
JUDGE = "judge: {type: openai, model: strict}\n"


def parsed(text: str) -> Config:
    found = config.parse(text.encode(), path="mergebar.yml", explain=plugins.explain)
    assert found.config is not None, found.problems
    return found.config


@pytest.mark.parametrize(
    ("key", "base", "head"),
    [
        ("gate", "gate: {unmeasured: 0}\n", "gate: {unmeasured: 0.5}\n"),
        ("gate", "", "gate: {mode: advise}\n"),
        ("rules", "", "rules: [{match: {agent: a}, severity: notice}]\n"),
        ("rules", "rules: [{match: {agent: a}, must_pass: true}]\n", ""),
        ("judge", JUDGE, "judge: {type: openai, model: kind}\n"),
        ("judge", JUDGE, ""),
        ("judge", "", JUDGE),
        ("report", "", "report: {responses: everywhere}\n"),
        ("report", "report: {comment: failures}\n", "report: {comment: never}\n"),
        ("budget", "", "budget: {minutes: 600}\n"),
        ("execution", "execution: {repository_code: never}\n", ""),
    ],
)
def test_what_decides_comes_from_the_base_and_the_edit_is_said(
    key: str, base: str, head: str
) -> None:
    there, here = parsed(DOCUMENTS + base), parsed(DOCUMENTS + head)

    combined = policy.combine(here, there)

    assert [problem.message.split("`")[1] for problem in combined.differences] == [key]
    assert combined.config.gate == there.gate
    assert combined.config.rules == there.rules
    assert combined.config.judge == there.judge
    assert combined.config.budget == there.budget
    assert combined.config.responses == there.responses
    assert combined.config.comment == there.comment
    assert combined.config.repository_code == there.repository_code


def test_what_is_measured_comes_from_the_change() -> None:
    there = parsed(DOCUMENTS)
    here = parsed(DOCUMENTS.replace("evals/", "tests/").replace("[x]", "[y]"))

    combined = policy.combine(here, there)

    assert combined.config.documents == here.documents
    assert combined.config.agents == here.agents
    assert combined.differences == ()


def test_a_line_that_moved_is_no_edit() -> None:
    rules = "rules: [{match: {agent: a}, severity: notice}]\n"
    there, here = parsed(DOCUMENTS + rules + JUDGE), parsed("# new\n" + DOCUMENTS + JUDGE + rules)

    assert policy.combine(here, there).differences == ()
