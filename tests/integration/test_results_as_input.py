"""A document with results, as `mergebar run` writes it, is a document again."""

import json
from pathlib import Path

from support import commands


def test_a_document_with_results_can_be_checked_and_scored_again(tmp_path: Path) -> None:
    document = {
        "schemaVersion": "1.7.0",
        "items": [
            {
                "prompt": "Is it open?",
                "response": "Yes.",
                "expected_response": "yes.",
                "evaluators": {"ExactMatch": {}},
                "evaluators_mode": "replace",
            }
        ],
    }
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "a.json").write_text(json.dumps(document), encoding="utf-8")
    first = commands.inside("run", "--output", "out", cwd=tmp_path)
    assert first.code == 0, first.stderr

    written = tmp_path / "out" / "documents" / "evals" / "a.json"
    (tmp_path / "evals" / "a.json").write_bytes(written.read_bytes())

    assert commands.inside("check", cwd=tmp_path).code == 0
    again = commands.inside("run", "--output", "again", cwd=tmp_path)
    assert again.code == 0, again.stdout
