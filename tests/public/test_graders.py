"""The public sessions of Claude and of chats under every grader, and one as its authors meant it."""

from pathlib import Path

import pytest

from mergebar import sessions, traces
from mergebar.model.gradings import whole
from mergebar.model.sessions import Session
from support import graded
from support.graded import Arbiter, Bench, outcome

EVALS = """\
- {id: ai, assertion: It is nice.}
- {id: human, grader: human, assertion: It is nice.}
- {id: tool-usage, grader: tool-usage, options: {tool: Bash, includeSidechains: true}}
- {id: tool-order, grader: tool-order, options: {before: Read, after: Edit, afterInputMatch: a}}
- {id: skill-invoked, grader: skill-invoked, options: {skill: x, expect: not-used}}
- {id: file-access, grader: file-access, options: {path: '**/*.md'}}
- {id: turn-count, grader: turn-count, options: {min: 1, when: {prompt-matches: '.'}}}
- {id: cost, grader: cost, options: {maxUsd: 5, maxTokens: 100000}}
- {id: regex, grader: regex, options: {pattern: 'the', 'on': all}}
- {id: json-output, grader: json-output, options: {schema: {type: object}}}
- {id: command, grader: command, command: [test, -s, '{trace}']}
"""
PROJECT = "corpus/artifacts/hawkeyexl__moose-tracevals/test/fixtures/project"
SESSION = "corpus/traces/hawkeyexl__moose-tracevals/test/fixtures/traces/claude-session.jsonl"


def test_every_session_is_graded_without_a_crash(shared: Path, tmp_path: Path) -> None:
    count = 0
    for path in sorted((shared / "corpus" / "traces").rglob("*")):
        if not path.is_file():
            continue
        session = traces.read(path, name=path.name)
        if isinstance(session, Session):
            count += 1
            bench = Bench(judge=Arbiter(), excerpt=lambda all_of_it, _: whole(all_of_it))
            found = graded.grade(tmp_path, path.read_bytes(), EVALS, bench=bench)
            outcomes = {name: outcome(one) for name, one in found.items()}
            assert "error" not in outcomes.values(), (path, found)
            assert outcomes["command"] == "pass"
            assert outcomes["human"] == "needs-review"

    assert count > 25


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            "CLAUDE.md",
            {
                "source-edits-use-the-fix-bug-skill": "pass",
                "docs-work-uses-the-writing-skill": "declined",
            },
        ),
        (
            ".claude/agents/doc-writer.md",
            {"doc-writer-wrote-docs": "withheld", "doc-writer-followed-its-brief": "withheld"},
        ),
        (
            ".claude/commands/ship-it.md",
            {
                "no-shell-during-release": "withheld",
                "wrote-the-release-note": "withheld",
                "release-note-names-the-change": "withheld",
            },
        ),
        ("AGENTS.md", {"eval-1": "pass"}),
    ],
)
# What the collection holds of the session has neither the sub-agent's file nor the command.
def test_a_public_session_gives_what_the_authors_of_its_artifacts_document(
    shared: Path, tmp_path: Path, path: str, expected: dict[str, str]
) -> None:
    text = (shared / PROJECT / path).read_bytes()
    artifact = graded.load(tmp_path, text, path=path)
    bench = Bench(judge=Arbiter(), excerpt=sessions.excerpt)

    found = graded.regrade(tmp_path, (shared / SESSION).read_bytes(), artifact, bench=bench)

    assert {name: outcome(one) for name, one in found.items()} == expected, found
