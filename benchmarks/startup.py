"""CPU from process start to end of the smallest commands, beside bare Python."""

import sys
import tempfile
from pathlib import Path

import documents
import measuring

RUNS = 15
PROGRAM = [sys.executable, "-I", "-m", "mergebar"]


def rows() -> list[str]:
    """Markdown rows: what, seconds of CPU, ratio to bare Python, peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        small = documents.write(Path(folder) / "evals", documents=1, items=3)[0]
        bare = measuring.median([sys.executable, "-I", "-c", "pass"], runs=RUNS)
        figures = {
            "bare Python": bare,
            "`mergebar --version`": measuring.median([*PROGRAM, "--version"], runs=RUNS),
            "`mergebar check` of one small document": measuring.median(
                [*PROGRAM, "check", str(small)], runs=RUNS, cwd=Path(folder)
            ),
        }
    return [
        f"| {name} | {cost.cpu_s:.3f} s | {cost.cpu_s / bare.cpu_s:.1f}× | {cost.peak_mb:.0f} MB |"
        for name, cost in figures.items()
    ]


if __name__ == "__main__":
    print("\n".join(["| | CPU | to bare Python | peak |", "|---|---|---|---|", *rows()]))
