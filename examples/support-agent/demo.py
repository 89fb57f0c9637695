"""`make demo`: run the gate on this folder, then show the comment and where the reports are."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
OUTPUT = HERE / ".mergebar"
COMMAND = ["run", "--all", "--output", OUTPUT.name]


def main() -> int:
    """Return what `mergebar run` returned."""
    print(f"$ cd examples/{HERE.name} && mergebar {' '.join(COMMAND)}\n", flush=True)
    code = subprocess.run(
        [sys.executable, "-I", "-m", "mergebar", *COMMAND], cwd=HERE, check=False
    ).returncode
    comment = OUTPUT / "comment.md"
    if comment.is_file():
        print("\n── the comment, as it would be posted " + "─" * 40 + "\n")
        print(comment.read_text(encoding="utf-8"))
        print("─" * 78 + "\n")
        print(f"The reports are in {OUTPUT.relative_to(HERE.parent.parent)}:")
        for path in sorted(OUTPUT.rglob("*")):
            if path.is_file():
                print(f"  {path.relative_to(OUTPUT)}")
    return code


if __name__ == "__main__":
    sys.exit(main())
