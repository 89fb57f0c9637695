"""The environment of a process that runs the repository's code: allow-listed, never a token."""

from collections.abc import Iterable, Mapping

from mergebar.processes import privileges

# The mark says as whom the process runs; it doesn't reach the process itself.
_KEPT = frozenset(
    {"HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SYSTEMROOT", "TMPDIR", "TZ", "USER"}
    | {privileges.MARK}
)
_KEPT_PREFIXES = ("LC_",)
_FORBIDDEN = frozenset({"GITHUB_TOKEN"})
_FORBIDDEN_PREFIXES = ("ACTIONS_", "INPUT_")


def is_forbidden(name: str) -> bool:
    """Whether a name is never passed on, not even when the configuration names it."""
    upper = name.upper()
    return upper in _FORBIDDEN or upper.startswith(_FORBIDDEN_PREFIXES)


def allowed(environ: Mapping[str, str], *, named: Iterable[str]) -> dict[str, str]:
    """What every process needs to find its programs and its language, and what `env` names."""
    wanted = {name for name in named if not is_forbidden(name)}
    return {
        name: value
        for name, value in environ.items()
        if name in wanted or name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
