"""`check` on 1,000 documents of 20 items, beside check-jsonschema on the same files and schema."""

import sys
import tempfile
from pathlib import Path

import documents
import measuring

RUNS = 3
SCHEMA = Path(__file__).parent.parent / "schemas" / "eval-document.schema.json"


def rows() -> list[str]:
    """Markdown rows: what, seconds of CPU, ratio to ours, peak memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "evals"
        paths = documents.write(folder, documents=1000, items=20)
        ours = measuring.median(
            [sys.executable, "-I", "-m", "mergebar", "check", "evals"], runs=RUNS, cwd=Path(name)
        )
        peer = measuring.median(
            [
                str(Path(sys.executable).parent / "check-jsonschema"),
                "--schemafile",
                str(SCHEMA),
                *map(str, paths),
            ],
            runs=RUNS,
        )
    return [
        f"| {name} | {cost.cpu_s:.2f} s | {cost.cpu_s / ours.cpu_s:.1f}× | {cost.peak_mb:.0f} MB |"
        for name, cost in {"`mergebar check`": ours, "check-jsonschema": peer}.items()
    ]


if __name__ == "__main__":
    print("\n".join(["| | CPU | to ours | peak |", "|---|---|---|---|", *rows()]))
