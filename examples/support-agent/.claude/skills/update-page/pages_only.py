"""Exit with 1, and name the files, if a session wrote anything outside of `pages/`."""

import json
import sys
from pathlib import Path, PurePosixPath

WRITING = {"Write", "Edit", "MultiEdit", "NotebookEdit"}


def main(trace: Path) -> int:
    """The trace is what `claude -p --output-format stream-json --verbose` prints."""
    records = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    folder = next(record["cwd"] for record in records if record.get("subtype") == "init")
    wrong = []
    for record in records:
        content = record.get("message", {}).get("content", [])
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_use" and block["name"] in WRITING:
                path = PurePosixPath(block["input"]["file_path"])
                if not path.is_relative_to(PurePosixPath(folder, "pages")):
                    wrong.append(str(path))
    for path in wrong:
        print(f"{path} was written, and is no page", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
