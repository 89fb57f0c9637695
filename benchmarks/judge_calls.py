"""First to last judge call of a real run, beside a bare client loop and the socket floor."""

import json
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import documents
import measuring

HERE = Path(__file__).parent
ITEMS = 100
CALLS = 2 * ITEMS
DELAY_S = 0.05
CONCURRENCY = 8
RUNS = 5
CONFIG = """\
version: 1
agents:
  stored: {{type: replay}}
judge:
  type: openai
  base_url: http://127.0.0.1:{port}/v1
  api_key: benchmark
  model: bench
  concurrency: {concurrency}
documents:
  - {{paths: [evals/*.json], agent: stored}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Seconds from the first request to the last reply, and what the caller cost."""

    span_s: float
    cost: measuring.Cost


@contextmanager
def judge() -> Iterator[int]:
    """A judge in a process of its own; gives its port."""
    process = subprocess.Popen(
        [sys.executable, "-I", str(HERE / "judge_server.py"), str(DELAY_S)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()


def _times(port: int) -> dict[str, float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/times") as reply:
        times: dict[str, float] = json.load(reply)
    return times


def _span(argv: list[str], port: int, cwd: Path) -> Span:
    _times(port)
    cost = measuring.once(argv, cwd=cwd)
    times = _times(port)
    assert times["calls"] == CALLS, times
    assert times["at_most"] <= CONCURRENCY, times
    return Span(span_s=times["last"] - times["first"], cost=cost)


def rows() -> list[str]:
    """Markdown rows: who, span, ratio to the bare client, to the ideal, CPU, peak memory."""
    ideal = CALLS * DELAY_S / CONCURRENCY
    loop = [sys.executable, "-I", str(HERE / "bare_loop.py")]
    with judge() as port, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        documents.write(folder / "evals", documents=1, items=ITEMS)
        config = CONFIG.format(port=port, concurrency=CONCURRENCY)
        (folder / "mergebar.yml").write_text(config, encoding="utf-8")
        tail = [str(port), str(CALLS), str(CONCURRENCY)]
        callers = {
            "`mergebar run`": [sys.executable, "-I", "-m", "mergebar", "run", "--all"],
            "bare `AsyncOpenAI` loop": [*loop, "openai", *tail],
            "raw asyncio sockets": [*loop, "raw", *tail],
        }
        spans: dict[str, list[Span]] = {who: [] for who in callers}
        for _ in range(RUNS):  # in turn, so that a slower minute slows all alike
            for who, argv in callers.items():
                spans[who].append(_span(argv, port, folder))
    return _table(spans, ideal)


def _table(spans: dict[str, list[Span]], ideal: float) -> list[str]:
    bare = statistics.median(span.span_s for span in spans["bare `AsyncOpenAI` loop"])
    lines = []
    for who, measured in spans.items():
        span = statistics.median(one.span_s for one in measured)
        cpu = statistics.median(one.cost.cpu_s for one in measured)
        peak = statistics.median(one.cost.peak_mb for one in measured)
        lines.append(
            f"| {who} | {span:.3f} s | {span / bare:.2f}× | {span / ideal:.2f}× "
            f"| {cpu:.2f} s | {peak:.0f} MB |"
        )
    return lines


if __name__ == "__main__":
    header = ["| | first to last call | to the bare loop | to ideal | CPU | peak |"]
    print("\n".join([*header, "|---|---|---|---|---|---|", *rows()]))
