"""The public traces: those of Claude and of chats are understood, each other is refused by name."""

import csv
from pathlib import Path

from mergebar import traces
from mergebar.model.problems import Problem
from mergebar.model.sessions import Session
from mergebar.traces import formats
from support import traces as t

# What the collection says a file is, where that begins with Claude or holds chat messages.
READ = ("trace: Claude", "trace: Copilot SDK conversation snapshot (OpenAI chat messages")
# Folders whose files the collection describes by their project alone.
CLAUDE_FOLDERS = ("/fixtures/claude/", "/testdata/claude/", "/test/test-transcript.jsonl")
OTHERS = ("/fixtures/codex/", "/testdata/codex/", "/testdata/gemini/")


def _rows(shared: Path) -> list[tuple[Path, bool]]:
    """Every trace, and whether it is one that we read."""
    with (shared / "corpus" / "MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file, delimiter="\t")
            if row["local_path"].startswith("traces/")
        ]
    return [(shared / "corpus" / row["local_path"], _is_read(row)) for row in rows]


def _is_read(row: dict[str, str]) -> bool:
    path = row["local_path"]
    if any(folder in path for folder in OTHERS):
        return False
    return row["what"].startswith(READ) or any(folder in path for folder in CLAUDE_FOLDERS)


def test_every_trace_of_claude_and_of_a_chat_is_understood(shared: Path) -> None:
    rows = [path for path, is_read in _rows(shared) if is_read]
    for path in rows:
        session = traces.read(path, name=path.name)
        assert isinstance(session, Session), session
        assert len(t.words(session, path)) == len(session.events)
        assert len(session.events) or session.usage is not None

    assert len(rows) > 25


def test_every_other_trace_is_refused_by_name(shared: Path) -> None:
    rows = [path for path, is_read in _rows(shared) if not is_read]
    for path in rows:
        problem = traces.read(path, name=path.name)
        assert isinstance(problem, Problem), path
        assert problem.rule == "trace/unsupported-format", (path, problem)
        assert any(title in problem.message for title in formats.RECOGNISED.values())

    assert len(rows) > 40


def test_every_public_trace_is_in_the_list(shared: Path) -> None:
    folder = shared / "corpus" / "traces"
    files = {path for path in folder.rglob("*") if path.is_file()}

    assert {path for path, _ in _rows(shared)} == files


def test_the_public_session_with_artifacts_is_understood_as_its_authors_say(shared: Path) -> None:
    found = shared / "corpus/traces/hawkeyexl__moose-tracevals/test/fixtures/traces"
    session = traces.read(found / "claude-session.jsonl", name="s")
    assert isinstance(session, Session)

    main = [call.name for call in session.calls if call.branch == 0]
    assert main == ["Bash", "Skill", "Agent", "Read", "Bash", "Edit", "Write", "Agent", "Agent"]
    assert [use.name for use in session.skills] == ["writing-toolkit:identify-ai-tells", "fix-bug"]
    assert [(spawn.agent_type, spawn.child) for spawn in session.spawns] == [
        ("Explore", 1), ("reviewer", 2), ("doc-writer", None),
    ]  # fmt: skip
    assert sum(session.events[turn].branch == 0 for turn in session.turns) == 2
    assert session.usage is not None
    assert session.usage.total == 1245
    assert [note.line for note in session.notes] == [23]
    assert not session.fragment
    offered = {offer.name: offer.description for offer in session.roster.offers}
    assert offered["fix-bug"] == "Fix a reported bug, reproducing it with a failing test first."
    assert offered["writing-toolkit:identify-ai-tells"] is not None
    assert offered["bare-listing"] is None


def test_split_records_of_public_sessions_count_once(shared: Path) -> None:
    folder = shared / "corpus/traces/jnarowski__agentcmd/packages/agent-cli-sdk/tests/fixtures"
    session = traces.read(folder / "claude/full/full-session.jsonl")
    assert isinstance(session, Session)

    assert session.usage is not None
    assert session.api_turns == 10
    assert session.usage.total == 2056
