"""What is asked of this run, beyond the configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """What the command line and the event say. Empty and `None` are unsaid.

    `prefix` is the working directory, relative to the repository and posix, `""` at the root:
    globs are relative to it, while every path here and in a plan is relative to the repository.
    `only` names files and folders. Not `searched`: a broken configuration names no suites at all.
    The `secrets` are names of unset variables, never values. `unfit` is, by agent, what is wrong
    with its entry in words. `graders` are those of rules that packages bring.
    """

    prefix: str = ""
    agent: str | None = None
    tags: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    searched: bool = True
    runs: int | None = None
    judge: bool = True
    trusted: bool = True
    secrets_missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    judge_secrets_missing: tuple[str, ...] = ()
    unfit: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    judge_unfit: tuple[str, ...] = ()
    graders: frozenset[str] = frozenset()
