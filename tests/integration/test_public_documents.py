"""`mergebar run` on every valid public document: a decision, a valid report, documents that hold."""

import csv
import json
import sys
from collections import Counter
from itertools import cycle
from pathlib import Path

import pytest

from support import commands, gates, judge_server, repositories
from support.judge_server import JudgeServer

AGENT = """
import json, sys

asked = json.loads(sys.stdin.readline())
print(json.dumps({
    "response": "About " + asked["prompt"] + " [1]",
    "conversation_id": asked["conversation_id"] or "c1",
    "citations": [{"index": 1, "text": "a page", "source": "https://example.org/page"}],
    "diagnostics": {"retrieval_executions": []},
}))
"""

CONFIG = f"""\
version: 1
agents:
  scripted:
    type: command
    command: [{json.dumps(sys.executable)}, -I, -S, agent.py]
    sources: []
    concurrency: 8
documents:
  - paths: [public/**/*.json]
    agent: scripted
"""

PARTS = 4
"""So that workers share them."""
KEY = {"JUDGE_KEY": "k-1234567890"}


def _valid(shared: Path) -> list[Path]:
    corpus = shared / "corpus"
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [
        corpus / row["local_path"]
        for row in rows
        if row["local_path"].startswith("m365/") and row["validation"] == "VALID"
    ]


@pytest.mark.parametrize("part", range(PARTS))
def test_every_valid_public_document_runs_to_a_decision(
    tmp_path: Path, shared: Path, part: int
) -> None:
    sources = _valid(shared)
    files = {"agent.py": AGENT}
    # The same bytes under several names are one document.
    names: dict[str, str] = {}
    for source in sources:
        names.setdefault(source.read_text(encoding="utf-8"), f"public/{len(names)}.json")
    files |= {name: text for text, name in names.items()}
    script = cycle([judge_server.verdict(score) for score in (5, 4, 3, 2)])
    decisions: Counter[str] = Counter()

    with JudgeServer(lambda _request: next(script)) as server:
        config = CONFIG + gates.judge(server.base_url)
        here = repositories.start(tmp_path, {**files, "mergebar.yml": config})
        chosen = list(names.values())[part::PARTS]
        for name in chosen:
            ended = commands.inside("run", name, cwd=here.path, environ=KEY)
            report = ended.report()
            decision = report["decision"]
            decisions[decision["outcome"]] += 1
            assert ended.code == decision["exit_code"]
            assert [suite["path"] for suite in report["suites"]] == [name]
            if decision["outcome"] == "invalid":
                assert report["suites"][0]["problems"], name
                continue
            assert report["checks"], name
            assert name in commands.documents(here.path / ".mergebar")

    assert len(sources) > 40
    assert decisions.total() == len(chosen)
    assert decisions["could-not-evaluate"] == 0, decisions
    assert decisions["passed"] + decisions["failed"] > len(chosen) / 2
