"""Every benchmark in one go, as Markdown; `--write` keeps the table in results.md.

`--full` measures a thousand items one by one as well, which takes ten minutes more.
"""

import os
import platform
import sys
from functools import partial
from pathlib import Path

import check_artifacts
import check_many
import compare
import judge_calls
import peers
import plan
import startup

CALLS = partial(judge_calls.rows, full="--full" in sys.argv)

SECTIONS = (
    ("Start-up", "| | CPU | to bare Python | peak |", startup.rows),
    ("`check` on 1,000 documents of 20 items", "| | CPU | to ours | peak |", check_many.rows),
    ("`check` on 2,000 skills", "| | CPU | to reading | peak |", check_artifacts.rows),
    # Before those that fill this process with values: a child's peak is never below its parent's.
    ("Items × (agent + judge), 50 ms each", judge_calls.HEADER, CALLS),
    ("The same by way of other evaluators: 100 items, 8 at once", peers.HEADER, peers.rows),
    ("Planning 10,000 items in 500 documents", "| | CPU | to floor | peak |", plan.rows),
    ("Comparing two reports of 100,000 checks", "| | CPU | to floor | peak |", compare.rows),
)


def main() -> None:
    """Measure and print."""
    machine = f"{platform.python_implementation()} {platform.python_version()}, {platform.system()}"
    lines = ["# Results", "", f"{machine}, medians. Ratios were measured in one run."]
    for title, header, rows in SECTIONS:
        print(f"measuring: {title}", file=sys.stderr)
        rule = "|" + "---|" * (header.count("|") - 1)
        lines += ["", f"## {title}", "", header, rule, *rows()]
    busy = f"{os.getloadavg()[2]:.1f} processes at a time for the {os.cpu_count()} cores"
    lines[2] += f" In the last quarter of an hour there were {busy}."
    text = "\n".join(lines) + "\n"
    print(text)
    if "--write" in sys.argv:
        (Path(__file__).parent / "results.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
