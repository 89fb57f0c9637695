"""A hundred items × (agent + judge) by way of other evaluators, where they are installed.

`MERGEBAR_PEERS` names a Python that has azure-ai-evaluation, deepeval or inspect_ai installed (the
one that runs this, when unset); `promptfoo` is looked for on the PATH. What isn't found is said.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import judge_calls
from judge_calls import Span

ITEMS, CONCURRENCY, RUNS = 100, 8, 3
MODULES = {
    "azure-ai-evaluation": "azure.ai.evaluation",
    "deepeval": "deepeval",
    "inspect_ai": "inspect_ai",
}
_QUIET = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
}


def _python() -> str:
    return os.environ.get("MERGEBAR_PEERS", sys.executable)


def _has(module: str) -> bool:
    look = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
    done = subprocess.run([_python(), "-I", "-c", look], stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def _promptfoo(folder: Path, port: int) -> list[str]:
    """Its HTTP provider as the agent, `llm-rubric` as the judge; JSON is YAML too."""
    config = {
        "prompts": ["{{question}}"],
        "providers": [
            {
                "id": f"http://127.0.0.1:{port}/agent",
                "config": {
                    "method": "POST",
                    "headers": {"content-type": "application/json"},
                    "body": {"prompt": "{{prompt}}"},
                    "transformResponse": "json.response",
                },
            }
        ],
        "defaultTest": {
            "options": {
                "provider": {
                    "id": "openai:chat:bench",
                    "config": {"apiBaseUrl": f"http://127.0.0.1:{port}/v1", "apiKey": "k"},
                }
            },
            "assert": [{"type": "llm-rubric", "value": "It answers the question."}],
        },
        "tests": [{"vars": {"question": f"Question {number}"}} for number in range(ITEMS)],
    }
    path = folder / "promptfooconfig.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    tail = ["--no-cache", "--no-write", "--no-progress-bar", "--no-table"]
    return ["promptfoo", "eval", "-c", str(path), "-j", str(CONCURRENCY), *tail]


def _callers(folder: Path, port: int) -> Iterator[tuple[str, list[str]]]:
    gate = [*judge_calls.GATE, "--no-cache"]
    yield judge_calls.COLD, gate
    loops = str(Path(__file__).parent / "peer_loops.py")
    for name, module in MODULES.items():
        found = [_python(), "-I", loops, name, str(port), str(ITEMS), str(CONCURRENCY)]
        yield name, found if _has(module) else []
    yield "promptfoo", _promptfoo(folder, port) if shutil.which("promptfoo") else []


def rows() -> list[str]:
    """Markdown rows: who, span, ratio to ideal, CPU of the process, ratio to ours, peak memory."""
    os.environ.update(_QUIET)
    with judge_calls.judge() as port, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["PROMPTFOO_CONFIG_DIR"] = str(folder / "promptfoo")
        judge_calls.write(folder, port=port, items=ITEMS, concurrency=CONCURRENCY)
        callers = dict(_callers(folder, port))
        spans: dict[str, list[Span]] = {who: [] for who, argv in callers.items() if argv}
        for _ in range(RUNS):
            for who, measured in spans.items():
                one = judge_calls.span(callers[who], port, folder, calls=2 * ITEMS)
                measured.append(one)
    missing = [f"| {who} | not installed | | | | |" for who, argv in callers.items() if not argv]
    return [*_table(spans), *missing]


def _table(spans: dict[str, list[Span]]) -> Iterator[str]:
    ideal = judge_calls.ideal_s(ITEMS, CONCURRENCY)
    ours = statistics.median(one.cost.cpu_s for one in spans[judge_calls.COLD])
    for who, measured in spans.items():
        span = statistics.median(one.span_s for one in measured)
        cpu = statistics.median(one.cost.cpu_s for one in measured)
        peak = statistics.median(one.cost.peak_mb for one in measured)
        yield (
            f"| {who} | {span:.2f} s | {span / ideal:.2f}× | {cpu:.2f} s | {cpu / ours:.2f}× "
            f"| {peak:.0f} MB |"
        )


HEADER = "| | first to last call | to ideal | CPU | to ours | peak |"

if __name__ == "__main__":
    print("\n".join([HEADER, "|" + "---|" * (HEADER.count("|") - 1), *rows()]))
