"""`make live`: the example's evals with a real model as agent and as judge.

A model this small answers and judges badly. What is held here is the protocol: every call got an
answer that was understood, and the second run asks the judge nothing again.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from live import model_server

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent
EXAMPLE = PROJECT / "examples" / "support-agent"
# Nobody checks it; it must not be seen in anything that the runs write.
KEY = "live-7f3a9c51d2e84b60"
# What a model may bring about by answering badly: no verdict, or a verdict that skips the check.
# Any other class is a fault of the protocol.
POOR_ANSWERS = {"bad-response", "evaluator"}
MEASURED = {"pass", "fail", "needs-review"}


def main() -> int:
    """0 where everything that has to hold did; the folder of the model's Python is the argument."""
    python = Path(sys.argv[1]).resolve() / "bin" / "python"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        project = folder / "project"
        _copy_example(project)
        with model_server.started(python, folder) as address:
            first = _run(project, address, "first")
            second = _run(project, address, "second")
        problems = [
            *_broken(first),
            *_asked_again(first, second),
            *_leaked(project, folder / "server.log"),
        ]
    _show("first run", first)
    _show("second run, verdicts from the cache", second)
    for problem in problems:
        print(f"broken: {problem}", file=sys.stderr)
    return 1 if problems else 0


def _copy_example(project: Path) -> None:
    ignored = shutil.ignore_patterns(".mergebar", "__pycache__", "recordings")
    shutil.copytree(EXAMPLE, project, ignore=ignored)
    for name in ("mergebar.yml", "prompt.md"):
        shutil.copy(HERE / name, project / name)


def _run(project: Path, address: str, output: str) -> dict[str, Any]:
    environment = {**os.environ, "LIVE_ADDRESS": address, "LIVE_KEY": KEY}
    # Neither a fresh model answer nor an old journal may stand between the two runs.
    command = ["run", "--all", "--output", output]
    done = subprocess.run(
        [sys.executable, "-I", "-m", "mergebar", *command],
        cwd=project,
        env=environment,
        check=False,
    )
    report = json.loads((project / output / "report.json").read_text(encoding="utf-8"))
    if done.returncode != report["decision"]["exit_code"]:
        raise RuntimeError(f"exit {done.returncode}, but the report says otherwise")
    loaded: dict[str, Any] = report
    return loaded


def _broken(report: Mapping[str, Any]) -> list[str]:
    """Whatever a poor model can't be blamed for."""
    errors = [check for check in report["checks"] if check["outcome"] == "error"]
    measured = [check for check in report["checks"] if check["outcome"] in MEASURED]
    usage = report["usage"]
    return [
        *(
            f"{check['id']}: {check['error']['class']}: {check['error']['message']}"
            for check in errors
            if check["error"]["class"] not in POOR_ANSWERS
        ),
        *(["nothing was measured"] if not measured else []),
        *(["no agent call was counted"] if not usage["agent_calls"] else []),
        *(["no judge call was counted"] if not usage["judge_calls"] else []),
        *(["the service's token counts were lost"] if not usage["output_tokens"] else []),
        *(["no judged check got a score"] if not _judged(report) else []),
    ]


def _judged(report: Mapping[str, Any]) -> list[str]:
    names = {"Relevance", "Coherence", "Groundedness", "Similarity"}
    return [
        check["id"]
        for check in report["checks"]
        if check["name"] in names and check["score"] is not None
    ]


def _asked_again(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """The model answers alike at temperature 0 or it doesn't: then there is nothing to reuse."""
    if second["usage"]["cache_hits"] or not first["usage"]["judge_calls"]:
        return []
    return ["no verdict of the first run was reused in the second"]


def _leaked(project: Path, log: Path) -> list[str]:
    files = [log, *(path for path in project.rglob("*") if path.is_file())]
    return [f"the key is in {path.name}" for path in files if KEY.encode() in path.read_bytes()]


def _show(title: str, report: Mapping[str, Any]) -> None:
    outcomes = Counter(check["outcome"] for check in report["checks"])
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    print(f"\n{title}: {report['decision']['headline']}\n  {told}\n  {report['usage']}")


if __name__ == "__main__":
    sys.exit(main())
