"""Planning 10,000 items in 500 documents against a baseline, beside reading those documents."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import measuring

from mergebar import cli, plugins
from mergebar.model.text import Json
from mergebar.suites import documents

SUITES = 500
ITEMS = 20
RUNS = 3
CONFIG = """\
version: 1
agents:
  desk: {type: replay}
documents:
  - {paths: [evals/*.json], agent: desk}
"""
ENVIRON = {
    **os.environ,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def git(*arguments: str, cwd: Path) -> None:
    subprocess.run(["git", *arguments], cwd=cwd, env=ENVIRON, check=True, capture_output=True)


def document(suite: int, *, edited: bool = False) -> str:
    """Twenty cases with stored responses; an edited document has one that expects otherwise."""
    items: list[Json] = [
        {
            "prompt": f"What about {suite} and {number}?",
            "expected_response": "another" if edited and number == 0 else "this",
            "response": "this",
            "evaluators": {"ExactMatch": {}},
            "evaluators_mode": "replace",
        }
        for number in range(ITEMS)
    ]
    return json.dumps({"schemaVersion": "1.7.0", "items": items})


def repository(root: Path) -> None:
    """A main that was measured, and a change of one item in each of ten documents."""
    (root / "evals").mkdir()
    (root / "mergebar.yml").write_text(CONFIG)
    for suite in range(SUITES):
        (root / f"evals/{suite:03}.json").write_text(document(suite))
    git("init", "--quiet", "--initial-branch=main", cwd=root)
    git("add", ".", cwd=root)
    git("commit", "--quiet", "-m", "main", cwd=root)
    quietly("run", "--all", "--output", "../base")
    git("checkout", "--quiet", "-b", "change", cwd=root)
    for suite in range(10):
        (root / f"evals/{suite:03}.json").write_text(document(suite, edited=True))
    git("commit", "--quiet", "-am", "change", cwd=root)


def quietly(*arguments: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = cli.main(arguments)
    assert code == 0, arguments


def floor(root: Path) -> Callable[[], object]:
    """Read and resolve every document, and nothing else."""
    paths = [f"evals/{suite:03}.json" for suite in range(SUITES)]

    def read() -> object:
        return [
            documents.read((root / path).read_bytes(), path=path, explain=plugins.explain)
            for path in paths
        ]

    return read


def seconds(work: Callable[[], object]) -> float:
    """The best of a few runs, in seconds of CPU."""
    found = []
    for _ in range(RUNS):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def rows() -> list[str]:
    """Markdown rows: what, seconds of CPU, ratio to the floor, peak memory."""
    with tempfile.TemporaryDirectory() as made:
        root = Path(made) / "repository"
        root.mkdir()
        with contextlib.chdir(root):
            repository(root)
            least = seconds(floor(root))
            argv = [sys.executable, "-m", "mergebar", "plan", "--base", "main"]
            whole = measuring.median(argv, runs=RUNS, cwd=root)
            held = measuring.median(
                [*argv, "--baseline", "../base/report.json"], runs=RUNS, cwd=root
            )
    plain = f"`plan`, {SUITES * ITEMS:,} items"
    return [
        f"| reading {SUITES} documents | {least:.2f} s | 1× | |",
        row(plain, whole, least),
        row(f"{plain}, against a baseline", held, least),
    ]


def row(name: str, cost: measuring.Cost, least: float) -> str:
    """One row of the table."""
    ratio = cost.cpu_s / least
    return f"| {name} | {cost.cpu_s:.2f} s | {ratio:.1f}× | {cost.peak_mb:.0f} MB |"


if __name__ == "__main__":
    print("\n".join(["| | CPU | to floor | peak |", "|---|---|---|---|", *rows()]))
