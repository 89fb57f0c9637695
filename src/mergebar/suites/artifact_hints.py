"""A folder in, whether artifacts may be below it out: a quick look, before their reader is loaded.

It may be wrong in one way only: it says yes where none are.
"""

import os
from pathlib import Path

from mergebar.suites.walking import SKIPPED

SUFFIXES = frozenset({".md", ".mdc", ".mdx"})
"""What an artifact is written in; a file with another suffix may still be one, by its place."""

_RULES = ("AGENTS.", "CLAUDE.", "GEMINI.", "copilot-instructions.")
FOLDERS = frozenset({
    "skills", "agents", "commands", "prompts", "rules", "instructions", "steering",
})  # fmt: skip
_ENDINGS = (".md", ".mdc", ".toml", ".meta.yaml")


def may_hold(root: Path, folder: str = "") -> bool:
    """Whether any file below `folder`, which is relative to `root`, looks like an artifact."""
    depth = len(root.parts)
    above = FOLDERS.isdisjoint(folder.split("/"))
    for at, folders, files in os.walk(root / folder):
        within = not above or not FOLDERS.isdisjoint(Path(at).parts[depth:])
        if any(may_be(name, within=within) for name in files):
            return True
        if any(os.path.islink(os.path.join(at, name)) for name in folders):  # noqa: PTH114, PTH118
            return True
        folders[:] = [name for name in folders if name not in SKIPPED]
    return False


def may_be(name: str, *, within: bool) -> bool:
    """Whether a file of this name may be one; `within` a folder that hosts look into."""
    return name.endswith(_ENDINGS) and (within or name.startswith(_RULES))
