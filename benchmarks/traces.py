"""A large Claude session in, `traces.read` beside a loop that reads the lines and parses them."""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import measuring

MEGABYTE = 1_000_000
CWD = "/home/dev/shop"
# What a run reads, edits and prints; sizes are those of everyday sessions.
WORDS = [
    "order",
    "cart",
    "price",
    "total",
    "stock",
    "parcel",
    "address",
    "refund",
    "invoice",
    "payment",
    "customer",
    "basket",
    "voucher",
    "shipping",
    "return",
    "warehouse",
    "label",
    "queue",
    "retry",
    "timeout",
    "schema",
    "handler",
    "module",
    "import",
    "value",
]

LOOP = """
import sys, orjson
count = 0
with open(sys.argv[1], "rb") as file:
    for line in file:
        orjson.loads(line)
        count += 1
print(count)
"""
READ = """
import sys
from pathlib import Path
from mergebar import traces
session = traces.read(Path(sys.argv[1]))
print(len(session.events), len(session.calls), session.usage)
"""
BARE = "import mergebar.traces"


def write(path: Path, *, megabytes: float, seed: int = 1) -> int:
    """A session of about this size, with prompts, thinking, calls, results; the number of lines."""
    lines = 0
    size = 0
    with path.open("wb") as file:
        for record in _records(random.Random(seed)):  # noqa: S311 - a benchmark's data
            line = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
            file.write(line)
            size += len(line)
            lines += 1
            if size >= megabytes * MEGABYTE:
                return lines
    return lines


def _records(chance: random.Random) -> Iterator[dict[str, object]]:
    """Records without end: a prompt, then rounds of a reply and what its call returned."""
    number = 0
    parent: str | None = None
    while True:
        for kind, message, result in _turn(chance, number):
            number += 1
            uuid = f"{number:08x}-0000-4000-8000-{number:012x}"
            record: dict[str, object] = {
                "parentUuid": parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": CWD,
                "sessionId": "5b2f1c1e-0000-4000-8000-000000000000",
                "version": "2.1.0",
                "gitBranch": "main",
                "type": kind,
                "message": message,
                "uuid": uuid,
                "timestamp": f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:00.000Z",
            }
            if result is not None:
                record["toolUseResult"] = result
            parent = uuid
            yield record


def _turn(
    chance: random.Random, number: int
) -> Iterator[tuple[str, dict[str, object], object | None]]:
    yield "user", {"role": "user", "content": _prose(chance, 40)}, None
    for step in range(chance.randint(4, 12)):
        name = f"msg_{number:08x}{step:04x}"
        yield "assistant", _reply(name, {"type": "thinking", "thinking": _prose(chance, 60)}), None
        call = f"toolu_{number:08x}{step:04x}"
        tool, arguments, output = _call(chance)
        block = {"type": "tool_use", "id": call, "name": tool, "input": arguments}
        yield "assistant", _reply(name, block), None
        answer = {"type": "tool_result", "tool_use_id": call, "content": output}
        yield "user", {"role": "user", "content": [answer]}, {"stdout": output, "stderr": ""}
    text = {"type": "text", "text": _prose(chance, 80)}
    last = _reply(f"msg_{number:08x}ffff", text)
    yield "assistant", {**last, "stop_reason": "end_turn"}, None


def _reply(name: str, block: Mapping[str, object]) -> dict[str, object]:
    usage = {
        "input_tokens": 9,
        "cache_creation_input_tokens": 512,
        "cache_read_input_tokens": 15_000,
        "output_tokens": 120,
        "service_tier": "standard",
    }
    return {
        "model": "claude-sonnet-4-5",
        "id": name,
        "type": "message",
        "role": "assistant",
        "content": [block],
        "stop_reason": "tool_use",
        "usage": usage,
    }


def _call(chance: random.Random) -> tuple[str, dict[str, object], str]:
    path = f"{CWD}/src/{chance.choice(WORDS)}/{chance.choice(WORDS)}.py"
    tool = chance.choice(("Read", "Read", "Edit", "Write", "Bash", "Grep"))
    if tool == "Bash":
        return tool, {"command": f"pytest -q {path}"}, _prose(chance, 90)
    if tool == "Grep":
        return tool, {"pattern": chance.choice(WORDS), "path": CWD}, _prose(chance, 120)
    if tool == "Edit":
        old, new = _prose(chance, 30), _prose(chance, 30)
        return tool, {"file_path": path, "old_string": old, "new_string": new}, _prose(chance, 60)
    if tool == "Write":
        return tool, {"file_path": path, "content": _prose(chance, 150)}, "written"
    return tool, {"file_path": path}, _prose(chance, 350)


def _prose(chance: random.Random, words: int) -> str:
    chosen = chance.choices(WORDS, k=words)
    return "\n".join(" ".join(chosen[at : at + 9]) for at in range(0, words, 9))


def rows(*, megabytes: float = 200, runs: int = 3) -> list[str]:
    """Markdown rows: what, MB per second of CPU, ratio to the loop, peak memory."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "session.jsonl"
        write(path, megabytes=megabytes)
        size = path.stat().st_size / MEGABYTE
        bare = measuring.median([sys.executable, "-I", "-c", BARE], runs=runs)
        costs = {
            what: measuring.median([sys.executable, "-I", "-c", code, str(path)], runs=runs)
            for what, code in {"`traces.read`": READ, "the bare loop": LOOP}.items()
        }
    loop = costs["the bare loop"].cpu_s
    return [
        f"| {what} | {size / cost.cpu_s:.0f} MB/s | {loop / cost.cpu_s:.2f} "
        f"| {cost.peak_mb:.0f} MB |"
        for what, cost in costs.items()
    ] + [f"| importing alone | – | – | {bare.peak_mb:.0f} MB |"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    header = ["| | throughput | to the loop | peak |", "|---|---|---|---|"]
    print("\n".join([*header, *rows(megabytes=chosen.megabytes, runs=chosen.runs)]))
