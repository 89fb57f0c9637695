"""The public artifacts through the commands: `check` agrees, and `run` says what is documented."""

import csv
import json
import shutil
from pathlib import Path

from support import commands, held, repositories

MOOSE = "hawkeyexl__moose-tracevals/test/fixtures"
CONFIG = """\
version: 1
documents: []
judge: {type: replay}
artifacts:
  - paths: [CLAUDE.md, AGENTS.md, .claude/agents/*.md, .claude/commands/*.md]
    traces: [traces/*.jsonl]
"""


def test_check_takes_every_public_artifact_and_agrees_with_the_official_schema(
    shared: Path, tmp_path: Path
) -> None:
    with (shared / "corpus/MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file, delimiter="\t")
            if row["local_path"].startswith("artifacts/")
        ]
    here = repositories.start(tmp_path / "repository").path
    shutil.copytree(shared / "corpus/artifacts", here / "artifacts")
    paths = [row["local_path"] for row in rows if row["local_path"].endswith((".md", ".mdc"))]

    ended = commands.run("check", *paths, "--format", "json", cwd=here)

    suites = {suite["path"]: suite for suite in json.loads(ended.stdout)["suites"]}
    refused = {
        path
        for path, suite in suites.items()
        if any(
            one["rule"].startswith("schema/") and one["level"] == "error"
            for one in suite["problems"]
        )
    }
    assert set(suites) == set(paths)
    assert len(paths) > 200
    assert refused == {row["local_path"] for row in rows if row["validation"] == "INVALID"} & set(
        paths
    )


def test_run_gives_the_documented_outcomes_of_a_public_session(
    shared: Path, tmp_path: Path
) -> None:
    here = repositories.start(tmp_path / "repository").path
    shutil.copytree(
        shared / "corpus/artifacts" / MOOSE / "project",
        here,
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("*@*"),
    )
    (here / "traces").mkdir()
    trace = shared / "corpus/traces" / MOOSE / "traces/claude-session.jsonl"
    shutil.copy(trace, here / "traces/session.jsonl")
    (here / "mergebar.yml").write_text(CONFIG)

    ended = commands.run("run", "--all", cwd=here)

    found = {
        f"{Path(one['suite']).name}::{one['label' if one['name'].isalnum() else 'name']}": (
            one["skip"] or one["outcome"]
        )
        for one in ended.report()["checks"]
    }
    # The collection holds neither the sub-agent's own file nor a use of the command, and the
    # recordings of this judge are empty.
    assert found == {
        "AGENTS.md::The session kept its changes… · session.jsonl": "error",
        "CLAUDE.md::docs-work-uses-the-writing-skill": "declined",
        "CLAUDE.md::source-edits-use-the-fix-bug-skill": "pass",
        "doc-writer.md::doc-writer-followed-its-brief": "withheld",
        "doc-writer.md::doc-writer-wrote-docs": "withheld",
        "ship-it.md::no-shell-during-release": "withheld",
        "ship-it.md::release-note-names-the-change": "withheld",
        "ship-it.md::wrote-the-release-note": "withheld",
    }
    assert held.outcome(ended.report()) == "could-not-evaluate"
