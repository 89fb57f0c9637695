"""A repository and a commit in; a folder with the files of the commit out, and gone afterwards."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mergebar.edge.git import Git, GitTrouble


@contextmanager
def checked_out(git: Git, commit: str, *, within: Path | None) -> Iterator[Path | GitTrouble]:
    """A worktree beside the checkout, in a new folder below `within`; git forgets it at the end."""
    made = Path(tempfile.mkdtemp(prefix="mergebar-base-", dir=within)).resolve()
    # Not the folder itself: git makes it, and refuses one with anything in it.
    folder = made / "tree"
    try:
        trouble = git.add_worktree(folder, commit)
        yield folder if trouble is None else trouble
    finally:
        shutil.rmtree(made, ignore_errors=True)
        git.prune_worktrees()
