"""Evidence that a change edits: whoever edits it, edits the verdict."""

import pytest

from mergebar.comparing import Evidence
from mergebar.comparing.evidence import edited
from mergebar.model.changes import Change, Status
from mergebar.model.comparisons import Edited, EvidenceKind

EVIDENCE = Evidence(
    traces=("traces/**/*.jsonl", "!traces/drafts/"),
    recordings=(".mergebar/recordings",),
    responses=frozenset({"evals/stored.json"}),
)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("traces/2026/a.jsonl", EvidenceKind.TRACE),
        ("traces/2026/a.jsonl.manifest.json", EvidenceKind.TRACE),
        ("traces/2026/a/subagents/agent-1.jsonl", EvidenceKind.TRACE),
        ("traces/2026/a/subagents/agent-1.meta.json", EvidenceKind.TRACE),
        (".mergebar/recordings/evals/a.json.json", EvidenceKind.RECORDING),
        ("mergebar.reviews.yml", EvidenceKind.REVIEWS),
        (".mergebar-baseline.json", EvidenceKind.BASELINE),
        ("evals/stored.json", EvidenceKind.RESPONSE),
    ],
)
def test_each_kind_is_found(path: str, kind: EvidenceKind) -> None:
    assert edited([Change(path=path)], EVIDENCE) == (
        Edited(kind=kind, path=path, status="modified"),
    )


@pytest.mark.parametrize(
    "path",
    [
        "traces/drafts/a.jsonl",
        "traces/a.txt",
        "traces/a.txt.manifest.json",
        "traces/drafts/a.jsonl.manifest.json",
        ".mergebar/recordings.md",
        "other/mergebar.reviews.yml",
        "evals/other.json",
        "mergebar.yml",
    ],
)
def test_nothing_else_is_evidence(path: str) -> None:
    assert edited([Change(path=path)], EVIDENCE) == ()


def test_a_trace_that_was_moved_away_was_touched() -> None:
    moved = Change(path="attic/a.jsonl", old_path="traces/a.jsonl", status=Status.RENAMED)
    assert edited([moved], EVIDENCE) == (
        Edited(kind=EvidenceKind.TRACE, path="attic/a.jsonl", status="renamed"),
    )


def test_a_trace_that_was_moved_within_is_told_once() -> None:
    moved = Change(path="traces/b.jsonl", old_path="traces/a.jsonl", status=Status.RENAMED)
    assert len(edited([moved], EVIDENCE)) == 1


def test_evidence_lies_in_the_working_directory() -> None:
    below = Evidence(prefix="apps/one", traces=("traces/**",), responses=frozenset({"evals/x"}))
    changes = [
        Change(path="apps/one/traces/a.jsonl"),
        Change(path="apps/one/mergebar.reviews.yml"),
        Change(path="apps/one-more/traces/a.jsonl"),
        Change(path="traces/a.jsonl"),
        Change(path="evals/x"),
    ]
    assert [one.path for one in edited(changes, below)] == [
        "apps/one/mergebar.reviews.yml",
        "apps/one/traces/a.jsonl",
        "evals/x",
    ]


def test_files_come_in_the_order_of_their_paths() -> None:
    changes = [Change(path=f"traces/{name}.jsonl", status=Status.ADDED) for name in "cab"]
    assert [one.path for one in edited(changes, EVIDENCE)] == [
        "traces/a.jsonl",
        "traces/b.jsonl",
        "traces/c.jsonl",
    ]
