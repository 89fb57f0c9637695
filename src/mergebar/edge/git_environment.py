"""The process's environment and the repository's top folder in, the environment that git gets out.

The repository is hostile: its configuration can name programs to run. So git gets an environment
of its own, is told where the repository is instead of looking for it, and every setting that
starts a program is overridden.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

# Kept from the environment: where programs and the user's own ignore file are.
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR")

_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    # A missing object of a partial clone would be fetched through programs that the
    # repository's configuration names: no protocol is allowed, so nothing is started.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
}

_OVERRIDES = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.attributesFile", os.devnull),
    ("core.untrackedCache", "false"),
    ("core.quotePath", "false"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.gitProxy", ""),
    ("core.askPass", ""),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("diff.orderFile", os.devnull),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("gc.auto", "0"),
)


def options(top: Path, overrides: Sequence[tuple[str, str]] = ()) -> tuple[str, ...]:
    """What stands before the subcommand: every setting that the repository's must not decide."""
    settings = (("safe.directory", str(top)), *_OVERRIDES, *overrides)
    pairs = (("-c", f"{key}={value}") for key, value in settings if "=" not in key)
    return ("--no-pager", *(word for pair in pairs for word in pair))


def surroundings(
    environ: Mapping[str, str], *, top: Path, overrides: Sequence[tuple[str, str]] = ()
) -> dict[str, str]:
    """The whole environment of git: nothing named `GIT_*` is taken over from `environ`."""
    chosen = {name: environ[name] for name in _KEPT if name in environ}
    # Told where the repository is, git neither follows `core.worktree` nor asks who owns it.
    chosen.update(_ENVIRONMENT, GIT_DIR=str(top / ".git"), GIT_WORK_TREE=str(top))
    # `-c` splits a name at its first `=`, and a hostile name may have one; the variables don't,
    # but a git older than 2.31 doesn't read them.
    settings = [(key, value) for key, value in overrides if "=" in key]
    chosen["GIT_CONFIG_COUNT"] = str(len(settings))
    for index, (key, value) in enumerate(settings):
        chosen[f"GIT_CONFIG_KEY_{index}"] = key
        chosen[f"GIT_CONFIG_VALUE_{index}"] = value
    return chosen


def program(search: str) -> str | None:
    """The git to run: never one found relative to the folder that is being checked."""
    for folder in search.split(os.pathsep):
        path = os.path.join(folder, "git")  # noqa: PTH118 - a search path is text
        if folder.startswith("/") and os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113
            return path
    return None
