"""What `make demo` runs: the example's own script, on a copy of the example."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mergebar import catalogue
from support import commands, repositories

KINDS = ("evaluator", "grader")
EXAMPLE = Path(__file__).parents[2] / "examples/support-agent"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy in a repository of its own, without what an earlier run left."""
    top = repositories.start(tmp_path / "project").path
    folder = top / "examples/support-agent"
    ignore = shutil.ignore_patterns(".mergebar", "__pycache__")
    shutil.copytree(EXAMPLE, folder, ignore=ignore)
    return folder


def test_the_demo_passes_and_shows_the_comment_and_where_the_reports_are(example: Path) -> None:
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-I", example / "demo.py"],
            cwd=example.parents[1],
            env=commands.environment(),
            capture_output=True,
            text=True,
            check=False,
        )

        assert (done.returncode, done.stderr) == (0, "reports: .mergebar/\n")
        assert "✓ passed: " in done.stdout
        comment = (example / ".mergebar/comment.md").read_text(encoding="utf-8")
        assert comment in done.stdout
        assert comment.splitlines()[1].startswith("## ✅ Passed")
        assert "The reports are in examples/support-agent/.mergebar:" in done.stdout
        listed = done.stdout.partition("The reports are in")[2].split()[1:]
        assert {"report.json", "comment.md", "summary.md"} < set(listed)
        assert all((example / ".mergebar" / name).is_file() for name in listed)

    report = commands.report(example / ".mergebar/report.json")
    kinds = {kind: [one for one in report["checks"] if one["kind"] == kind] for kind in KINDS}
    assert {check["name"] for check in kinds["evaluator"]} == set(catalogue.EVALUATORS)
    assert {check["outcome"] for check in kinds["grader"]} == {"pass", "skipped"}
    failing = [check for check in report["checks"] if check["outcome"] == "fail"]
    assert [(check["case"], check["severity"]) for check in failing] == [
        ("warranty-in-short", "warning")
    ]
    assert [one["name"] for one in report["checks"] if one["skip"]] == ["warns-before-it-deletes"]
    assert report["totals"]["errors"] == report["totals"]["needs_review"] == 0
    assert any("written by hand" in warning["message"] for warning in report["warnings"])
    documents = commands.documents(example / ".mergebar")
    assert len(documents) == 3
    assert all(turn for document in documents.values() for turn in document["items"])


def test_the_example_is_red_when_its_agent_loses_what_it_knows(example: Path) -> None:
    for page in (example / "pages").glob("s*.md"):
        page.write_text("# Nothing\n\nNothing here.\n")

    ended = commands.inside("run", "--all", cwd=example)

    assert ended.code == 1
    assert "blocks" in ended.stdout


def test_the_wish_that_it_does_not_meet_blocks_at_severity_error(example: Path) -> None:
    path = example / "evals/answers.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    for item in document["items"]:
        own = item.get("extensions", {}).get("io.github.mergebar", {})
        if own.get("severity") == "warning":
            own["severity"] = "error"
    path.write_text(json.dumps(document), encoding="utf-8")

    ended = commands.inside("run", "evals/answers.json", cwd=example)

    assert (ended.code, ended.report()["decision"]["headline"]) == (
        1,
        "1 check blocks · 9 replayed",
    )
