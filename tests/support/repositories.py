"""Real git repositories, built commit by commit in a test's own folder."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

ENVIRON = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "C",
    "GIT_COMMITTER_EMAIL": "c@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    # What takes most of the time of a small repository: sample hooks, tidying up, and waiting
    # until the disk has it.
    "GIT_TEMPLATE_DIR": "",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.fsync",
    "GIT_CONFIG_VALUE_1": "none",
}


class Repository:
    """A repository on the branch `main`; every method that commits returns the full id."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *arguments: str) -> str:
        """Run the real git, and return what it printed without the last line end."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=ENVIRON, capture_output=True, check=False
        )
        assert done.returncode == 0, (arguments, done.stderr.decode("utf-8", "replace"))
        return done.stdout.decode("utf-8", "replace").removesuffix("\n")

    def write(self, name: str, text: str = "") -> Path:
        """Write a file without adding it."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def commit(
        self, files: Mapping[str, str | None] | None = None, *, message: str = "change"
    ) -> str:
        """Write the files (`None` deletes one), and commit all that differs."""
        for name, text in (files or {}).items():
            if text is None:
                (self.path / name).unlink()
            else:
                self.write(name, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.head()

    def head(self) -> str:
        """The commit that is checked out; from git's files where they lie here: git takes longer."""
        folder = self.path / ".git"
        if not folder.is_dir():  # a file names the folder of a worktree or a submodule
            return self.git("rev-parse", "HEAD")
        at = (folder / "HEAD").read_text().strip()
        name = at.removeprefix("ref: ")
        return at if name == at else (folder / name).read_text().strip()

    def branch(self, name: str, *, at: str = "HEAD") -> None:
        """Start a branch and check it out."""
        self.git("checkout", "--quiet", "-b", name, at)

    def checkout(self, revision: str) -> None:
        self.git("checkout", "--quiet", revision)

    def merge(self, revision: str) -> str:
        """Merge with a merge commit, as GitHub does for a pull request."""
        self.git("merge", "--quiet", "--no-ff", "--no-edit", revision)
        return self.head()

    def clone(self, to: Path, *, ref: str, depth: int = 0) -> "Repository":
        """Fetch one ref and check it out detached, as actions/checkout does; depth 0 is all."""
        other = start(to)
        limit = (f"--depth={depth}",) if depth else ()
        refs = ("+refs/heads/*:refs/remotes/origin/*", f"+{ref}:refs/remotes/fetched")
        # Only `file://` honours a depth.
        other.git("remote", "add", "origin", self.path.as_uri())
        other.git(
            "fetch", "--quiet", "--no-tags", *limit, "origin", *(refs if not depth else refs[1:])
        )
        other.git("checkout", "--quiet", "--detach", "refs/remotes/fetched")
        return other


def start(path: Path, files: Mapping[str, str] | None = None) -> Repository:
    """An empty repository, or one with a first commit of `files`."""
    path.mkdir(parents=True, exist_ok=True)
    repository = Repository(path)
    repository.git("init", "--quiet", "--initial-branch=main")
    if files is not None:
        repository.commit(files, message="first")
    return repository
