"""Questions about a repository in, answers of the real git out, every trouble as a value.

Revisions and paths are checked before they become arguments.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mergebar.edge import git_environment, processes, raw_diff

TIMEOUT_S = 60.0
OUTPUT_LIMIT = 64 * 1024 * 1024
LARGEST_FILE = 32 * 1024 * 1024

_SHA = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LONGEST_REVISION = 512
_FILE_MODES = ("100644", "100755", "100664")

_DIFF = ("--raw", "-z", "-M", "--no-abbrev", "--no-color", "--no-ext-diff", "--no-textconv")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitTrouble:
    """Why git couldn't answer, as a clause that can follow a colon."""

    message: str


class Git:
    """The repository that `root` is in. Paths are posix and relative to its top folder.

    Bytes of a name that aren't UTF-8 are lone surrogates, as in what discovery finds.
    """

    def __init__(
        self, root: Path, environ: Mapping[str, str], run: processes.Run = processes.run
    ) -> None:
        self._root = root
        self._environ = environ
        self._run = run
        self._filters: tuple[tuple[str, str], ...] | None = None

    @property
    def root(self) -> Path:
        return self._root

    def at(self, folder: Path) -> "Git":
        """The same for another folder."""
        return Git(folder, self._environ, self._run)

    def toplevel(self) -> Path | GitTrouble:
        """The nearest folder at or above the root that holds `.git`, as a real path.

        git's own search would follow `core.worktree`, or take a bare repository that was
        committed as a folder for the repository.
        """
        try:
            start = self._root.resolve()
            for folder in (start, *start.parents):
                if os.path.lexists(folder / ".git"):
                    return folder
        except (OSError, RuntimeError) as error:
            return GitTrouble(message=f"can't look for a git repository: {error}")
        return GitTrouble(message="this is not a git repository")

    def head(self) -> str | GitTrouble:
        """The commit that is checked out."""
        return self.resolve("HEAD")

    def resolve(self, revision: str) -> str | GitTrouble:
        """The full id of the commit that a branch, tag, id or `HEAD~2` names."""
        wrong = wrong_revision(revision)
        if wrong:
            return GitTrouble(message=wrong)
        answer = self._ask(
            "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", codes=(0, 1)
        )
        if isinstance(answer, GitTrouble):
            return answer
        sha = answer.decode("ascii", "replace").strip()
        if _SHA.fullmatch(sha):
            return sha
        shown = revision[:12] if _SHA.fullmatch(revision) else revision
        return GitTrouble(message=f"this checkout has no commit `{shown}`")

    def parents(self, commit: str) -> tuple[str, ...] | GitTrouble:
        """The parents that this checkout has; a shallow one ends early."""
        answer = self._ask("rev-list", "--parents", "--max-count=1", _full(commit), "--")
        if isinstance(answer, GitTrouble):
            return answer
        return tuple(answer.decode("ascii", "replace").split()[1:])

    def merge_base(self, one: str, other: str) -> str | GitTrouble | None:
        """The best common ancestor; `None` where this checkout has none."""
        answer = self._ask("merge-base", _full(one), _full(other), codes=(0, 1))
        if isinstance(answer, GitTrouble):
            return answer
        return answer.decode("ascii", "replace").strip() or None

    def distance(self, old: str, new: str) -> int | GitTrouble:
        """How many commits `new` has that `old` doesn't."""
        answer = self._ask("rev-list", "--count", f"{_full(old)}..{_full(new)}", "--")
        return answer if isinstance(answer, GitTrouble) else int(answer)

    def is_shallow(self) -> bool | GitTrouble:
        """Whether history is cut off."""
        answer = self._ask("rev-parse", "--is-shallow-repository")
        return answer if isinstance(answer, GitTrouble) else answer.strip() == b"true"

    def diff(self, base: str, head: str) -> raw_diff.Diff | GitTrouble:
        """What differs between two commits."""
        ends = (_full(base), _full(head))
        answer = self._ask("diff-tree", "-r", *_DIFF, "--ignore-submodules=none", *ends, "--")
        return answer if isinstance(answer, GitTrouble) else raw_diff.parse(answer)

    def diff_to_files(self, base: str) -> raw_diff.Diff | GitTrouble:
        """What differs between a commit and the files on disk, untracked ones included."""
        filters = self._without_filters()
        if isinstance(filters, GitTrouble):
            return filters
        # Looking into a submodule would start git there, under that repository's configuration.
        options = (*_DIFF, "--ignore-submodules=dirty")
        answer = self._ask("diff", *options, _full(base), "--", overrides=filters)
        if isinstance(answer, GitTrouble):
            return answer
        others = self._ask("ls-files", "-z", "--others", "--exclude-standard", overrides=filters)
        if isinstance(others, GitTrouble):
            return others
        return raw_diff.with_untracked(raw_diff.parse(answer), raw_diff.names(others))

    def entries(self) -> tuple[raw_diff.Entry, ...] | GitTrouble:
        """Submodules, and what git was told not to look at."""
        answer = self._ask("ls-files", "-z", "-v", "--stage")
        return answer if isinstance(answer, GitTrouble) else raw_diff.entries(answer)

    def unlisted(self) -> tuple[str, ...] | GitTrouble:
        """What is on disk and in no diff: what is ignored, and other repositories in this one.

        A folder of which all is ends with `/`.
        """
        own = ("ls-files", "-z", "--others", "--exclude-standard")
        ignored = self._ask(*own, "--ignored", "--directory")
        if isinstance(ignored, GitTrouble):
            return ignored
        others = self._ask(*own)
        if isinstance(others, GitTrouble):
            return others
        repositories = (name for name in raw_diff.names(others) if name.endswith("/"))
        return (*raw_diff.names(ignored), *repositories)

    def known(self, commit: str) -> frozenset[str] | GitTrouble:
        """Every file of a commit and of the index."""
        tree = self._ask("ls-tree", "-r", "-z", "--name-only", "--full-tree", _full(commit))
        if isinstance(tree, GitTrouble):
            return tree
        index = self._ask("ls-files", "-z", "--cached")
        if isinstance(index, GitTrouble):
            return index
        return frozenset((*raw_diff.names(tree), *raw_diff.names(index)))

    def uncommitted(self) -> raw_diff.Diff | GitTrouble:
        """What differs between the checked-out commit and the files on disk."""
        head = self.head()
        return head if isinstance(head, GitTrouble) else self.diff_to_files(head)

    def file_at(
        self, commit: str, path: str, *, limit: int = LARGEST_FILE
    ) -> bytes | GitTrouble | None:
        """A file as of a commit; `None` where the commit has no such file."""
        if not _is_plain(path):
            return GitTrouble(message=f"`{_shown(path)}` is not a path inside the repository")
        tree = self._ask("ls-tree", "-z", "--long", "--full-tree", _full(commit), "--", path)
        if isinstance(tree, GitTrouble):
            known = self.resolve(commit)
            return known if isinstance(known, GitTrouble) else tree
        if not tree:
            return None
        mode, _, blob, size, *_ = tree.decode("utf-8", "replace").split(maxsplit=4)
        if mode not in _FILE_MODES:
            return GitTrouble(message=f"`{path}` is not a regular file in `{commit[:12]}`")
        if not size.isdecimal() or int(size) > limit:
            return GitTrouble(message=f"`{path}` has {size} bytes in `{commit[:12]}`")
        return self._ask("cat-file", "blob", blob, limit=limit)

    def add_worktree(self, folder: Path, commit: str) -> GitTrouble | None:
        """Check a commit out into a folder that isn't there yet, beside this checkout."""
        filters = self._without_filters()
        if isinstance(filters, GitTrouble):
            return filters
        options = ("--detach", "--force", "--quiet")
        answer = self._ask(
            "worktree", "add", *options, str(folder), _full(commit), overrides=filters
        )
        return answer if isinstance(answer, GitTrouble) else None

    def prune_worktrees(self) -> None:
        """Forget the worktrees whose folders are gone."""
        self._ask("worktree", "prune")

    def is_tracked(self, path: str, *, apart: str | None = None) -> bool | GitTrouble:
        """Whether the path, anything below it, or another spelling of its case is in the index.

        `apart` names a folder in it that doesn't count.
        """
        if path in {"", "."}:
            return True
        if not _is_plain(path):
            return GitTrouble(message=f"`{_shown(path)}` is not a path inside the repository")
        spec = f":(top,literal,icase){path}"
        without = () if apart is None else (f":(top,literal,exclude){path}/{apart}",)
        answer = self._ask("ls-files", "-z", "--cached", "--", spec, *without, literal=False)
        return answer if isinstance(answer, GitTrouble) else bool(answer)

    def _without_filters(self) -> tuple[tuple[str, str], ...] | GitTrouble:
        """Overrides for every filter that the configuration names: comparing files runs them."""
        if self._filters is None:
            answer = self._ask("config", "-z", "--list", "--name-only")
            if isinstance(answer, GitTrouble):
                return answer
            names = {
                name.rpartition(".")[0]
                for name in raw_diff.names(answer)
                if name.startswith("filter.")
            }
            parts = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
            self._filters = tuple(
                (f"{name}.{part}", value) for name in sorted(names) for part, value in parts
            )
        return self._filters

    def _ask(
        self,
        *arguments: str,
        codes: Sequence[int] = (0,),
        overrides: Sequence[tuple[str, str]] = (),
        limit: int = OUTPUT_LIMIT,
        literal: bool = True,
    ) -> bytes | GitTrouble:
        top = self.toplevel()
        if isinstance(top, GitTrouble):
            return top
        program = git_environment.program(self._environ.get("PATH", os.defpath))
        if program is None:
            return GitTrouble(message="git is not installed, or not on the `PATH`")
        environ = git_environment.surroundings(self._environ, top=top, overrides=overrides)
        if literal:
            environ["GIT_LITERAL_PATHSPECS"] = "1"
        argv = (program, *git_environment.options(top, overrides), *arguments)
        done = self._run(argv, cwd=top, environ=environ, timeout_s=TIMEOUT_S, limit=limit)
        name = f"`git {arguments[0]}`"
        if isinstance(done, processes.Stopped):
            return GitTrouble(message=f"{name} {done.reason}")
        if done.code not in codes:
            return GitTrouble(message=f"{name} failed: {_last_line(done.stderr)}")
        return done.stdout


def wrong_revision(revision: str) -> str:
    """Why the text can't name one commit; empty if it can."""
    shown = _shown(revision)
    if not revision:
        return "the revision is empty"
    if revision.startswith("-"):
        return f"`{shown}` looks like an option, not like a revision"
    if len(revision) > _LONGEST_REVISION or not revision.isprintable():
        return f"`{shown}` is not a revision: it is too long or not printable"
    if revision.startswith("^") or ".." in revision or re.search(r"[\s:?*\[\\]", revision):
        return f"`{shown}` doesn't name one commit: use a branch, a tag or a commit id"
    return ""


def _full(commit: str) -> str:
    """Commit ids come from `resolve` and from events that were checked: all else is our bug."""
    if not _SHA.fullmatch(commit):
        message = f"not a full commit id: {commit!r}"
        raise ValueError(message)
    return commit


def _is_plain(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return str(PurePosixPath(path)) == path and "\0" not in path and not {"/", "..", "."} & {*parts}


def _last_line(stderr: bytes) -> str:
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return _shown(lines[-1].strip()) if lines else "it didn't say why"


def _shown(text: str) -> str:
    """Text for a message: one line, printable, short."""
    return "".join(
        mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in text[:300]
    )
