"""`check` on 2,000 skills that declare evals, beside a loop that only reads the files."""

import sys
import tempfile
from pathlib import Path

import measuring

RUNS = 3
SKILLS = 2000
BODY = "Look at the pipe, find the leak, mend it, and say what was done.\n" * 20
LOOP = "import pathlib; [one.read_bytes() for one in pathlib.Path('.claude').rglob('SKILL.md')]"


def skill(number: int) -> str:
    """A skill with three evals: two that are looked up, one that a judge is asked about."""
    return (
        f"---\nname: mend-{number}\ndescription: Mends leak {number}.\nmetadata:\n  evals:\n"
        "    - {id: reads, grader: file-access, options: {path: 'pipes/**', op: read}}\n"
        "    - {id: quiet, grader: tool-usage, options: {tool: Bash, expect: not-used}}\n"
        f"    - {{id: kind, assertion: The agent was kind about leak {number}.}}\n---\n{BODY}"
    )


def rows() -> list[str]:
    """Markdown rows: what, seconds of CPU, ratio to reading, peak memory."""
    with tempfile.TemporaryDirectory() as name:
        for number in range(SKILLS):
            folder = Path(name) / ".claude/skills" / f"mend-{number}"
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(skill(number), encoding="utf-8")
        ours = [sys.executable, "-I", "-m", "mergebar", "check"]
        costs = {
            "reading the files": measuring.median(
                [sys.executable, "-I", "-c", LOOP], runs=RUNS, cwd=Path(name)
            ),
            "`mergebar check`": measuring.median(ours, runs=RUNS, cwd=Path(name)),
        }
    floor = costs["reading the files"].cpu_s
    return [
        f"| {what} | {cost.cpu_s:.2f} s | {cost.cpu_s / floor:.1f}× | {cost.peak_mb:.0f} MB |"
        for what, cost in costs.items()
    ]


if __name__ == "__main__":
    print("\n".join(["| | CPU | to reading | peak |", "|---|---|---|---|", *rows()]))
