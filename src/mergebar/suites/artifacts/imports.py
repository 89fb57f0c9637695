"""The text of rules in, the files that it imports, and what is lost with them, out."""

import posixpath
import re
from collections.abc import Callable, Iterator

from mergebar.model.artifacts import Artifact, ArtifactType
from mergebar.model.problems import Level, Problem
from mergebar.reading import front_matter
from mergebar.reading.sentences import quoted

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_SPAN = re.compile(r"`[^`]*`")
_IMPORT = re.compile(r"(?:(?<=\s)|^)@([\w./-]+\.mdc?)\b")

Open = Callable[[str], bytes | None]
"""The path of a file below the root in, its bytes out, or nothing."""


def check(artifact: Artifact, data: bytes, open_file: Open) -> Iterator[Problem]:
    """Only a file's own evals are read: those of what it imports would be lost."""
    if artifact.identity.type is not ArtifactType.PROJECT_RULES or b"@" not in data:
        return
    for path, line in find(data.decode(errors="replace"), path=artifact.path):
        imported = open_file(path)
        if imported is None or b"evals" not in imported:
            continue
        metadata = (front_matter.read(imported, path=path).value or {}).get("metadata")
        if isinstance(metadata, dict) and "evals" in metadata:
            yield Problem(
                level=Level.WARNING,
                rule="artifact/imported-evals",
                message=(
                    f"{quoted(path)} declares evals, and those of an imported file are not read: "
                    "move them here"
                ),
                path=artifact.path,
                line=line,
                column=1,
            )


def find(text: str, *, path: str) -> Iterator[tuple[str, int]]:
    """Each imported path below the root, with its line; code is no import."""
    folder = path.rpartition("/")[0]
    fence = ""
    for number, line in enumerate(text.split("\n"), start=1):
        mark = _FENCE.match(line)
        if mark is not None:
            fence = "" if fence == mark[1][0] else (fence or mark[1][0])
        elif not fence:
            for match in _IMPORT.finditer(_SPAN.sub("", line)):
                imported = posixpath.normpath(posixpath.join(folder, match[1]))
                if not imported.startswith(("../", "/")):
                    yield imported, number
