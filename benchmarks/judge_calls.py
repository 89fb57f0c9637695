"""A real run from its first call to its last, beside bare clients, the socket floor and a cache.

Each item is put to an agent over HTTP and its answer to a judge, 50 ms each; so many calls of
either kind at once as the column says. The ideal is what the slots allow if nothing else took time.
"""

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
DELAY_S = 0.05
SIZES = ((10, 1), (10, 8), (10, 32), (100, 1), (100, 8), (100, 32), (1000, 8), (1000, 32))
"""Items and concurrency."""
SLOWEST = (1000, 1)
"""Left out unless it is asked for: nine spans of about a minute."""
RUNS = 3
CONFIG = """\
version: 1
agents:
  web:
    type: http
    url: http://127.0.0.1:{port}/agent
    body: {{prompt: "{{prompt}}"}}
    select: {{response: response}}
    sources: []
    concurrency: {concurrency}
    cache: true
judge:
  type: openai
  base_url: http://127.0.0.1:{port}/v1
  api_key: benchmark
  model: bench
  concurrency: {concurrency}
documents:
  - {{paths: [evals/*.json], agent: web}}
"""
GATE = [sys.executable, "-I", "-m", "mergebar", "run", "--all", "-q"]
COLD, WARM = "`mergebar run`", "`mergebar run`, all cached"
BARE, RAW = "bare httpx and `AsyncOpenAI`", "raw asyncio sockets"


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


def span(argv: list[str], port: int, cwd: Path, *, calls: int, at_most: int | None = None) -> Span:
    """Run one caller; it has to make so many calls, and no more than `at_most` at once."""
    _times(port)
    cost = measuring.once(argv, cwd=cwd)
    times = _times(port)
    assert times["calls"] == calls, times
    assert at_most is None or times["at_most"] <= at_most, times
    return Span(span_s=times["last"] - times["first"], cost=cost)


def _spans(port: int, folder: Path, *, items: int, concurrency: int) -> dict[str, list[Span]]:
    """Each caller in turn, so that a slower minute slows all alike."""
    loop = [sys.executable, "-I", str(HERE / "bare_loop.py")]
    tail = [str(port), str(items), str(concurrency)]
    callers = {
        COLD: (GATE, 2 * items),
        WARM: (GATE, 0),
        BARE: ([*loop, "libraries", *tail], 2 * items),
        RAW: ([*loop, "raw", *tail], 2 * items),
    }
    spans: dict[str, list[Span]] = {who: [] for who in callers}
    for run in range(RUNS):
        # A new folder each time: some file systems are ten times as slow to make a file where many
        # were removed a moment ago, and a repository's cache isn't removed before each run.
        gate = folder / f"{items}-{concurrency}-{run}"
        write(gate, port=port, items=items, concurrency=concurrency)
        for who, (argv, calls) in callers.items():
            spans[who].append(span(argv, port, gate, calls=calls, at_most=2 * concurrency))
    return spans


def write(folder: Path, *, port: int, items: int, concurrency: int) -> None:
    """A gate with one document, whose items have one judged check each."""
    (path,) = documents.write(folder / "evals", documents=1, items=items)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["default_evaluators"] = {"Relevance": {}}
    for item in document["items"]:
        del item["response"], item["evaluators"]
    path.write_text(json.dumps(document), encoding="utf-8")
    config = CONFIG.format(port=port, concurrency=concurrency)
    (folder / "mergebar.yml").write_text(config, encoding="utf-8")


def rows(*, full: bool = False) -> list[str]:
    """Markdown rows: items, at once, who, span, ratio to ideal, CPU, ratio to bare, peak memory."""
    lines: list[str] = []
    with judge() as port, tempfile.TemporaryDirectory() as name:
        for items, concurrency in sorted((*SIZES, SLOWEST) if full else SIZES):
            spans = _spans(port, Path(name), items=items, concurrency=concurrency)
            lines += _table(spans, items=items, concurrency=concurrency)
    return lines


def ideal_s(items: int, concurrency: int) -> float:
    """The last verdict comes one delay after the last answer."""
    return -(-items // concurrency) * DELAY_S + DELAY_S


def _table(spans: dict[str, list[Span]], *, items: int, concurrency: int) -> Iterator[str]:
    ideal = ideal_s(items, concurrency)
    bare = statistics.median(one.cost.cpu_s for one in spans[BARE])
    for who, measured in spans.items():
        span = statistics.median(one.span_s for one in measured)
        cpu = statistics.median(one.cost.cpu_s for one in measured)
        peak = statistics.median(one.cost.peak_mb for one in measured)
        wall = f"{span:.2f} s | {span / ideal:.2f}×" if span else "– | –"
        yield (
            f"| {items:,} | {concurrency} | {who} | {wall} | {cpu:.2f} s | {cpu / bare:.2f}× "
            f"| {peak:.0f} MB |"
        )


HEADER = "| items | at once | | first to last call | to ideal | CPU | to the bare loop | peak |"

if __name__ == "__main__":
    full = "--full" in sys.argv
    print("\n".join([HEADER, "|" + "---|" * (HEADER.count("|") - 1), *rows(full=full)]))
